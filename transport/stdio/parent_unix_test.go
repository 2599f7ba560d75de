//go:build unix

package stdio

import (
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// Where the system does not tell of the parent's end, it is looked for.
func TestPollParent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		gone, stopped := make(chan struct{}), make(chan struct{})
		pollParent(os.Getppid()+1, gone, stopped) // another one than we have
		<-gone
		gone = make(chan struct{})
		go pollParent(os.Getppid(), gone, stopped)
		time.Sleep(time.Hour)
		select {
		case <-gone:
			t.Error("the parent lives")
		default:
		}
		close(stopped)
	})
}
