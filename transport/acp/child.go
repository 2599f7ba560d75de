package acp

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
)

// child is the agent's process, with pipes of ours to its stdin and stdout.
type child struct {
	stdin, stdout *os.File
	tree          tree
	// exited is closed when the process has ended; code is then its exit code,
	// 128 and the signal for one that a signal ended.
	exited chan struct{}
	code   int
	// signal names the signal that ended it, or is empty.
	signal string
}

// start runs the agent in a process group (a job) of its own. Its stdout is a
// pipe of ours and not exec's, which closes its own before all is read.
func start(argv, env []string, stderr *os.File) (*child, error) {
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return nil, fmt.Errorf("the agent cannot be found: %w", err)
	}
	if runtime.GOOS == "windows" {
		if path, argv, err = thisDisk().unshim(path, argv); err != nil {
			return nil, err
		}
	}
	inChild, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, outChild, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{Path: path, Args: argv, Env: env, Stdin: inChild, Stdout: outChild, Stderr: stderr}
	c := &child{stdin: in, stdout: out, exited: make(chan struct{})}
	started := make(chan error)
	go c.live(cmd, started)
	err = <-started
	_ = inChild.Close()
	_ = outChild.Close()
	if err != nil {
		_ = in.Close()
		_ = out.Close()
		return nil, fmt.Errorf("the agent does not start: %w", err)
	}
	return c, nil
}

// live starts the process and waits for its end, on one thread that it keeps:
// the system ends the process when the thread that started it ends.
func (c *child) live(cmd *exec.Cmd, started chan<- error) {
	runtime.LockOSThread()
	if err := c.tree.start(cmd); err != nil {
		started <- err
		return
	}
	started <- nil
	_ = cmd.Wait() // the state says what there is to say
	c.code, c.signal = exitCode(cmd.ProcessState), signalName(cmd.ProcessState)
	close(c.exited)
}
