package capabilities

import (
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestSubscribe: only what a client would notice is told, and once. What was
// taken back at once is told too: a client may have looked in between.
func TestSubscribe(t *testing.T) {
	t.Parallel()
	base := doc("v", "mnote.a.b", "mnote.a.c!")
	tests := map[string]struct {
		docs []string
		told int32
	}{
		"nothing new":                 {[]string{base}, 0},
		"a version only":              {[]string{strings.Replace(base, `"manifestVersion":"v"`, `"manifestVersion":"w"`, 1)}, 0},
		"a tool that is off, changed": {[]string{strings.Replace(base, `"name":"mnote.a.c","title":"v"`, `"name":"mnote.a.c","title":"w"`, 1)}, 0},
		"a planned tool":              {[]string{strings.Replace(base, `"tools":[`, `"tools":[{"name":"mnote.a.d","status":"planned"},`, 1)}, 0},
		"a new tool":                  {[]string{doc("v", "mnote.a.b", "mnote.a.c!", "mnote.a.d")}, 1},
		"a tool switched on":          {[]string{doc("v", "mnote.a.b", "mnote.a.c")}, 1},
		"a pack switched off":         {[]string{strings.Replace(base, `"id":"p"`, `"id":"p","enabled":false`, 1)}, 1},
		"three changes in one breath": {[]string{doc("w", "mnote.a.b"), doc("x", "mnote.a.b"), doc("y", "mnote.a.b")}, 1},
		"a switch flicked to and fro": {[]string{doc("v", "mnote.a.b!", "mnote.a.c!"), base}, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				k := &kernel{tb: t, doc: base}
				r := NewRegistry(Config{First: mustRead(t, []byte(base)), Source: k})
				var told, other atomic.Int32
				cancel := r.Subscribe(func() { told.Add(1) })
				unsubscribed := r.Subscribe(func() { other.Add(1) })
				unsubscribed()
				for _, d := range tt.docs {
					k.set(d)
					if err := r.Refresh(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				time.Sleep(time.Second)
				synctest.Wait()
				if told.Load() != tt.told || other.Load() != 0 {
					t.Errorf("told %d times, want %d; after cancel %d", told.Load(), tt.told, other.Load())
				}
				cancel()
			})
		})
	}
}
