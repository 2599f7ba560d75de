//go:build unix && !linux

package stdio

import "os"

// awaitParent closes gone when the process that started this one is gone.
func awaitParent(gone chan<- struct{}, stopped <-chan struct{}) {
	pollParent(os.Getppid(), gone, stopped)
}
