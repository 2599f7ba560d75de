//go:build unix

package main

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// screenColumns is how wide the terminal behind a stream is; 0 without one.
func screenColumns(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}
