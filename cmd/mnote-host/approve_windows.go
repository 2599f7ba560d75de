package main

import (
	"errors"
	"io"
	"os"
)

// window is the console that this process belongs to.
type window struct{ in, out *os.File }

func (w window) Read(b []byte) (int, error)  { return w.in.Read(b) }
func (w window) Write(b []byte) (int, error) { return w.out.Write(b) }

// Close closes both ends.
func (w window) Close() error { return errors.Join(w.in.Close(), w.out.Close()) }

// openTerminal opens the console that this process belongs to, wherever its
// standard streams lead.
func openTerminal() (io.ReadWriteCloser, error) {
	in, err := os.OpenFile("CONIN$", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	out, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		return nil, errors.Join(err, in.Close())
	}
	return window{in, out}, nil
}
