package acp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"

	"github.com/sourcegraph/jsonrpc2"
	"github.com/tidwall/gjson"

	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// desk serves what the client says to the host alone. It is the host's end of a
// jsonrpc2.Conn whose stream is the lines that the pump sets aside; a line is
// served before the pump goes on, so that a prompt behind it finds its effect.
type desk struct {
	face *Face
	conn *jsonrpc2.Conn

	lines chan []byte
	done  chan struct{} // a line was served
	ended chan struct{}
	once  sync.Once

	mu  sync.Mutex
	ids map[uint64][]byte // the client's own spelling of an id
	n   uint64
}

func newDesk(f *Face) *desk {
	return &desk{face: f, lines: make(chan []byte), done: make(chan struct{}), ended: make(chan struct{}), ids: map[uint64][]byte{}}
}

// serve has one frame of the client's served, and waits for it: its effect is
// memory alone, and what is answered goes to the outbox.
func (d *desk) serve(line []byte, h head) {
	clean, ok := d.clean(line, h)
	if !ok {
		return
	}
	if d.conn == nil {
		d.conn = jsonrpc2.NewConn(context.Background(), d, jsonrpc2.HandlerWithError(d.handle), jsonrpc2.SetLogger(silent{}))
	}
	select {
	case d.lines <- clean:
		<-d.done
	case <-d.conn.DisconnectNotify(): // it never closes by itself
	}
}

// clean gives the connection no more of a frame than what counts, under a number
// of ours: the library changes ids, and closes on what it cannot decode.
func (d *desk) clean(line []byte, h head) ([]byte, bool) {
	if !gjson.ValidBytes(line) {
		return nil, false
	}
	msg := struct {
		ID     *uint64         `json:"id,omitempty"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params,omitempty"`
	}{Method: string(h.method)}
	if params, ok := whole(line).member("params"); ok && params.IsObject() {
		msg.Params = json.RawMessage(params.Raw)
	}
	if h.id != nil {
		d.mu.Lock()
		d.n++
		n := d.n
		d.ids[n] = bytes.Clone(h.id)
		d.mu.Unlock()
		msg.ID = &n
	}
	clean, err := json.Marshal(msg)
	return clean, err == nil
}

// ReadObject gives the connection the next frame that was set aside.
func (d *desk) ReadObject(v any) error {
	select {
	case line := <-d.lines:
		if err := json.Unmarshal(line, v); err != nil {
			d.done <- struct{}{}
			return err
		}
		return nil
	case <-d.ended:
		return io.EOF
	}
}

// WriteObject puts an answer into the outbox, under the id that the client sent.
func (d *desk) WriteObject(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var r struct {
		ID     uint64           `json:"id"`
		Result *json.RawMessage `json:"result"`
		Error  *jsonrpc2.Error  `json:"error"`
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return err
	}
	d.mu.Lock()
	id := d.ids[r.ID]
	delete(d.ids, r.ID)
	d.mu.Unlock()
	return d.face.outbox.put(answer(id, r.Result, r.Error))
}

// Close has nothing to close: the pipes are the client's.
func (d *desk) Close() error { return nil }

// end ends the connection.
func (d *desk) end() {
	d.once.Do(func() { close(d.ended) })
}

// answer makes a line that answers the request with the raw id.
func answer(id []byte, result *json.RawMessage, fault *jsonrpc2.Error) []byte {
	msg := struct {
		Version string           `json:"jsonrpc"`
		ID      json.RawMessage  `json:"id"`
		Result  *json.RawMessage `json:"result,omitempty"`
		Error   *jsonrpc2.Error  `json:"error,omitempty"`
	}{"2.0", id, result, fault}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(msg) != nil {
		return []byte("{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32603,\"message\":\"Internal error\"}}\n")
	}
	return b.Bytes()
}

// handle serves one of our own methods.
func (d *desk) handle(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) (any, error) {
	defer func() { d.done <- struct{}{} }()
	var params []byte
	if r.Params != nil {
		params = *r.Params
	}
	p := gjson.ParseBytes(params)
	switch r.Method {
	case methodContextUpdate:
		return struct{}{}, d.face.updateContext(p)
	case methodScopeUpdate:
		return struct{}{}, d.face.updateScope(p)
	}
	return nil, &jsonrpc2.Error{Code: stdio.CodeMethod, Message: "Method not found: " + r.Method}
}

// updateContext notes what the person looks at now. The turn that runs keeps
// what it began with.
func (f *Face) updateContext(p gjson.Result) error {
	said, err := readFocus(p)
	if err != nil { // which a notification has no other way to learn
		f.cfg.Log.Warn().Msg(methodContextUpdate + " is ignored: " + err.Error())
		return paramsError("params must be an object with sessionId, rev and documentId: " + err.Error())
	}
	return f.withSession(p, func(_ *state, s *session) {
		f.checkFocus(s, said)
		s.focus = newer(s.focus, said)
	})
}

// updateScope narrows what the session may do, at once. Where one agent process
// has one scope, it is the process's that is narrowed.
func (f *Face) updateScope(p gjson.Result) error {
	scope := p.Get("scope")
	if !scope.IsObject() {
		return paramsError("params must be an object with sessionId and scope")
	}
	asked, err := tools.ParseGrant([]byte(scope.Raw)) // an unknown level narrows to nothing
	if err != nil {
		f.cfg.Log.Warn().Msg(methodScopeUpdate + " cannot be read and changes nothing")
		return paramsError("scope is no access scope: " + shortened(err))
	}
	return f.withSession(p, func(st *state, s *session) { f.narrow(st, s, asked) })
}

// withSession changes the session that a frame names.
func (f *Face) withSession(p gjson.Result, change func(*state, *session)) error {
	found := false
	f.update(func(st *state) {
		if s := st.sessions[p.Get("sessionId").String()]; s != nil {
			found = true
			change(st, s)
		}
	})
	if !found {
		return paramsError("sessionId names no session of this agent")
	}
	return nil
}

func paramsError(text string) error {
	return &jsonrpc2.Error{Code: stdio.CodeParams, Message: "Invalid params: " + text}
}

// silent takes what the library has to say, which may quote a frame.
type silent struct{}

// Printf says nothing.
func (silent) Printf(string, ...any) {}
