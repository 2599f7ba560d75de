//go:build unix && !linux

package stdio

// awaitParent closes gone when pid, the process that started this one, is gone.
func awaitParent(pid int, gone chan<- struct{}, stopped <-chan struct{}) {
	pollParent(pid, gone, stopped)
}
