//go:build unix

package vault

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// openFlags keep an open from waiting on a pipe that took a file's place.
const openFlags = os.O_RDONLY | syscall.O_NONBLOCK

// refuseNative refuses names that this system would read as another one: none
// here.
func refuseNative(string) string { return "" }

func isNotDir(err error) bool         { return errors.Is(err, syscall.ENOTDIR) }
func isReadOnlyVolume(err error) bool { return errors.Is(err, syscall.EROFS) }

// linksOf counts the names of an open file.
func linksOf(f *os.File) uint64 {
	info, err := f.Stat()
	if err != nil {
		return 1
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 1
	}
	return uint64(st.Nlink) //nolint:unconvert // its width differs by system
}

// identity is what the system calls a folder, whatever its path.
func identity(f *os.File) (device, inode uint64, err error) {
	info, err := f.Stat()
	if err != nil {
		return 0, 0, err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, 0, errors.ErrUnsupported
	}
	return uint64(st.Dev), uint64(st.Ino), nil //nolint:unconvert // their width differs by system
}

// mayWrite asks the system whether this process may write the name in dir, and
// dir itself: the temp file goes there.
func mayWrite(dir *os.File, name string) error {
	for _, n := range []string{name, "."} {
		err := unix.Faccessat(int(dir.Fd()), n, unix.W_OK, unix.AT_EACCESS)
		if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EINVAL) {
			err = unix.Faccessat(int(dir.Fd()), n, unix.W_OK, 0)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// adopt gives a temp file what the file it replaces has besides its bytes:
// mode, owner and extended attributes. The last two are best effort; a file
// system without them, or a process without the right, changes nothing.
func adopt(temp, old *os.File, mode fs.FileMode) error {
	if info, err := old.Stat(); err == nil {
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			_ = temp.Chown(int(st.Uid), int(st.Gid))
		}
	}
	copyAttributes(temp, old)
	return temp.Chmod(mode)
}

func copyAttributes(temp, old *os.File) {
	names := make([]byte, 16<<10)
	n, err := unix.Flistxattr(int(old.Fd()), names)
	if err != nil {
		return
	}
	value := make([]byte, 64<<10)
	for start, i := 0, 0; i < n; i++ {
		if names[i] != 0 {
			continue
		}
		name := string(names[start:i])
		start = i + 1
		if size, err := unix.Fgetxattr(int(old.Fd()), name, value); err == nil {
			_ = unix.Fsetxattr(int(temp.Fd()), name, value[:size], 0)
		}
	}
}

// syncFolder makes the names in a folder durable. File systems that know no
// such thing say so, and then there is nothing to do.
func syncFolder(dir *os.File) error {
	err := dir.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}
