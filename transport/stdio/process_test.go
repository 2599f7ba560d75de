package stdio

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestMain lets the test binary be the processes that the tests start.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "be-server":
			os.Exit(beServer(TakeOver(), Life{}))
		case "be-stuck":
			beStuck(TakeOver())
		case "be-loop":
			os.Exit(beLoop(TakeOver()))
		case "be-launcher":
			os.Exit(beLauncher())
		}
	}
	os.Exit(m.Run())
}

// beServer is a program like ours: it serves one peer and leaves.
func beServer(streams Streams, life Life) int {
	ctx, stop := life.Begin(context.Background())
	defer stop()
	defer streams.Flush()
	fmt.Println("stray print")
	println("stray println")
	err := NewPeer(Config{In: streams.In, Out: streams.Out, Handler: server{streams}, Log: logTo(streams.Err)}).Run(ctx)
	if err != nil && !errors.As(err, new(*End)) {
		return 1
	}
	return 0
}

// server is what the subprocess answers.
type server struct{ streams Streams }

func (server) Inline(string) bool { return false }

func (server) Notification(context.Context, Request) {}

func (s server) Request(ctx context.Context, r Request) Reply {
	switch r.Method {
	case "wait":
		<-ctx.Done()
	case "hang":
		select {}
	case "size":
		return Reply{Result: json.RawMessage(strconv.Itoa(len(r.Params)))}
	case "log": // more than any pipe holds
		line := []byte(strings.Repeat("x", 1023) + "\n")
		for range 1024 {
			_, _ = s.streams.Err.Write(line)
		}
	case "child":
		cmd := exec.Command(os.Args[0], "-test.run=^$", "-test.v")
		cmd.Stdout = os.Stdout
		if err := cmd.Run(); err != nil {
			return Reply{Fault: RequestFault(err.Error())}
		}
	case "raw":
		writeRaw(1, "stray write to descriptor 1\n")
	}
	return ok()
}

// beStuck is a program that does not leave when its context ends.
func beStuck(streams Streams) {
	_, _ = Life{Exit: func(code int) { os.Exit(40 + code) }}.Begin(context.Background())
	_, _ = io.WriteString(streams.Out, "ready\n")
	select {}
}

// beLauncher starts a server and waits to be killed. The server gets our own
// stdin and stdout, or with "own" a stdin that only we hold.
func beLauncher() int {
	cmd := exec.Command(os.Args[0], "be-server")
	cmd.Stdin, cmd.Stdout = os.Stdin, os.Stdout
	if os.Args[2] == "own" {
		cmd.Stdin = nil
		w, err := cmd.StdinPipe()
		if err != nil {
			return 1
		}
		go func() { _, _ = io.Copy(w, os.Stdin); select {} }()
	}
	if err := cmd.Run(); err != nil {
		return 1
	}
	return 0
}

// process is a subprocess that speaks lines.
type process struct {
	t     *testing.T
	cmd   *exec.Cmd
	stdin io.WriteCloser
	lines chan string // closed when nobody holds its stdout any more
}

// start runs the test binary in a role. What it leaves open it closes itself.
func start(t *testing.T, stderr any, args ...string) *process {
	t.Helper()
	return startCommand(t, stderr, exec.Command(os.Args[0], args...))
}

func startCommand(t *testing.T, stderr any, cmd *exec.Cmd) *process {
	t.Helper()
	if w, ok := stderr.(io.Writer); ok {
		cmd.Stderr = w
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = w
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0") // else each lives a second longer
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	p := &process{t: t, cmd: cmd, stdin: stdin, lines: make(chan string, 4096)}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = stdin.Close(); _ = r.Close() })
	go func() {
		defer close(p.lines)
		lines := bufio.NewReader(r)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			p.lines <- line
		}
	}()
	return p
}

// ask sends a line and checks the next one that comes.
func (p *process) ask(line, want string) {
	p.t.Helper()
	if _, err := io.WriteString(p.stdin, line+"\n"); err != nil {
		p.t.Fatalf("send: %v", err)
	}
	p.expect(want)
}

func (p *process) expect(want string) {
	p.t.Helper()
	select {
	case got := <-p.lines:
		if diff := cmp.Diff(want+"\n", got); diff != "" {
			p.t.Fatalf("the line differs (-want +got):\n%s", diff)
		}
	case <-time.After(30 * time.Second):
		p.t.Fatal("no line for half a minute")
	}
}

func (p *process) alive() {
	p.t.Helper()
	p.ask(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`)
}

// gone waits until nobody holds the stdout: the process and all it started.
func (p *process) gone(limit time.Duration) {
	p.t.Helper()
	begin := time.Now()
	for {
		select {
		case line, more := <-p.lines:
			if !more {
				p.t.Logf("gone after %v", time.Since(begin).Round(time.Millisecond))
				return
			}
			p.t.Logf("a last line: %s", line)
		case <-time.After(limit):
			p.t.Fatalf("the process still lives after %v", limit)
		}
	}
}

// exited waits for the process itself and checks its exit code.
func (p *process) exited(limit time.Duration, code int) {
	p.t.Helper()
	p.gone(limit)
	_ = p.cmd.Wait()
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		p.t.Errorf("exit code %d, want %d", got, code)
	}
}

// atMost tells a process that ends without its client from one that hangs: it ends
// within two seconds, but a machine that is busy may hold it for longer.
const atMost = 20 * time.Second

func TestB23StdinCloses(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "be-server")
	p.alive()
	_ = p.stdin.Close()
	p.exited(atMost, 0)
}

func TestB23ParentIsKilled(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]string{
		"and the pipe ends with it":   "own",
		"and a sibling keeps it open": "shared",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, nil, "be-launcher", mode)
			p.alive()
			if err := p.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			p.gone(atMost)
		})
	}
}

func TestB23StderrIsClosed(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = r.Close()
	p := start(t, w, "be-server")
	_ = w.Close()
	p.alive()
	p.ask(`{"jsonrpc":"2.0","id":1,"method":"log"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	p.ask(`{"jsonrpc":"2.0","id":1,"method":"raw"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	p.alive()
	_ = p.stdin.Close()
	p.exited(atMost, 0)
}

func TestB23StderrIsNotRead(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	p := start(t, w, "be-server")
	_ = w.Close()
	p.ask(`{"jsonrpc":"2.0","id":1,"method":"log"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	p.alive()
	_ = p.stdin.Close()
	p.exited(atMost, 0)
}

func TestB23StdoutIsClosed(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "be-server")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = w
	_ = r.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	_, _ = io.WriteString(stdin, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n") // stdin stays open
	watchdog := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
	defer watchdog.Stop()
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 1 {
		t.Errorf("exit code %d, want 1: the connection broke, and no signal killed it", code)
	}
}

func TestB24LongLines(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "be-server")
	head, tail := `{"method":"size","params":["`, `"],"jsonrpc":"2.0","id":7}`
	for _, size := range []int{65535, 65536, 65537, 5 << 20, 16 << 20} {
		fill := size - len(head) - len(tail)
		p.ask(head+strings.Repeat("x", fill)+tail, fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"result":%d}`, fill+len(`[""]`)))
	}
	p.ask(head+strings.Repeat("x", 20<<20-len(head)-len(tail))+tail,
		`{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"Invalid request: a line of 20971520 bytes is longer than the limit of 16777216"}}`)
	p.alive()
	_ = p.stdin.Close()
	p.exited(atMost, 0)
}

func TestTrap01TenCallsThroughRealPipes(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "be-server")
	var piped bytes.Buffer
	for i := range 10 {
		fmt.Fprintf(&piped, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", i)
	}
	_, _ = p.stdin.Write(bytes.TrimSuffix(piped.Bytes(), []byte("\n")))
	_ = p.stdin.Close()
	answers := 0
	for range p.lines {
		answers++
	}
	if answers != 10 {
		t.Errorf("%d answers to 10 calls", answers)
	}
	p.exited(atMost, 0)
}

// Nothing but frames reaches stdout: not a print, not a child's output.
func TestTakeOver(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	p := start(t, &stderr, "be-server")
	p.alive()
	p.ask(`{"jsonrpc":"2.0","id":2,"method":"child"}`, `{"jsonrpc":"2.0","id":2,"result":{}}`)
	p.ask(`{"jsonrpc":"2.0","id":3,"method":"raw"}`, `{"jsonrpc":"2.0","id":3,"result":{}}`)
	p.ask(`{nope`, `{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error: invalid character 'n' looking for beginning of object key string"}}`)
	_ = p.stdin.Close()
	p.exited(atMost, 0)
	for _, want := range []string{"stray print\n", "stray println\n", "PASS\n", "stray write to descriptor 1\n", "a line was not served"} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("stderr lacks %q:\n%s", want, stderr.String())
		}
	}
}
