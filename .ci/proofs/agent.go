package proofs

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// patience is how long an agent waits for one answer; the host promises one
// within 60 s.
const patience = 90 * time.Second

var (
	errGone   = errors.New("the host is gone")
	errSilent = errors.New("the host does not answer")
)

// agent is one host process and its client.
type agent struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	stderr *tail
	gone   chan struct{} // closed when the host's stdout ended

	mu    sync.Mutex
	next  int
	waits map[string]chan []byte
}

// start runs a host on the box and greets it.
func (b *box) start(flags ...string) (*agent, error) {
	return b.startBy(exec.Command(host, b.args(flags...)...))
}

func (b *box) startBy(cmd *exec.Cmd) (*agent, error) {
	a := &agent{cmd: cmd, stderr: &tail{}, gone: make(chan struct{}), waits: map[string]chan []byte{}}
	a.cmd.Env = append(os.Environ(), "HOME="+b.home, "NO_COLOR=1")
	a.cmd.Stderr = a.stderr
	var err error
	if a.in, err = a.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if a.out, err = a.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	if err := a.cmd.Start(); err != nil {
		return nil, err
	}
	b.mu.Lock()
	b.agents = append(b.agents, a)
	b.mu.Unlock()
	go a.listen()
	if _, err := a.ask("initialize", greeting); err != nil {
		return a, fmt.Errorf("greet the host: %w\n%s", err, a.stderr)
	}
	return a, a.say(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
}

var greeting = map[string]any{
	"protocolVersion": "2025-06-18", "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "proofs", "version": "1"},
}

// listen hands each answer to who waits for it.
func (a *agent) listen() {
	defer close(a.gone)
	lines := bufio.NewReaderSize(a.out, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var frame struct {
			ID json.RawMessage `json:"id"`
		}
		if json.Unmarshal(line, &frame) != nil || len(frame.ID) == 0 {
			continue
		}
		a.mu.Lock()
		wait := a.waits[string(frame.ID)]
		delete(a.waits, string(frame.ID))
		a.mu.Unlock()
		if wait != nil {
			wait <- line
		}
	}
}

func (a *agent) say(frame map[string]any) error {
	line, err := json.Marshal(frame)
	if err != nil {
		return err
	}
	if _, err := a.in.Write(append(line, '\n')); err != nil {
		return errGone
	}
	return nil
}

// send puts a request on the wire; what comes is its answer's line.
func (a *agent) send(method string, params any) (<-chan []byte, error) {
	wait := make(chan []byte, 1)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.next++
	id := strconv.Itoa(a.next)
	a.waits[id] = wait
	return wait, a.say(map[string]any{"jsonrpc": "2.0", "id": a.next, "method": method, "params": params})
}

func (a *agent) await(wait <-chan []byte) ([]byte, error) {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case line := <-wait:
		return line, nil
	case <-timer.C:
		return nil, errSilent
	case <-a.gone:
	}
	select { // the last answer and the end may come together
	case line := <-wait:
		return line, nil
	default:
		return nil, errGone
	}
}

func (a *agent) ask(method string, params any) ([]byte, error) {
	wait, err := a.send(method, params)
	if err != nil {
		return nil, err
	}
	return a.await(wait)
}

// call runs one tool. A refusal is an envelope; an error means that no answer
// came. When the host says that the session calls too often, it is called again
// after the time that it names.
func (a *agent) call(tool string, args map[string]any) (envelope, error) {
	for {
		env, err := a.callOnce(tool, args)
		if err != nil || env.code() != "mnote_tool_rate_limited" {
			return env, err
		}
		wait, _ := env.Error.Details["retryAfterMs"].(float64)
		time.Sleep(time.Duration(max(wait, 1)) * time.Millisecond)
	}
}

func (a *agent) callOnce(tool string, args map[string]any) (envelope, error) {
	line, err := a.ask("tools/call", map[string]any{"name": tool, "arguments": args})
	if err != nil {
		return envelope{}, err
	}
	return open(line)
}

// kill ends the host as a power switch would.
func (a *agent) kill() {
	_ = a.cmd.Process.Kill()
	_, _ = a.cmd.Process.Wait()
	_ = a.out.Close()
}

// leave closes stdin, as a client does that ends, and waits for the host's own end.
func (a *agent) leave() error {
	_ = a.in.Close()
	<-a.gone
	return a.cmd.Wait()
}

func (a *agent) signal(s syscall.Signal) { _ = a.cmd.Process.Signal(s) }

// tail keeps the last of what a host says on stderr.
type tail struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.buf.Len() > 64<<10 {
		t.buf.Next(32 << 10)
	}
	return t.buf.Write(p)
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.buf.String()
}
