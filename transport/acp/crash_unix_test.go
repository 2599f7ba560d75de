//go:build unix

package acp

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// cycles is how often the crash tests go round; the bar is 1000.
var cycles = flag.Int("cycles", 15, "how often agent, client and proxy crash")

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
