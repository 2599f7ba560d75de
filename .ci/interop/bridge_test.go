package interop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"sync"
	"testing"
)

// bridge speaks MCP's streamable HTTP for a server on stdio, so that a suite
// that knows no stdio can test one: a process for each legacy session, one for
// all stateless requests. What HTTP alone asks for (status codes, sessions,
// origins, the version's header) is its own; all else is the server's.
type bridge struct {
	*httptest.Server
	t     *testing.T
	start func() *exec.Cmd

	mu       sync.Mutex
	sessions map[string]*pipe
	modern   *pipe
}

func newBridge(t *testing.T, start func() *exec.Cmd) *bridge {
	t.Helper()
	b := &bridge{t: t, start: start, sessions: map[string]*pipe{}}
	b.Server = httptest.NewServer(http.HandlerFunc(b.serve))
	t.Cleanup(b.end)
	return b
}

// end stops serving and every process, and expects each to leave as it should.
func (b *bridge) end() {
	b.CloseClientConnections()
	b.Close()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, p := range b.sessions {
		p.end()
	}
	if b.modern != nil {
		b.modern.end()
	}
}

const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"
	versionMember = "io.modelcontextprotocol/protocolVersion"
	modernVersion = "2026-07-28"
)

func (b *bridge) serve(w http.ResponseWriter, r *http.Request) {
	switch {
	case !local(r.Host) || !local(r.Header.Get("Origin")):
		http.Error(w, "only this machine", http.StatusForbidden)
	case r.Method == http.MethodDelete:
		b.forget(w, r.Header.Get(sessionHeader))
	case r.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
	default:
		b.post(w, r)
	}
}

// local reports whether a host or origin is this machine, or none.
func local(s string) bool {
	if s == "" {
		return true
	}
	if u, err := url.Parse(s); err == nil && u.Host != "" {
		s = u.Host
	}
	u := url.URL{Host: s}
	return u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1" || u.Hostname() == "::1"
}

func (b *bridge) forget(w http.ResponseWriter, id string) {
	b.mu.Lock()
	p := b.sessions[id]
	delete(b.sessions, id)
	b.mu.Unlock()
	if p == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	p.end()
	w.WriteHeader(http.StatusNoContent)
}

// message is what the bridge reads of one.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Meta map[string]json.RawMessage `json:"_meta"`
	} `json:"params"`
	Error *struct {
		Code int `json:"code"`
	} `json:"error"`
}

// version gives the protocol version that a message says of itself.
func (m message) version() (v string) {
	_ = json.Unmarshal(m.Params.Meta[versionMember], &v)
	return v
}

func (b *bridge) post(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var m message
	if err != nil || json.Unmarshal(body, &m) != nil {
		http.Error(w, "no JSON-RPC message", http.StatusBadRequest)
		return
	}
	said := r.Header.Get(versionHeader)
	modern := m.version() >= modernVersion || said >= modernVersion
	if v := m.version(); modern && said != "" && v != "" && v != said {
		fmt.Fprint(reply(w, http.StatusBadRequest), `{"jsonrpc":"2.0","id":`, string(m.ID), `,"error":{"code":-32020,"message":"the header and the body name two versions"}}`)
		return
	}
	p := b.pipe(w, r.Header.Get(sessionHeader), m, modern)
	switch {
	case p == nil:
		w.WriteHeader(http.StatusNotFound)
	case m.Method == "" || m.ID == nil: // an answer or a notification
		p.write(body)
		w.WriteHeader(http.StatusAccepted)
	default:
		p.exchange(w, r, body, m, modern)
	}
}

// pipe finds the process that serves a message; nil for a session that is over.
func (b *bridge) pipe(w http.ResponseWriter, session string, m message, modern bool) *pipe {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case modern:
		if b.modern == nil {
			b.modern = newPipe(b.t, b.start())
		}
		return b.modern
	case m.Method == "initialize":
		session = fmt.Sprintf("session-%d", len(b.sessions)+1)
		b.sessions[session] = newPipe(b.t, b.start())
		w.Header().Set(sessionHeader, session)
	}
	return b.sessions[session]
}

func reply(w http.ResponseWriter, status int) http.ResponseWriter {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	return w
}

// status is the HTTP status of an answer in the modern era.
func status(line []byte, modern bool) int {
	var m message
	if json.Unmarshal(line, &m) != nil || m.Error == nil || !modern {
		return http.StatusOK
	}
	switch m.Error.Code {
	case -32601:
		return http.StatusNotFound
	case -32600, -32602, -32020, -32021, -32022:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// exchange sends a request and passes on all that belongs to it: alone as JSON,
// as a stream when something comes before the answer.
func (p *pipe) exchange(w http.ResponseWriter, r *http.Request, body []byte, m message, modern bool) {
	e := p.open(m)
	defer p.close(e)
	p.write(e.outward(body))
	streaming := false
	for {
		select {
		case line, ok := <-e.lines:
			if !ok {
				return
			}
			final := bytes.HasPrefix(line, finalMark)
			line = e.inward(bytes.TrimPrefix(line, finalMark))
			if final && !streaming {
				_, _ = reply(w, status(line, modern)).Write(line)
				return
			}
			if !streaming {
				w.Header().Set("Content-Type", "text/event-stream")
				streaming = true
			}
			fmt.Fprintf(w, "event: message\ndata: %s\n\n", line)
			w.(http.Flusher).Flush()
			if final {
				return
			}
		case <-r.Context().Done():
			p.write([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + e.id + `}}`))
			return
		}
	}
}

// finalMark stands before the line that answers a request.
var finalMark = []byte("final:")

// swap replaces a raw value of a member wherever the member stands.
func swap(line []byte, member, from, to string) []byte {
	if from == "" {
		return line
	}
	for _, colon := range []string{`":`, `": `} {
		line = bytes.ReplaceAll(line, []byte(`"`+member+colon+from), []byte(`"`+member+colon+to))
	}
	return line
}
