//go:build unix

package acp

import (
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// tree is the agent's process and all that it started: a process group.
type tree struct{ group int }

// start starts the process as the leader of a group of its own.
func (t *tree) start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = attributes()
	if err := cmd.Start(); err != nil {
		return err
	}
	t.group = cmd.Process.Pid
	return nil
}

// signal sends a signal to every process of the group.
func (t *tree) signal(s os.Signal) {
	if n, ok := s.(syscall.Signal); ok && t.group > 0 {
		_ = unix.Kill(-t.group, n) // those that are gone need none
	}
}

// kill ends every process of the group.
func (t *tree) kill() { t.signal(syscall.SIGKILL) }

// terminate is the polite signal.
func (t *tree) terminate() { t.signal(syscall.SIGTERM) }

// exitCode is what a shell would say of an ended process.
func exitCode(s *os.ProcessState) int {
	if s == nil {
		return 1
	}
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}

// signalName names the signal that ended a process.
func signalName(s *os.ProcessState) string {
	if s == nil {
		return ""
	}
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return w.Signal().String()
	}
	return ""
}

// Become replaces this process by the agent, on the terminal that it was started
// from: an agent that a person logs in to speaks to the person. out is the real
// stdout, which the takeover has moved.
func Become(argv, env []string, out *os.File) error {
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return err
	}
	if out != nil && out.Fd() != uintptr(syscall.Stdout) {
		if err := duplicate(int(out.Fd()), syscall.Stdout); err != nil {
			return err
		}
	}
	return syscall.Exec(path, argv, env)
}
