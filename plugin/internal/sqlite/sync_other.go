//go:build !linux

package sqlite

import "os"

// syncData puts the file's bytes on the disk.
func syncData(f *os.File) error { return f.Sync() }
