package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// TempPrefix begins the name of every temporary file that Replace makes beside
// its target, so that whatever a crash left can be told and swept.
const TempPrefix = ".mnote-tmp-"

// Replace puts data at path as one step: a temporary file in the same folder is
// written, synced and renamed over the target, and the folder is synced. An
// existing file keeps its mode and, where the system lets us, its owner; a new
// one gets mode. A symbolic link is followed, so that the link stays and its
// target is replaced. The folder must exist.
func Replace(path string, data []byte, mode fs.FileMode) error {
	target, old, err := resolve(path)
	if err != nil {
		return err
	}
	if old != nil {
		mode = old.Mode().Perm()
	}
	temp, err := write(filepath.Dir(target), data, mode, old)
	if err != nil {
		return fmt.Errorf("replace %s: %w", path, err)
	}
	if err := rename(temp, target); err != nil {
		_ = os.Remove(temp)
		return fmt.Errorf("replace %s: %w", path, err)
	}
	if err := syncFolder(filepath.Dir(target)); err != nil {
		return fmt.Errorf("replace %s: %w", path, err)
	}
	return nil
}

// resolve gives the file that path leads to and, where there is one, what it is
// now. A link to nothing leads to the file that it names.
func resolve(path string) (target string, old fs.FileInfo, err error) {
	target = path
	for range 40 { // as many links as Linux follows
		old, err = os.Lstat(target)
		if errors.Is(err, fs.ErrNotExist) {
			return target, nil, nil
		}
		if err != nil {
			return "", nil, err
		}
		if old.Mode().IsRegular() {
			return target, old, nil
		}
		if old.Mode()&fs.ModeSymlink == 0 {
			return "", nil, fmt.Errorf("replace %s: %s is not a regular file", path, target)
		}
		next, err := os.Readlink(target)
		if err != nil {
			return "", nil, err
		}
		if !filepath.IsAbs(next) {
			next = filepath.Join(filepath.Dir(target), next)
		}
		target = next
	}
	return "", nil, fmt.Errorf("replace %s: too many links", path)
}

func write(folder string, data []byte, mode fs.FileMode, old fs.FileInfo) (name string, err error) {
	f, err := os.CreateTemp(folder, TempPrefix+"*")
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if old != nil {
		keepOwner(f, old)
	}
	if err := f.Chmod(mode); err != nil {
		return "", err
	}
	if _, err := f.Write(data); err != nil {
		return "", err
	}
	if err := f.Sync(); err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}
