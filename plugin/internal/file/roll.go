package file

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
)

// Roll is a file in which processes say that they are there. A name that is
// signed holds one byte of the file locked, far behind its end; the system lets
// go of it when the process dies, however it dies. Nothing is ever written.
type Roll struct{ f *os.File }

// OpenRoll opens the roll, and makes it where there is none. One process opens
// it once: closing it strikes every name that the process signed.
func OpenRoll(path string) (*Roll, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open roll: %w", err)
	}
	return &Roll{f}, nil
}

// Sign enters a name until Close or the end of the process. The name is to be
// one that nobody else uses.
func (r *Roll) Sign(name string) error {
	if err := lockByte(r.f, place(name)); err != nil {
		return fmt.Errorf("sign roll: %w", err)
	}
	return nil
}

// Present reports whether the process that signed the name lives. It may not be
// asked for a name of one's own.
func (r *Roll) Present(name string) (bool, error) {
	held, err := byteLocked(r.f, place(name))
	if err != nil {
		return false, fmt.Errorf("read roll: %w", err)
	}
	return held, nil
}

// Close strikes the names that were signed.
func (r *Roll) Close() error { return r.f.Close() }

// place gives the byte that stands for a name, among so many that no two names
// meet.
func place(name string) int64 {
	sum := sha256.Sum256([]byte(name))
	return int64(binary.BigEndian.Uint64(sum[:8]) >> 2)
}
