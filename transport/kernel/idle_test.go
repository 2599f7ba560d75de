package kernel

import (
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// TestIdle: a wire that rests is closed after its time, the ones that rested since
// after theirs, and what is too many at once.
func TestIdle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &wires{other: &http.Transport{IdleConnTimeout: time.Minute, MaxIdleConnsPerHost: 2}}
		open := func() (closed <-chan error) {
			here, there := net.Pipe()
			ended := make(chan error, 1)
			go func() {
				_, err := there.Read(make([]byte, 1))
				ended <- err
			}()
			s.rest(newWire(s, "kernel:80", here))
			return ended
		}
		isClosed := func(name string, closed <-chan error, want bool) {
			t.Helper()
			synctest.Wait()
			select {
			case err := <-closed:
				if !want || err != io.EOF {
					t.Errorf("%s is closed: %v", name, err)
				}
			default:
				if want {
					t.Errorf("%s is open", name)
				}
			}
		}
		first := open()
		time.Sleep(30 * time.Second)
		second, third := open(), open()
		isClosed("one too many", third, true)
		time.Sleep(31 * time.Second)
		isClosed("the first", first, true)
		isClosed("the second", second, false)
		time.Sleep(30 * time.Second)
		isClosed("the second", second, true)
		if len(s.idle) != 0 || s.timer != nil {
			t.Errorf("%d are left, timer %v", len(s.idle), s.timer)
		}
		fourth := open()
		s.CloseIdleConnections()
		isClosed("the fourth", fourth, true)
	})
}
