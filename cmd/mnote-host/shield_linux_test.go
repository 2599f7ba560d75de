package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stranger is a user without rights, who these tests run as where they are
// started by root: nothing is closed to root.
const stranger = 65534

// flat is a place that a user without rights reaches, with this program in it.
type flat struct {
	t    *testing.T
	dir  string
	host string
}

func newFlat(t *testing.T) flat {
	t.Helper()
	dir := t.TempDir()
	f := flat{t, dir, filepath.Join(dir, "mnote-host")}
	for _, made := range []string{"notes", "state", "home", "tmp"} {
		if err := os.Mkdir(filepath.Join(dir, made), 0o700); err != nil {
			t.Fatal(err)
		}
		f.give(made)
	}
	if err := os.Chmod(filepath.Dir(dir), 0o711); err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Link(exe, f.host); errors.Is(err, syscall.EXDEV) { // go test's folder is on another disk
		program, readErr := os.ReadFile(exe)
		err = errors.Join(readErr, os.WriteFile(f.host, program, 0o755))
		if err != nil {
			t.Fatal(err)
		}
	} else if err != nil {
		t.Fatal(err)
	}
	return f
}

// give makes a file the stranger's.
func (f flat) give(name string) {
	if os.Getuid() == 0 {
		if err := os.Chown(filepath.Join(f.dir, name), stranger, stranger); err != nil {
			f.t.Fatal(err)
		}
	}
}

// as makes a command of the stranger's.
func (f flat) as(env []string, argv ...string) *exec.Cmd {
	cmd := exec.CommandContext(f.t.Context(), argv[0], argv[1:]...)
	cmd.Dir = filepath.Join(f.dir, "notes")
	cmd.Env = append([]string{"HOME=" + filepath.Join(f.dir, "home"), "TMPDIR=" + filepath.Join(f.dir, "tmp"), "PATH=" + os.Getenv("PATH"), "LC_ALL=C", "MNOTE_LANG=en", "MARK=canary-Zx81"}, env...)
	if os.Getuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: stranger, Gid: stranger}}
	}
	return cmd
}

// begin starts a command and waits for a line that it prints.
func (f flat) begin(cmd *exec.Cmd, say, until string) io.WriteCloser {
	f.t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	go io.WriteString(in, say)
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			f.t.Fatalf("%v ended: %v", cmd.Args, err)
		}
		if strings.Contains(line, until) {
			return in
		}
	}
}

// open reports whether another process of the same user reads the environment
// that a process was started with, and its memory.
func (f flat) open(pid int) (environ, memory bool) {
	f.t.Helper()
	read, _ := f.as(nil, "cat", fmt.Sprintf("/proc/%d/environ", pid)).CombinedOutput()
	mem, _ := f.as(nil, "cat", fmt.Sprintf("/proc/%d/mem", pid)).CombinedOutput()
	for _, said := range [][]byte{read, mem} {
		if len(said) == 0 {
			f.t.Fatal("the process is gone")
		}
	}
	return strings.Contains(string(read), "MARK="), !strings.Contains(string(mem), "Permission denied")
}

// TestShield: a process that holds a secret is closed to others of its user, and
// goes on as any other; one without is not closed.
func TestShield(t *testing.T) {
	t.Parallel()
	const list, answer = hello, `"id":2`
	for name, tt := range map[string]struct {
		env        []string
		args       []string
		say, until string
		open       bool
	}{
		"mcp, no secret":        {nil, []string{"mcp", "--workspace", "."}, list, answer, true},
		"mcp, token":            {[]string{"MNOTE_KERNEL_TOKEN=t"}, []string{"mcp", "--kernel", "http://127.0.0.1:1"}, list, answer, false},
		"mcp, token file":       {[]string{"MNOTE_KERNEL_TOKEN_FILE=/none"}, []string{"mcp", "--kernel", "http://127.0.0.1:1"}, list, answer, false},
		"mcp, token not used":   {[]string{"MNOTE_KERNEL_TOKEN=t"}, []string{"mcp", "--workspace", "."}, list, answer, false},
		"mcp, literal ${…}":     {[]string{"MNOTE_KERNEL_TOKEN=${TOKEN}"}, []string{"mcp", "--workspace", "."}, list, answer, true},
		"kernel":                {nil, []string{"kernel", "--workspace", ".", "--listen", "127.0.0.1:0"}, "", "kernel at", false},
		"acp":                   {nil, []string{"acp", "--workspace", ".", "--", "cat"}, `{"id":1,"method":"_x"}` + "\n", "_x", false},
		"acp, token, no kernel": {[]string{"MNOTE_KERNEL_TOKEN=t"}, []string{"acp", "--", "cat"}, `{"id":1,"method":"_x"}` + "\n", "_x", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFlat(t)
			cmd := f.as(append(tt.env, "MNOTE_HOST_STATE="+filepath.Join(f.dir, "state")), append([]string{f.host}, tt.args...)...)
			in := f.begin(cmd, tt.say, tt.until)
			environ, memory := f.open(cmd.Process.Pid)
			if environ != tt.open || memory && !tt.open { // Yama may close a stranger's memory in any case
				t.Errorf("environment read: %v, memory opened: %v", environ, memory)
			}
			if tt.args[0] == "kernel" {
				_ = cmd.Process.Signal(syscall.SIGTERM)
			}
			in.Close()
			if err := cmd.Wait(); err != nil {
				t.Errorf("it ended with %v", err)
			}
		})
	}
}

// TestShieldRelay: the relay of an agent holds a ticket.
func TestShieldRelay(t *testing.T) {
	t.Parallel()
	f := newFlat(t)
	socket := filepath.Join(f.dir, "tmp", "s")
	door, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer door.Close()
	f.give("tmp/s")
	go func() {
		conn, err := door.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		in := bufio.NewReader(conn)
		_, _ = in.ReadString('\n')
		_, _ = fmt.Fprint(conn, "MNOTE/1 ok\n")
		_, _ = io.Copy(conn, in)
	}()
	cmd := f.as([]string{"MNOTE_HOST_SOCKET=" + socket, "MNOTE_HOST_TICKET=canary"}, f.host, "mcp", "--attach")
	f.begin(cmd, "hello\n", "hello")
	if environ, memory := f.open(cmd.Process.Pid); environ || memory {
		t.Errorf("environment read: %v, memory opened: %v", environ, memory)
	}
}

// TestShieldOrphan: a process that is closed to others still sees the end of the
// one that started it, though its stdin stays open.
func TestShieldOrphan(t *testing.T) {
	t.Parallel()
	f := newFlat(t)
	parent := f.as([]string{"MNOTE_KERNEL_TOKEN=t", "MNOTE_HOST_STATE=" + filepath.Join(f.dir, "state")},
		"sh", "-c", `exec 3<&0; "$0" mcp --kernel http://127.0.0.1:1 <&3 & echo $! >pid; wait`, f.host)
	in := f.begin(parent, hello, `"id":2`)
	defer in.Close()
	data, err := os.ReadFile(filepath.Join(f.dir, "notes", "pid"))
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	if _, err := fmt.Sscan(string(data), &pid); err != nil {
		t.Fatal(err)
	}
	if environ, _ := f.open(pid); environ {
		t.Error("it is not shielded")
	}
	_ = parent.Process.Kill()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if errors.Is(err, os.ErrNotExist) || strings.Contains(string(stat), ") Z ") {
			return
		}
	}
	t.Errorf("process %d is left", pid)
	_ = syscall.Kill(pid, syscall.SIGKILL)
}
