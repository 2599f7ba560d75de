//go:build unix

package acp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/mnote-dev/mnote-host/transport/stdio"
)

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
