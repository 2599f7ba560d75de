package stdio

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// echo answers with the request's params and notifies on the way.
type echo struct{ peer *Peer }

func (echo) Inline(method string) bool { return method == "initialize" }

func (e *echo) Request(ctx context.Context, r Request) Reply {
	_ = e.peer.Notify(ctx, r.Method, r.Params)
	switch {
	case r.Params == nil:
		return Reply{Fault: MethodFault(r.Method)}
	case len(r.Params) > 40:
		panic(string(r.Params))
	}
	return Reply{Result: r.Params}
}

func (*echo) Notification(context.Context, Request) {}

// FuzzPeer sends any bytes and then a good request: whatever came before, only
// JSON lines come out, nothing dies, and the request is answered, once.
func FuzzPeer(f *testing.F) {
	for _, seed := range []string{
		``, "{nope", "[", "\x00", "{}\n[]\n[[]]\nnull\n\"", `{"jsonrpc":"2.0","id":1,"method":"a"}`,
		`[{"jsonrpc":"2.0","id":1,"method":"a","params":{}},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}]`,
		`{"jsonrpc":"2.0","id":"\ud800","method":"\u0000","params":["<\u2028>"]}`,
		`{"jsonrpc":"2.0","id":"mnote-host:1","result":{}}` + "\n" + `{"id":1,"error":{}}`,
		"Content-Length: 5\r\n\r\n{}", strings.Repeat(`{"id":5,"a":"`, 400) + `"}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"x":1}}` + "\n" + `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"long":"0123456789012345678901234567890123456789"}}`,
	} {
		f.Add([]byte(seed), false)
		f.Add([]byte(seed), true)
	}
	const last = `{"jsonrpc":"2.0","id":"the last one, unlike any other","method":"ping","params":{}}`
	f.Fuzz(func(t *testing.T, in []byte, batch bool) {
		var out bytes.Buffer
		e := &echo{}
		e.peer = NewPeer(Config{
			In: io.MultiReader(bytes.NewReader(in), strings.NewReader("\n"+last)), Out: &out, Handler: e,
			MaxLine: 2000, MaxInFlight: 2, CallPrefix: "mnote-host:", NullID: batch, Batch: func() bool { return batch },
			Drain: time.Minute,
		})
		if err := e.peer.Run(t.Context()); err != nil {
			t.Fatalf("Run: %v", err)
		}
		if n := e.peer.InFlight(); n != 0 {
			t.Errorf("%d in flight at the end", n)
		}
		answers := 0
		for line := range bytes.Lines(out.Bytes()) {
			if !json.Valid(line) || !utf8.Valid(line) || line[len(line)-1] != '\n' {
				t.Errorf("not a JSON line: %q", line)
			}
			if strings.Contains(string(line), `"id":"the last one`) {
				answers++
			}
		}
		if answers != 1 {
			t.Errorf("the last request has %d answers in:\n%s", answers, out.String())
		}
	})
}
