package file

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

func lockByte(f *os.File, at int64) error {
	return windows.LockFileEx(windows.Handle(f.Fd()),
		windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, offset(at))
}

// byteLocked asks by trying. Two who try at once may take each other for the
// holder; both look again.
func byteLocked(f *os.File, at int64) (bool, error) {
	err := lockByte(f, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	return false, windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, offset(at))
}

func offset(at int64) *windows.Overlapped {
	return &windows.Overlapped{Offset: uint32(at), OffsetHigh: uint32(at >> 32)}
}
