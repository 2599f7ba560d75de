package main

import (
	"errors"
	"io"
	"os"
)

// console is the window that this process belongs to.
type console struct{ in, out *os.File }

func (c console) Read(b []byte) (int, error)  { return c.in.Read(b) }
func (c console) Write(b []byte) (int, error) { return c.out.Write(b) }

// Close closes both ends.
func (c console) Close() error { return errors.Join(c.in.Close(), c.out.Close()) }

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
	return console{in, out}, nil
}
