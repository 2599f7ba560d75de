package main

import (
	"io"
	"os"

	"golang.org/x/sys/windows"
)

// screenColumns is how wide the console behind a stream is; 0 without one.
func screenColumns(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	var screen windows.ConsoleScreenBufferInfo
	if err := windows.GetConsoleScreenBufferInfo(windows.Handle(f.Fd()), &screen); err != nil {
		return 0
	}
	return int(screen.Window.Right-screen.Window.Left) + 1
}
