package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// newTerminal makes a terminal: what is typed and shown, and the program's end.
func newTerminal(t *testing.T) (person, program *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	program, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return person, program
}

// TestACPOnATerminal: where a person sits at it (to log in), the program becomes
// the agent: the same process, the person's terminal, nothing of MNote's around.
func TestACPOnATerminal(t *testing.T) {
	t.Parallel()
	person, program := newTerminal(t)
	defer person.Close()
	cmd := started(t, []string{"PATH=" + os.Getenv("PATH"), "MNOTE_KERNEL_TOKEN=secret-Zx81"},
		"acp", "--", "sh", "-c", `test -t 0 && test -t 1 && test -t 2 && echo "process $$ $1"; env; exit 6`, "sh", "setup")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = program, program, program
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	program.Close()
	shown, _ := io.ReadAll(person) // EIO at its end
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 6 {
		t.Errorf("it ended with %v", err)
	}
	if want := fmt.Sprintf("process %d setup", cmd.Process.Pid); !strings.Contains(string(shown), want) {
		t.Errorf("want %q, shown is %q", want, shown)
	}
	if m := regexp.MustCompile(`MNOTE_|Zx81`).Find(shown); m != nil {
		t.Errorf("the agent's environment has %s", m)
	}
}

// TestACPAgentSignals: an agent is started with the signals as they were, none
// ignored because we do not want to die of a pipe.
func TestACPAgentSignals(t *testing.T) {
	t.Parallel()
	cmd := started(t, []string{"PATH=" + os.Getenv("PATH")}, "acp", "--stdout-noise", "pass", "--", "grep", "SigIgn", "/proc/self/status")
	cmd.Stdin, _, _ = os.Pipe()
	out, err := cmd.Output()
	m := regexp.MustCompile(`SigIgn:\s+([0-9a-f]{16})`).FindSubmatch(out)
	if err != nil || m == nil {
		t.Fatalf("%q, %v", out, err)
	}
	var ignored uint64
	if _, err := fmt.Sscanf(string(m[1]), "%x", &ignored); err != nil || ignored&(1<<(unix.SIGPIPE-1)) != 0 {
		t.Errorf("it ignores %s", m[1])
	}
}

// TestACPWritesNothingDown: of a conversation that passes, no word is found in
// the log, at its most talkative, nor in any file that the process could write.
func TestACPWritesNothingDown(t *testing.T) {
	t.Parallel()
	const canary = "canary-Zx81"
	dir := t.TempDir()
	env := []string{"PATH=" + os.Getenv("PATH"), "MNOTE_KERNEL_TOKEN=token-" + canary}
	for _, v := range []string{"HOME", "TMPDIR", "XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CACHE_HOME"} {
		if err := os.Mkdir(filepath.Join(dir, v), 0o700); err != nil {
			t.Fatal(err)
		}
		env = append(env, v+"="+filepath.Join(dir, v))
	}
	notes := filepath.Join(dir, "notes")
	if err := os.Mkdir(notes, 0o700); err != nil {
		t.Fatal(err)
	}
	var said bytes.Buffer
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"clientInfo":{"name":"` + canary + `"},"clientCapabilities":{"_meta":{"mnote":{"context":1}}}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/` + canary + `","mcpServers":[{"name":"x","command":"/x","args":["` + canary + `"],"env":[{"name":"K","value":"` + canary + `"}]}],"_meta":{"k":"` + canary + `"}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"mcpServers":{"k":"` + canary + `"}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"` + canary + `","prompt":[{"type":"text","text":"` + canary + `"}],"_meta":{"mnote/context":{"documentId":"` + canary + `"}}}}`,
		`{"jsonrpc":"2.0","method":"session/update","params":{"update":{"content":{"type":"text","text":"` + canary + `"}}}}`,
		`{"jsonrpc":"2.0","id":4,"method":"_mnote/` + canary + `","params":{"k":"` + canary + `"}}`,
		`{"jsonrpc":"2.0","id":5,"method":"_mnote/scope/update","params":{"sessionId":"` + canary + `","scope":{"` + canary + `":1}}}`,
		`{"jsonrpc":"2.0","id":"mnote-host:` + canary + `","result":{}}`, `[{"k":"` + canary + `"}]`, `{"broken":"` + canary, `{"jsonrpc":"2.0","id":6,"result":"` + canary + `"}`,
	} {
		said.WriteString(line + "\n")
	}
	lines := bytes.Count(said.Bytes(), []byte("\n"))
	for _, more := range [][]string{nil, {"--preamble", "first"}, {"--crash-replies"}} {
		args := append([]string{"acp", "--log", "debug", "--workspace", notes}, more...)
		cmd := started(t, env, append(args, "--", "cat")...)
		cmd.Stdin = bytes.NewReader(said.Bytes())
		var log bytes.Buffer
		cmd.Stderr = &log
		out, err := cmd.Output()
		if err != nil || bytes.Count(out, []byte(canary)) < lines {
			t.Errorf("%v: %v, %q", more, err, out)
		}
		if strings.Contains(log.String(), canary) || bytes.Contains(out, []byte("token-"+canary)) {
			t.Errorf("%v: the log holds it, or the conversation the token: %s", more, &log)
		}
	}
	// A call by hand, so that there is a state to look through.
	if out, err := started(t, env, "call", "mnote.doc.list", "--workspace", notes).CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	files := 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if files++; bytes.Contains(data, []byte(canary)) {
			t.Errorf("%s holds it", path)
		}
		return err
	})
	if err != nil || files == 0 {
		t.Errorf("%d files looked at, %v", files, err)
	}
}
