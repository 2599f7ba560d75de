package vault

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"
)

const openFlags = os.O_RDONLY

// refuseNative refuses names that Windows reads as another one: a colon opens a
// stream, and a dot or space at the end is dropped.
func refuseNative(name string) string {
	if strings.ContainsAny(name, `:*?"<>|`) || strings.TrimRight(name, ". ") != name {
		return "reserved"
	}
	return ""
}

func isNotDir(err error) bool { return errors.Is(err, windows.ERROR_DIRECTORY) }

func isReadOnlyVolume(err error) bool { return errors.Is(err, windows.ERROR_WRITE_PROTECT) }

func information(f *os.File) (windows.ByHandleFileInformation, error) {
	var d windows.ByHandleFileInformation
	err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &d)
	return d, err
}

// linksOf counts the names of an open file.
func linksOf(f *os.File) uint64 {
	d, err := information(f)
	if err != nil {
		return 1
	}
	return uint64(d.NumberOfLinks)
}

// identity is what the system calls a folder, whatever its path.
func identity(f *os.File) (device, inode uint64, err error) {
	d, err := information(f)
	return uint64(d.VolumeSerialNumber), uint64(d.FileIndexHigh)<<32 | uint64(d.FileIndexLow), err
}

// mayWrite leaves the question to the write itself: Windows has no cheap
// answer, and a refusal there changes nothing.
func mayWrite(*os.File, string) error { return nil }

// adopt does nothing: ReplaceFile keeps attributes, streams and access lists.
func adopt(_, _ *os.File, _ fs.FileMode) error { return nil }

// syncFolder does nothing: NTFS journals its names.
func syncFolder(*os.File) error { return nil }

var replaceFile = windows.NewLazySystemDLL("kernel32.dll").NewProc("ReplaceFileW")

const ignoreMergeErrors = 2

// exchange puts a in b's place and what was there in a's: ReplaceFile with a
// backup, and the backup renamed.
func exchange(dir *os.File, a, b string) error {
	folder := dir.Name()
	backup := a + ".old"
	from, to, old := wideName(folder, a), wideName(folder, b), wideName(folder, backup)
	ok, _, err := replaceFile.Call(uintptr(unsafe.Pointer(to)), uintptr(unsafe.Pointer(from)),
		uintptr(unsafe.Pointer(old)), ignoreMergeErrors, 0, 0)
	if ok == 0 {
		return err
	}
	return moveNew(dir, backup, a)
}

// moveNew renames within a folder and never overwrites.
func moveNew(dir *os.File, from, to string) error {
	return windows.MoveFileEx(wideName(dir.Name(), from), wideName(dir.Name(), to), windows.MOVEFILE_WRITE_THROUGH)
}

// moveFolder is moveNew for a folder.
func moveFolder(dir *os.File, from, to string) error { return moveNew(dir, from, to) }

// overwrite renames within a folder, over what is there.
func overwrite(dir *os.File, from, to string) error {
	return windows.MoveFileEx(wideName(dir.Name(), from), wideName(dir.Name(), to),
		windows.MOVEFILE_REPLACE_EXISTING|windows.MOVEFILE_WRITE_THROUGH)
}

func wideName(folder, name string) *uint16 {
	p, err := windows.UTF16PtrFromString(filepath.Join(folder, name))
	if err != nil { // a NUL: ParseID has refused it
		p = new(uint16)
	}
	return p
}
