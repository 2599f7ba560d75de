//go:build unix

package stdio

import (
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
)

func writeRaw(fd int, text string) { _, _ = syscall.Write(fd, []byte(text)) }

func TestSignalsEndTheProcess(t *testing.T) {
	t.Parallel()
	// Under nohup SIGHUP is ignored, and a child inherits that but no handler.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	for name, s := range map[string]syscall.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "HUP": syscall.SIGHUP} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, nil, "be-server")
			p.alive()
			_ = p.cmd.Process.Signal(s)
			p.exited(atMost, 0)
		})
	}
}

// Trap 20, through a real signal: a handler that ignores its context holds the
// process no longer than the grace time.
func TestTrap20SignalWithACallThatHangs(t *testing.T) {
	t.Parallel()
	p := start(t, nil, "be-server")
	_, _ = io.WriteString(p.stdin, `{"jsonrpc":"2.0","id":9,"method":"hang"}`+"\n")
	p.alive()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	p.exited(2*atMost, 0)
}

func TestLifeEndsAProcessThatDoesNotLeave(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]bool{"after the grace time": false, "at a second signal": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := start(t, nil, "be-stuck")
			p.expect("ready")
			_ = p.cmd.Process.Signal(syscall.SIGTERM)
			if again {
				_ = p.cmd.Process.Signal(syscall.SIGINT)
			}
			p.exited(2*atMost, 41)
		})
	}
}

// Started with no stderr at all, or under nohup, it serves all the same.
func TestB23StderrWasNeverOpen(t *testing.T) {
	t.Parallel()
	p := startCommand(t, nil, exec.Command("/bin/sh", "-c", `exec "$0" be-server 2>&-`, os.Args[0]))
	p.alive()
	p.ask(`{"jsonrpc":"2.0","id":1,"method":"log"}`, `{"jsonrpc":"2.0","id":1,"result":{}}`)
	_ = p.stdin.Close()
	p.exited(atMost, 0)
}

func TestLifeKeepsAnIgnoredHangUp(t *testing.T) {
	t.Parallel()
	p := startCommand(t, nil, exec.Command("/bin/sh", "-c", `trap "" HUP; exec "$0" be-server`, os.Args[0]))
	_, _ = io.WriteString(p.stdin, `{"jsonrpc":"2.0","id":9,"method":"wait"}`+"\n")
	p.alive()
	_ = p.cmd.Process.Signal(syscall.SIGHUP)
	for range 500 { // among these nothing that waits for the end is answered
		p.alive()
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	p.expect(`{"jsonrpc":"2.0","id":9,"result":{}}`)
	p.exited(atMost, 0)
}
