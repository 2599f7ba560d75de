//go:build unix

package stdio

import (
	"os"
	"time"
)

// parentPoll is how often the parent is looked for where the system does not
// tell. With the grace time it stays below two seconds.
const parentPoll = 250 * time.Millisecond

// pollParent closes gone when this process was given another parent than pid,
// which happens when that one died.
func pollParent(pid int, gone chan<- struct{}, stopped <-chan struct{}) {
	tick := time.NewTicker(parentPoll)
	defer tick.Stop()
	for os.Getppid() == pid {
		select {
		case <-tick.C:
		case <-stopped:
			return
		}
	}
	close(gone)
}
