//go:build unix

package acp

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// deaf closes its stdin, says so, and goes on until it is told to end.
func deaf() int {
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM)
	os.Stdin.Close()
	fmt.Printf("{\"pid\":%d}\n", os.Getpid())
	<-told
	fmt.Println(`{"jsonrpc":"2.0","method":"_x/last"}`)
	return 5
}

// told is a line of the client's that says what it may not cost.
var told = []byte(`{"jsonrpc":"2.0","method":"_x/y","params":"` + strings.Repeat("x", 4<<10) + "\"}\n")

// An agent that reads no more but lives on stops nobody: what its client goes on
// to say is dropped, whole frames of any length, nothing of it is kept, and what
// the agent says still comes through. Its exit code is its own.
func TestDeafAgent(t *testing.T) {
	t.Parallel()
	p := begin(t, "proxy", "ACP_TEST_SOCKETS="+filepath.Join(t.TempDir(), "s"), "ACP_TEST_AGENT=deaf")
	line, err := p.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid := pidIn(t, line)
	for range 16 << 10 { // 64 MiB
		if _, err := p.in.Write(told); err != nil {
			t.Fatal(err)
		}
	}
	frame := `{"jsonrpc":"2.0","id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"image","data":"` + strings.Repeat("A", 32<<20) + "\"}]}}\n"
	if _, err := io.WriteString(p.in, frame); err != nil {
		t.Fatal(err)
	}
	if mb := peak(t, p.cmd.Process.Pid); mb > 64 {
		t.Errorf("the proxy has had %.0f MB", mb)
	}
	_ = syscall.Kill(pid, syscall.SIGTERM)
	if line, err = p.out.ReadString('\n'); err != nil || !strings.Contains(line, "_x/last") {
		t.Errorf("its last word is %q, %v", line, err)
	}
	if err := p.cmd.Wait(); p.cmd.ProcessState.ExitCode() != 5 {
		t.Errorf("it ended with %v", err)
	}
}

// An agent that stands still holds its client up as it would without us: nothing
// is read that it does not take, nothing is lost when it goes on.
func TestStoppedAgent(t *testing.T) {
	t.Parallel()
	p := begin(t, "proxy", "ACP_TEST_SOCKETS="+filepath.Join(t.TempDir(), "s"), "ACP_TEST_AGENT=echo-pid")
	line, err := p.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid := pidIn(t, line)
	halt(t, pid)
	const lines = 4 << 10 // 16 MiB
	var taken atomic.Int64
	done := make(chan error, 1)
	go func() {
		for range lines {
			if _, err := p.in.Write(told); err != nil {
				done <- err
				return
			}
			taken.Add(1)
		}
		done <- p.in.Close()
	}()
	stalled(t, &taken)
	if n := taken.Load(); n >= lines/4 {
		t.Errorf("%d of %d lines were taken for an agent that takes none", n, lines)
	}
	if mb := peak(t, p.cmd.Process.Pid); mb > 64 {
		t.Errorf("the proxy has had %.0f MB", mb)
	}
	_ = syscall.Kill(pid, syscall.SIGCONT)
	for i := range lines {
		got, err := p.out.ReadString('\n')
		if err != nil || got != string(told) {
			t.Fatalf("line %d came as %.80q, %v", i, got, err)
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

// Who tells us to end need not wait for an agent that stands still, though the
// client's pump is stuck in a write to it.
func TestStoppedAgentEnds(t *testing.T) {
	t.Parallel()
	u := run(t, "echo-pid", func(c *Config) { c.Grace = 100 * time.Millisecond })
	pid := pidIn(t, u.client.hear(t))
	halt(t, pid)
	var taken atomic.Int64
	go func() {
		for {
			if _, err := u.in.Write(told); err != nil {
				return
			}
			taken.Add(1)
		}
	}()
	stalled(t, &taken)
	u.stop(&stdio.End{Signal: syscall.SIGTERM})
	u.ends(t, 137)
	gone(t, pid)
}

// halt stops a process and waits until it stands.
func halt(t *testing.T, pid int) {
	t.Helper()
	_ = syscall.Kill(pid, syscall.SIGSTOP)
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err != nil || strings.Contains(string(stat), ") T ") {
			return // where there is no /proc, the signal has to do
		}
	}
	t.Fatal("it does not stop")
}

// stalled waits until a count has not changed for a while.
func stalled(t *testing.T, n *atomic.Int64) {
	t.Helper()
	const looks = 50
	for end, before, same := time.Now().Add(patience), int64(-1), 0; same < looks; time.Sleep(10 * time.Millisecond) {
		now := n.Load()
		if same++; now != before {
			before, same = now, 0
		}
		if time.Now().After(end) {
			t.Fatal("it is taken without end")
		}
	}
}

// echoPid is echo, and says first who it is.
func echoPid() int {
	fmt.Printf("{\"pid\":%d}\n", os.Getpid())
	_, _ = io.Copy(os.Stdout, bufio.NewReader(os.Stdin))
	return 0
}
