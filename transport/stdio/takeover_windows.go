package stdio

import (
	"os"

	"golang.org/x/sys/windows"
)

// surviveClosedPipes has nothing to do: a write to a closed pipe is an error.
func surviveClosedPipes() {}

// takeStdout keeps the handle of the real stdout and makes stderr the standard
// output that everything else in the process finds.
func takeStdout() *os.File {
	out := os.Stdout
	if h, err := windows.GetStdHandle(windows.STD_ERROR_HANDLE); err == nil {
		_ = windows.SetStdHandle(windows.STD_OUTPUT_HANDLE, h) // else only os.Stdout moves
	}
	return out
}
