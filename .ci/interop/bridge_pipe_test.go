package interop

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
)

// pipe is one server process and what is asked of it at the moment.
type pipe struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser

	mu    sync.Mutex
	last  int
	asked map[string]*exchange // by the id that the server sees
}

// exchange is one request that is out. The server sees ids and progress tokens
// of the pipe's making, since clients of different connections use the same.
type exchange struct {
	id, theirs    string // raw
	token, wanted string // raw
	lines         chan []byte
}

func newPipe(t *testing.T, cmd *exec.Cmd) *pipe {
	t.Helper()
	cmd.Stderr = os.Stderr
	in, out := started(t, cmd)
	p := &pipe{t: t, cmd: cmd, in: in, asked: map[string]*exchange{}}
	go p.read(out)
	return p
}

// end closes stdin, which is how a client ends a server.
func (p *pipe) end() {
	p.in.Close()
	if err := p.cmd.Wait(); err != nil {
		p.t.Errorf("the server left with %v", err)
	}
}

func (p *pipe) write(line []byte) {
	var compact bytes.Buffer
	if json.Compact(&compact, line) != nil {
		compact.Write(line)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = p.in.Write(append(compact.Bytes(), '\n')) // a dead server fails the exchange
}

func (p *pipe) open(m message) *exchange {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	e := &exchange{id: fmt.Sprint(p.last), theirs: string(m.ID), lines: make(chan []byte, 64)}
	if token := m.Params.Meta["progressToken"]; token != nil {
		e.wanted, e.token = string(token), fmt.Sprintf(`"token-%d"`, p.last)
	}
	p.asked[e.id] = e
	return e
}

func (p *pipe) close(e *exchange) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.asked, e.id)
}

// outward gives a request as the server sees it.
func (e *exchange) outward(body []byte) []byte {
	var m map[string]json.RawMessage
	_ = json.Unmarshal(body, &m) // read once already
	m["id"] = json.RawMessage(e.id)
	line, _ := json.Marshal(m)
	return swap(line, "progressToken", e.wanted, e.token)
}

// inward gives a line of the server's as the client may see it.
func (e *exchange) inward(line []byte) []byte {
	line = swap(line, "progressToken", e.token, e.wanted)
	line = swap(line, "io.modelcontextprotocol/subscriptionId", e.id, e.theirs)
	var m map[string]json.RawMessage
	if json.Unmarshal(line, &m) == nil && m["method"] == nil {
		m["id"] = json.RawMessage(e.theirs)
		line, _ = json.Marshal(m)
	}
	return line
}

// read hands each line of the server to the exchange that it belongs to.
func (p *pipe) read(out io.Reader) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			p.mu.Lock()
			defer p.mu.Unlock()
			for id, e := range p.asked {
				close(e.lines)
				delete(p.asked, id)
			}
			return
		}
		p.route(bytes.TrimSpace(line))
	}
}

func (p *pipe) route(line []byte) {
	var m struct {
		message
		Params struct {
			Token json.RawMessage            `json:"progressToken"`
			Meta  map[string]json.RawMessage `json:"_meta"`
		} `json:"params"`
	}
	if json.Unmarshal(line, &m) != nil {
		p.t.Errorf("the server wrote %q", line)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if m.Method == "" {
		if e := p.asked[string(m.ID)]; e != nil {
			e.lines <- append(bytes.Clone(finalMark), line...)
		}
		return
	}
	e := p.asked[string(m.Params.Meta["io.modelcontextprotocol/subscriptionId"])]
	for _, other := range p.asked {
		switch {
		case m.Params.Token != nil && other.token == string(m.Params.Token):
			e = other
		case m.Params.Token == nil && e == nil && m.Params.Meta == nil:
			e = other // a log line, or a question of the server's: the one call of its session
		}
	}
	if e != nil {
		e.lines <- bytes.Clone(line)
	}
}
