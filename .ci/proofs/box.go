package proofs

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// host is the program under test, built once from this checkout.
var host string

// box is one test's private place: a home, a state folder, a folder of notes.
type box struct {
	t                  testing.TB
	home, state, notes string

	mu     sync.Mutex
	agents []*agent
}

func newBox(t testing.TB) *box {
	t.Helper()
	dir := t.TempDir()
	b := &box{t: t, home: filepath.Join(dir, "home"), state: filepath.Join(dir, "state"), notes: filepath.Join(dir, "notes")}
	for _, d := range []string{b.home, b.state, b.notes} {
		b.must(os.MkdirAll(d, 0o700))
	}
	t.Cleanup(func() {
		for _, a := range b.agents {
			if a.cmd.ProcessState == nil {
				a.kill()
			}
		}
	})
	return b
}

func (b *box) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *box) args(flags ...string) []string {
	return append([]string{"mcp", "--workspace", b.notes, "--state", b.state, "--lang", "en"}, flags...)
}

// agent starts a host that must start.
func (b *box) agent(flags ...string) *agent {
	b.t.Helper()
	a, err := b.start(flags...)
	b.must(err)
	return a
}

// run runs a command of the program that is for people, and gives what it prints.
func (b *box) run(args ...string) string {
	b.t.Helper()
	cmd := exec.Command(host, append(args, "--workspace", b.notes, "--state", b.state, "--lang", "en")...)
	cmd.Env = append(os.Environ(), "HOME="+b.home, "NO_COLOR=1")
	out, err := cmd.Output()
	if err != nil {
		b.t.Fatalf("mnote-host %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// row is what the proofs read of an audit row.
type row struct {
	ToolName  string `json:"toolName"`
	Effect    string `json:"effect"`
	CommandID string `json:"commandId"`
	Replayed  bool   `json:"replayed"`
}

// rows gives the audit's rows, once the chain that holds them is verified.
func (b *box) rows() []row {
	b.t.Helper()
	b.run("audit", "verify")
	var rows []row
	for line := range strings.Lines(b.run("audit", "--json", "--limit", "0")) {
		var r row
		b.must(json.Unmarshal([]byte(line), &r))
		rows = append(rows, r)
	}
	return rows
}

func (b *box) path(name string) string { return filepath.Join(b.notes, filepath.FromSlash(name)) }

func (b *box) put(name string, data []byte) {
	b.t.Helper()
	b.must(os.MkdirAll(filepath.Dir(b.path(name)), 0o755))
	b.must(os.WriteFile(b.path(name), data, 0o644))
}

func (b *box) bytes(name string) []byte {
	b.t.Helper()
	data, err := os.ReadFile(b.path(name))
	b.must(err)
	return data
}

// swept fails where a temp file was left among the notes.
func (b *box) swept() {
	b.t.Helper()
	b.must(filepath.WalkDir(b.notes, func(path string, _ os.DirEntry, err error) error {
		if strings.HasPrefix(filepath.Base(path), ".mnote-tmp-") {
			b.t.Errorf("left behind: %s", path)
		}
		return err
	}))
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}
