// Command cycles starts and ends mnote-host many times in the four ways in which
// a client ends a server, and fails when anything is left: a process, a socket,
// a lock, a temporary file.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// patience is how long a host may take to be gone.
const patience = 5 * time.Second

// way is one way to end a host that a client started.
type way struct {
	name string
	end  func(c *child) error
}

var ways = []way{
	{"stdin ends", func(c *child) error { return errors.Join(c.in.Close(), c.cmd.Wait()) }},
	{"SIGTERM", func(c *child) error { return errors.Join(c.cmd.Process.Signal(syscall.SIGTERM), c.cmd.Wait()) }},
	{"the parent is killed", func(c *child) error { c.kill(); return nil }},
	{"SIGKILL", func(c *child) error { c.kill(); return nil }},
}

func main() {
	if len(os.Args) > 2 && os.Args[1] == "parent" {
		os.Exit(parent(os.Args[2:]))
	}
	count := flag.Int("n", 1000, "starts and stops in all")
	host := flag.String("host", "", "the mnote-host to start")
	flag.Parse()
	if err := run(*host, *count); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// parent starts the host on its own streams and waits, to be killed meanwhile.
func parent(command []string) int {
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if cmd.Run() != nil {
		return 1
	}
	return 0
}

// place is where the hosts live: notes, state, and a folder for what is temporary.
type place struct{ host, dir, mark string }

func run(host string, count int) error {
	dir, err := os.MkdirTemp("", "cycles")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p := place{host: host, dir: dir, mark: "CYCLES_MARK=" + filepath.Base(dir)}
	for _, d := range []string{"notes", "state", "tmp"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "notes", "a.md"), []byte("# A\n\ntext\n"), 0o600); err != nil {
		return err
	}
	if err := p.cycle(ways[0]); err != nil {
		return err
	}
	first, err := p.files()
	if err != nil {
		return err
	}
	began := time.Now()
	for i := range count {
		if err := p.cycle(ways[i%len(ways)]); err != nil {
			return fmt.Errorf("cycle %d, %s: %w", i+1, ways[i%len(ways)].name, err)
		}
	}
	// Of a killed host SQLite's own log stays until the next one opens the file.
	if err := p.cycle(ways[0]); err != nil {
		return err
	}
	last, err := p.files()
	if err != nil {
		return err
	}
	if !slices.Equal(first, last) {
		return fmt.Errorf("after the first cycle there were %v, after the last %v", first, last)
	}
	fmt.Printf("%d starts and stops in %d ways in %s: no process, socket, lock or temporary file left (%d files, the same as after the first)\n",
		count, len(ways), time.Since(began).Round(time.Second), len(last))
	return nil
}

// child is a running host, or the parent of one.
type child struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func (c *child) kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait() // it was killed
}

// cycle starts a host, has it write, and ends it in a way.
func (p place) cycle(w way) error {
	command := []string{p.host, "mcp", "--workspace", filepath.Join(p.dir, "notes"), "--state", filepath.Join(p.dir, "state"), "--log", "off"}
	if w.name == "the parent is killed" {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		command = append([]string{self, "parent"}, command...)
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(os.Environ(), p.mark, "TMPDIR="+filepath.Join(p.dir, "tmp"), "HOME="+p.dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	// The test's own end of the pipe is not closed by Wait: a dead parent must be
	// noticed by itself, not by the end of stdin.
	out, theirs, err := os.Pipe()
	if err != nil {
		return err
	}
	defer out.Close()
	cmd.Stdout = theirs
	if err := cmd.Start(); err != nil {
		return err
	}
	theirs.Close()
	c := &child{cmd: cmd, in: in, out: bufio.NewReader(out)}
	if err := c.use(); err != nil {
		c.kill()
		return err
	}
	if err := w.end(c); err != nil {
		return err
	}
	return p.gone()
}

// use reads and writes a little.
func (c *child) use() error {
	for i, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"mnote_page_save","arguments":{"documentId":"a.md","content":"a line","mode":"append","dryRun":false}}}`,
	} {
		if _, err := io.WriteString(c.in, line+"\n"); err != nil {
			return err
		}
		answer, err := c.out.ReadString('\n')
		if err != nil || strings.Contains(answer, `"error":{`) {
			return fmt.Errorf("request %d was answered by %.300q: %w", i+1, answer, err)
		}
	}
	return nil
}

// gone waits until no process with the mark is left.
func (p place) gone() error {
	deadline := time.Now().Add(patience)
	for {
		left := p.running()
		if len(left) == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("still running: %v", left)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func (p place) running() (left []string) {
	entries, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, e := range entries {
		env, err := os.ReadFile(e)
		if err == nil && strings.Contains(string(env), p.mark) {
			left = append(left, filepath.Base(filepath.Dir(e)))
		}
	}
	return left
}

// files lists all that lies in the place, sockets and temporary files too.
func (p place) files() (names []string, err error) {
	err = filepath.WalkDir(p.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(p.dir, path)
		if !d.IsDir() {
			names = append(names, rel+" "+d.Type().String())
		}
		return err
	})
	return names, err
}
