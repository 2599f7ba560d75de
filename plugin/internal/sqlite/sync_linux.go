package sqlite

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// syncData puts the file's bytes, and the size that it takes to read them, on the
// disk. Its times may follow later: a -wal that is written over from its start
// then costs the disk one write and not two.
func syncData(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
