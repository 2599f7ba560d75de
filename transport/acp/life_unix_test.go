//go:build unix

package acp

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// cycles is how often the crash tests go round; the bar is 1000.
var cycles = flag.Int("cycles", 15, "how often agent, client and proxy crash")

// roleVar makes the test binary play a part.
const roleVar = "ACP_TEST_ROLE"

func TestMain(m *testing.M) {
	role, play := os.LookupEnv(roleVar)
	if !play {
		os.Exit(m.Run())
	}
	os.Exit(parts[role]())
}

// parts are what the test binary can be, with their exit codes.
var parts = map[string]func() int{
	"deaf":     deaf,
	"echo-pid": echoPid,
	// echo gives every byte back.
	"echo": func() int {
		fmt.Fprintln(os.Stderr, "agent is", os.Getpid())
		_, _ = io.Copy(os.Stdout, os.Stdin)
		return 0
	},
	// seven has a last word.
	"seven": func() int {
		fmt.Println(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		return 7
	},
	// crasher dies of the second line, and says of what.
	"crasher": func() int {
		in := bufio.NewReader(os.Stdin)
		for range 2 {
			_, _ = in.ReadString('\n')
		}
		fmt.Fprint(os.Stderr, "goroutine 1\npanic: no <key>\n\n")
		return 2
	},
	// mute dies of the second line without a word.
	"mute": func() int {
		in := bufio.NewReader(os.Stdin)
		for range 2 {
			_, _ = in.ReadString('\n')
		}
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	},
	// longliner answers the second line with one that does not end.
	"longliner": func() int {
		in := bufio.NewReader(os.Stdin)
		for range 2 {
			_, _ = in.ReadString('\n')
		}
		fmt.Print(`{"jsonrpc":"2.0","method":"_x/long","params":"`)
		for {
			if _, err := io.WriteString(os.Stdout, strings.Repeat("x", 1<<16)); err != nil {
				return 1
			}
		}
	},
	// deaf-reader reads all and answers nothing.
	"deaf-reader": func() int {
		_, _ = io.Copy(io.Discard, os.Stdin)
		return 0
	},
	// killed ends by a signal.
	"killed": func() int {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	},
	// stubborn takes no hint, and has a child that does not either.
	"stubborn": func() int {
		signal.Ignore(syscall.SIGTERM)
		grandchild()
		select {}
	},
	// leaver leaves a child behind that holds its stdout open.
	"leaver": func() int {
		grandchild()
		return 3
	},
	"sleeper": func() int {
		signal.Ignore(syscall.SIGTERM)
		time.Sleep(time.Hour)
		return 0
	},
	// flood answers a line with many updates.
	"flood": func() int {
		batch := bytes.Repeat([]byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"`+strings.Repeat("x", 160)+`"}}}}`+"\n"), 200)
		in := bufio.NewReader(os.Stdin)
		for {
			if _, err := in.ReadString('\n'); err != nil {
				return 0
			}
			for range floodSize / 200 {
				if _, err := os.Stdout.Write(batch); err != nil {
					return 1
				}
			}
		}
	},
	// relay is what an agent starts.
	"relay": func() int {
		if err := Attach(context.Background(), os.Getenv(VarSocket), os.Getenv(VarTicket), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	},
	// proxy is a face between its own stdio and an echo agent.
	"proxy": func() int {
		streams := stdio.TakeOver()
		code, err := New(Config{
			Agent: []string{os.Args[0]}, Env: as(cmp.Or(os.Getenv("ACP_TEST_AGENT"), "echo")), In: streams.In, Out: streams.Out, Self: os.Args[0],
			SocketDirs: []string{os.Getenv("ACP_TEST_SOCKETS")}, Snapshot: nil,
			Open: func(plugin.SessionConfig) Session { return nil },
		}).Run(context.Background())
		if err != nil {
			return 99
		}
		return code
	},
}

// grandchild starts a sleeper and says so.
func grandchild() {
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stdout, cmd.Stderr = as("sleeper"), os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	fmt.Printf("{\"pid\":%d}\n", cmd.Process.Pid)
}

func as(role string) []string { return append(os.Environ(), roleVar+"="+role) }

// runner is a face that runs a real process.
type runner struct {
	*rig
	code chan int
	stop context.CancelCauseFunc
	in   *io.PipeWriter
}

func run(t *testing.T, role string, change func(*Config)) *runner {
	t.Helper()
	r := &rig{t: t, log: &lockedBuffer{}, noise: &lockedBuffer{}}
	clientIn, in := io.Pipe()
	out, clientOut := io.Pipe()
	cfg := testConfig(t, r)
	cfg.Agent, cfg.Env, cfg.In, cfg.Out, cfg.Grace = []string{os.Args[0]}, as(role), clientIn, clientOut, patience
	if change != nil {
		change(&cfg)
	}
	r.client = player{in, linesOf(out)}
	ctx, stop := context.WithCancelCause(t.Context())
	u := &runner{r, make(chan int, 1), stop, in}
	r.face = New(cfg)
	go func() {
		code, err := r.face.Run(ctx)
		if err != nil {
			t.Log(err)
		}
		clientOut.Close()
		u.code <- code
	}()
	t.Cleanup(func() { out.Close(); clientIn.Close() })
	return u
}

func (u *runner) ends(t *testing.T, want int) {
	t.Helper()
	select {
	case code := <-u.code:
		if code != want {
			t.Errorf("the exit code is %d, want %d", code, want)
		}
	case <-time.After(patience):
		t.Fatal("it does not end")
	}
}

// gone waits until a process is no more.
func gone(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if errors.Is(unix.Kill(pid, 0), unix.ESRCH) || zombie(pid) {
			return
		}
	}
	t.Errorf("process %d is left", pid)
}

// zombie says that a process has ended and only its parent (this container's
// init, say) has not looked.
func zombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, ok := strings.Cut(string(stat), ") ")
	return err == nil && ok && strings.HasPrefix(state, "Z")
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	for role, want := range map[string]int{"seven": 7, "killed": 137} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			u := run(t, role, nil)
			if role == "seven" {
				if got := u.client.hear(t); got != `{"jsonrpc":"2.0","id":1,"result":{}}`+"\n" {
					t.Errorf("its last word is %q", got)
				}
			}
			u.ends(t, want)
			if said := strings.Contains(u.log.String(), `"signal":"killed"`); said != (role == "killed") {
				t.Errorf("the log says %s", u.log)
			}
		})
	}
}

// The client's end is the agent's, the last line without a line end included.
func TestClientLeaves(t *testing.T) {
	t.Parallel()
	u := run(t, "echo", nil)
	u.client.say(t, `{"jsonrpc":"2.0","id":13,"method":"_x/last"}`)
	u.in.Close()
	if got := u.client.hear(t); got != `{"jsonrpc":"2.0","id":13,"method":"_x/last"}` {
		t.Errorf("the agent said %q", got)
	}
	u.ends(t, 0)
}

// An agent that takes no hint is ended with all that it started.
func TestStubborn(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(*runner){
		"end of stdin": func(u *runner) { u.in.Close() },
		"signal":       func(u *runner) { u.stop(&stdio.End{Signal: syscall.SIGTERM}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := run(t, "stubborn", func(c *Config) { c.Grace = 100 * time.Millisecond })
			pid := pidIn(t, u.client.hear(t))
			leave(u)
			u.ends(t, 137)
			gone(t, pid)
		})
	}
}

// A child that holds the agent's stdout keeps nobody waiting for long.
func TestLeaver(t *testing.T) {
	t.Parallel()
	u := run(t, "leaver", nil)
	pid := pidIn(t, u.client.hear(t))
	u.ends(t, 3)
	gone(t, pid)
}

func pidIn(t *testing.T, line string) int {
	t.Helper()
	pid, err := strconv.Atoi(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(line), `{"pid":`), "}"))
	if err != nil {
		t.Fatal(err)
	}
	return pid
}

// With --crash-replies nobody waits for a dead agent, and each is told its last
// words, which still reach stderr whole.
func TestCrashReplies(t *testing.T) {
	t.Parallel()
	for role, want := range map[string]struct {
		code       int
		data, said string
	}{
		"crasher": {2, `,"data":{"stderr":"panic: no <key>"}`, "goroutine 1\npanic: no <key>\n\n"},
		"mute":    {137, "", ""},
	} {
		t.Run(role, func(t *testing.T) {
			t.Parallel()
			stderr, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
			if err != nil {
				t.Fatal(err)
			}
			defer stderr.Close()
			u := run(t, role, func(c *Config) { c.CrashReplies, c.AgentErr = true, stderr })
			u.client.say(t, `{"jsonrpc":"2.0","id":"a","method":"session/list"}`+"\n"+`{"jsonrpc":"2.0","method":"_x/die"}`+"\n")
			reply := fmt.Sprintf(`{"jsonrpc":"2.0","id":"a","error":{"code":-32603,"message":"agent exited (%d)"`, want.code)
			got := u.client.hear(t)
			if got != reply+want.data+"}}\n" && got != reply+`,"data":null}}`+"\n" {
				t.Errorf("the client got %q", got)
			}
			u.ends(t, want.code)
			if said, err := os.ReadFile(stderr.Name()); string(said) != want.said || err != nil {
				t.Errorf("stderr holds %q, %v", said, err)
			}
		})
	}
}

// A line too long to pass ends the agent, and nobody waits for it either: not
// behind the half of a line that was passed.
func TestTooLongCrashReplies(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"from the client": `{"jsonrpc":"2.0","method":"_x/y","params":"` + strings.Repeat("x", 4<<20) + "\"}\n",
		"from the agent":  `{"jsonrpc":"2.0","method":"_x/flood"}` + "\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			role := map[bool]string{true: "longliner", false: "deaf-reader"}[name == "from the agent"]
			u := run(t, role, func(c *Config) { c.MaxFrame, c.CrashReplies = 2<<20, true })
			go io.WriteString(u.in, `{"jsonrpc":"2.0","id":"a","method":"session/list"}`+"\n"+line)
			got := u.client.hear(t)
			if role == "longliner" && strings.HasPrefix(got, `{"jsonrpc":"2.0","method":"_x/long`) {
				got = u.client.hear(t)
			}
			if !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":"a","error":{"code":-32603,"message":"mnote-host ended the agent: `) {
				t.Errorf("the client got %.200q", got)
			}
			u.ends(t, 1)
		})
	}
}

// Only the end of what an agent says on stderr is remembered.
func TestLastWords(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 3*maxTail)
	for said, want := range map[string]string{
		"": "", "\n \r\n": "", "one\ntwo\r\n\n": "two", "half": "half", "a\n\xff!": "\uFFFD!",
		long: long[:maxTail], long + "\nshort\n": "short",
	} {
		w := &lastWords{to: io.Discard}
		for piece := range strings.SplitAfterSeq(said, "o") {
			_, _ = io.WriteString(w, piece)
		}
		if got := w.line(); got != want || len(w.tail) > maxTail {
			t.Errorf("of %.20q %q is left", said, got)
		}
	}
}

// A line above the cap cannot be skipped, so it ends all.
func TestTooLong(t *testing.T) {
	t.Parallel()
	u := run(t, "echo", func(c *Config) { c.MaxFrame = 1 << 10 })
	go io.WriteString(u.in, `{"jsonrpc":"2.0","method":"_x/y","params":"`+strings.Repeat("x", 1<<22)+"\"}\n")
	u.ends(t, 1)
}

func TestNoSuchAgent(t *testing.T) {
	t.Parallel()
	u := run(t, "echo", func(c *Config) { c.Agent = []string{"no-such-agent-anywhere"} })
	u.ends(t, 1)
}

// TestCrashCycles ends agent, client and proxy the hard way, over and over:
// nothing is left running, and no socket is left where the next start looks.
func TestCrashCycles(t *testing.T) {
	t.Parallel()
	sockets := filepath.Join(t.TempDir(), "s")
	for i := range *cycles {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(as("proxy"), "ACP_TEST_SOCKETS="+sockets)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		agent := agentPid(t, stderr)
		fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"_x/y"}`)
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		switch i % 3 {
		case 0:
			_ = syscall.Kill(agent, syscall.SIGKILL)
		case 1: // the client: both of its pipes break
			in.Close()
			out.Close()
		case 2:
			_ = cmd.Process.Kill()
		}
		_ = cmd.Wait()
		in.Close()
		gone(t, agent)
	}
	left, _ := filepath.Glob(filepath.Join(sockets, "*.sock"))
	if len(left) > 1 { // that of the last proxy killed
		t.Errorf("%d sockets are left", len(left))
	}
}

func agentPid(t *testing.T, stderr io.Reader) int {
	t.Helper()
	in := bufio.NewReader(stderr)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatalf("the agent said nothing: %v", err)
		}
		if pid, ok := strings.CutPrefix(strings.TrimSpace(line), "agent is "); ok {
			go io.Copy(io.Discard, in)
			n, err := strconv.Atoi(pid)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
}
