package stdio

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

var batches = func() bool { return true }

// L17: arrays, for the one protocol version that has them.
func TestBatch(t *testing.T) {
	req := func(id, method string) string {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q}`, id, method)
	}
	for name, c := range map[string]struct{ in, want string }{
		"requests are answered in one line, in their order": {
			`[` + req("1", "slow") + ` , ` + req(`"b"`, "ping") + `]`,
			`[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":"b","result":{}}]`},
		"notifications get no answer": {`[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b"}]`, ""},
		"among others too": {
			`[{"jsonrpc":"2.0","method":"a"},` + req("1", "ping") + `,{"jsonrpc":"2.0","id":9,"result":{}}]`,
			`[{"jsonrpc":"2.0","id":1,"result":{}}]`},
		"broken elements get a fault each": {
			`[1,` + req("1", "ping") + `,[],` + req("null", "ping") + `]`,
			`[{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: the message must be a JSON object"}},` +
				`{"jsonrpc":"2.0","id":1,"result":{}},` +
				`{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: the message must be a JSON object"}},` +
				`{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: the id must be a string or a number"}}]`},
		"the same id twice": {
			`[` + req("1", "slow") + `,` + req("1", "ping") + `]`,
			`[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"Invalid request: a request with this id is in flight already"}}]`},
		"initialize is served on the read loop here too": {
			`[` + req("1", "initialize") + `]`, `[{"jsonrpc":"2.0","id":1,"result":{}}]`},
		"empty": {` [ ] `, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: the batch is empty"}}`},
		"too long": {`[1` + strings.Repeat(",1", 1024) + `]`,
			`{"jsonrpc":"2.0","error":{"code":-32600,"message":"Invalid request: a batch of 1025 messages is above the limit of 1024"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			talk(t, Config{Batch: batches}, slow(time.Second), func(s *session) {
				s.send(c.in + "\n")
				if c.want != "" {
					s.want(c.want)
				}
				s.wantNone()
				s.wantAlive()
			})
		})
	}
}

func TestBatchLargerThanMayRun(t *testing.T) {
	talk(t, Config{Batch: batches, MaxInFlight: 2}, script{}, func(s *session) {
		var in, want []string
		for i := range 300 {
			in = append(in, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, i))
			want = append(want, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{}}`, i))
		}
		s.send("[" + strings.Join(in, ",") + "]")
		_ = s.in.Close() // and a batch at the end is answered
		s.wantEnd(nil, 0)
		s.want("[" + strings.Join(want, ",") + "]")
	})
}

func TestBatchWithCancelledRequests(t *testing.T) {
	const in = `[{"jsonrpc":"2.0","id":1,"method":"slow"},{"jsonrpc":"2.0","id":2,"method":"ping"}]` + "\n"
	stubborn := script{request: func(_ context.Context, r Request) Reply {
		if r.Method == "slow" {
			time.Sleep(time.Hour)
		}
		return ok()
	}}
	for name, c := range map[string]struct {
		h      script
		cancel []string
		want   string
	}{
		"one that runs":               {slow(time.Hour), []string{"1"}, `[{"jsonrpc":"2.0","id":2,"result":{}}]`},
		"one that does not stop":      {stubborn, []string{"1"}, `[{"jsonrpc":"2.0","id":2,"result":{}}]`},
		"one that is answered, first": {slow(time.Second), []string{"2"}, `[{"jsonrpc":"2.0","id":1,"result":{}}]`},
		"all":                         {slow(time.Hour), []string{"2", "1"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			talk(t, Config{Batch: batches}, c.h, func(s *session) {
				s.send(in)
				synctest.Wait()
				for _, id := range c.cancel {
					s.cancelCall(id)
				}
				if c.want != "" {
					s.want(c.want)
				}
				s.wantNone()
				time.Sleep(time.Hour)
				s.wantAlive()
				if n := s.peer.InFlight(); n > 1 {
					t.Errorf("%d in flight at the end", n)
				}
			})
		})
	}
}

func TestBatchProgressComesFirst(t *testing.T) {
	var peer *Peer
	var first, second context.Context
	h := script{request: func(ctx context.Context, r Request) Reply {
		if r.ID[0] == '1' {
			first = ctx
		} else {
			second = ctx
		}
		_ = peer.Notify(ctx, "progress", json.RawMessage(r.ID))
		if r.ID[0] == '1' {
			time.Sleep(time.Second)
		}
		return ok()
	}}
	talk(t, Config{Batch: batches}, h, func(s *session) {
		peer = s.peer
		s.send(`[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":2,"method":"b"}]` + "\n")
		s.next()
		s.next()
		synctest.Wait()
		for _, ctx := range []context.Context{first, second} { // the second is answered
			_ = peer.Notify(ctx, "late", nil)
		}
		s.want(`{"jsonrpc":"2.0","method":"late"}`, `[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":2,"result":{}}]`)
	})
}

// A batch that nobody read yet is in flight, and its replies are not written.
func TestBatchIsInFlightUntilItIsWritten(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var events []string
		h := script{request: func(_ context.Context, r Request) Reply {
			return Reply{Result: r.ID, Written: func() { events = append(events, "written "+string(r.ID)) }}
		}}
		s := open(t, Config{Batch: batches}, h)
		s.send(`[{"jsonrpc":"2.0","id":1,"method":"a"},{"jsonrpc":"2.0","id":2,"method":"b"}]` + "\n")
		synctest.Wait()
		s.peer.WhenIdle(func() { events = append(events, "idle") })
		synctest.Wait()
		if len(events) > 0 {
			t.Errorf("before anybody read: %v", events)
		}
		go s.collect()
		s.want(`[{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":2,"result":2}]`)
		synctest.Wait()
		if diff := cmp.Diff([]string{"written 1", "written 2", "idle"}, events); diff != "" {
			t.Errorf("events differ (-want +got):\n%s", diff)
		}
		s.end()
	})
}
