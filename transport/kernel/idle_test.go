package kernel

import (
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// TestIdle: a wire that rests is closed after its time, one that came later after its
// own, and one too many at once.
func TestIdle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &wires{}
		open := func() (closed <-chan error) {
			here, there := net.Pipe()
			ended := make(chan error, 1)
			go func() {
				_, err := there.Read(make([]byte, 1))
				ended <- err
			}()
			s.rest(newWire(s, here))
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
		time.Sleep(60 * time.Second)
		second := open()
		time.Sleep(30 * time.Second)
		isClosed("the first", first, true)
		isClosed("the second", second, false)
		time.Sleep(60 * time.Second)
		isClosed("the second", second, true)
		if len(s.idle) != 0 || s.timer != nil {
			t.Errorf("%d are left, timer %v", len(s.idle), s.timer)
		}
		all := make([]<-chan error, maxIdle)
		for i := range all {
			all[i] = open()
		}
		isClosed("one too many", open(), true)
		isClosed("one of many", all[0], false)
		s.close()
		for _, one := range all {
			isClosed("one of many", one, true)
		}
	})
}
