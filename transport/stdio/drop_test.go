package stdio

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestDropKeepsOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var got bytes.Buffer
		d := newDrop(&got)
		var want strings.Builder
		for i := range 1000 {
			line := strings.Repeat("x", i%7) + "\n"
			want.WriteString(line)
			_, _ = io.WriteString(d, line)
		}
		d.flush(time.Second)
		if got.String() != want.String() {
			t.Error("lines are missing or out of order")
		}
		d.flush(time.Second) // nothing to wait for
	})
}

// A stream that nobody reads takes what it takes; the rest is counted, and the
// writer never waits.
func TestDropWhenNobodyReads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		d := newDrop(w)
		line := bytes.Repeat([]byte("x"), 1024)
		start := time.Now()
		_, _ = d.Write([]byte("first\n"))
		synctest.Wait() // it hangs in the pipe
		for range 300 {
			if n, err := d.Write(line); n != len(line) || err != nil {
				t.Fatalf("Write = %d, %v", n, err)
			}
		}
		d.flush(time.Second)
		if took := time.Since(start); took != time.Second {
			t.Errorf("writing and flushing took %v", took)
		}
		var got bytes.Buffer
		go func() { _, _ = io.Copy(&got, r) }()
		d.flush(time.Second)
		synctest.Wait()
		if kept := strings.Count(got.String(), "x"); kept != maxPending {
			t.Errorf("%d bytes came through, want %d", kept, maxPending)
		}
		if !strings.HasSuffix(got.String(), "(44 log lines dropped: stderr was not read)\n") {
			t.Errorf("the end is %q", got.String()[got.Len()-60:])
		}
		_ = w.Close()
	})
}

func TestDropWhenTheStreamIsDead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dead := &deadEnd{}
		d := newDrop(dead)
		for range 3 {
			if n, err := d.Write([]byte("x")); n != 1 || err != nil {
				t.Errorf("Write = %d, %v", n, err)
			}
			synctest.Wait()
		}
		if dead.writes != 1 {
			t.Errorf("a dead stream was written to %d times", dead.writes)
		}
	})
}

type deadEnd struct{ writes int }

func (d *deadEnd) Write([]byte) (int, error) {
	d.writes++
	return 0, errors.New("dead")
}
