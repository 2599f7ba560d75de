// Package child lets a test binary play other processes: killed, stopped, all at
// once. It is for tests only.
//
// A Role is what such a process does; a Process is one that plays it.
package child

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Role is what a process does with its arguments; its error is the exit.
type Role func(args []string) error

// mark tells a process that plays a role from one that runs tests.
const mark = "child"

// Main is for TestMain: it plays the role that the process was started for, or
// runs the tests.
func Main(m *testing.M, roles map[string]Role) {
	if len(os.Args) < 3 || os.Args[1] != mark {
		os.Exit(m.Run())
	}
	if err := roles[os.Args[2]](os.Args[3:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Process is another process of this test binary.
type Process struct {
	Cmd *exec.Cmd
	// In is its standard input: many roles begin or end as it is closed.
	In io.WriteCloser

	out *bufio.Reader
	err strings.Builder
}

// Start starts a process that plays the role; it is killed with the test.
func Start(tb testing.TB, role string, args ...string) *Process {
	tb.Helper()
	exe, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	p := &Process{Cmd: exec.Command(exe, append([]string{mark, role}, args...)...)}
	p.Cmd.Stderr = &p.err
	if p.In, err = p.Cmd.StdinPipe(); err != nil {
		tb.Fatal(err)
	}
	out, err := p.Cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	p.out = bufio.NewReader(out)
	if err := p.Cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(p.Kill)
	return p
}

// Line gives the next line that the process writes.
func (p *Process) Line(tb testing.TB) string {
	tb.Helper()
	s, err := p.out.ReadString('\n')
	if err != nil {
		tb.Fatalf("child: %v: %s", err, p.err.String())
	}
	return strings.TrimSpace(s)
}

// Wait ends the process's input and waits until it is done.
func (p *Process) Wait(tb testing.TB) {
	tb.Helper()
	_ = p.In.Close()
	if err := p.Cmd.Wait(); err != nil {
		tb.Errorf("child: %v: %s", err, p.err.String())
	}
}

// Kill ends the process as SIGKILL does, whatever it is in the middle of.
func (p *Process) Kill() {
	_ = p.Cmd.Process.Kill()
	_ = p.Cmd.Wait()
}
