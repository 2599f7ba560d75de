package interop

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// host is the program under test, built once from this checkout.
var host string

// peers is the folder that peers.sh filled.
var peers = os.Getenv("MNOTE_CI_CACHE")

func TestMain(m *testing.M) {
	if serveSDK() {
		return
	}
	if peers == "" {
		fmt.Fprintln(os.Stderr, "MNOTE_CI_CACHE is not set: run this suite through .ci/interop.sh, which installs the peers")
		os.Exit(1)
	}
	os.Exit(build(m))
}

func build(m *testing.M) int {
	dir, err := os.MkdirTemp("", "interop")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	host = filepath.Join(dir, "mnote-host")
	cmd := exec.Command("go", "build", "-o", host, "./cmd/mnote-host")
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("build mnote-host: %v\n%s", err, out))
	}
	return m.Run()
}

// box is one test's private place: a home, a state folder, a copy of the notes.
type box struct {
	home, state, notes string
	mark               string // in the environment of everything started here
}

func newBox(t *testing.T) box {
	t.Helper()
	dir := t.TempDir()
	b := box{home: filepath.Join(dir, "home"), state: filepath.Join(dir, "state"), notes: filepath.Join(dir, "notes"), mark: "interop-" + filepath.Base(filepath.Dir(dir)) + "-" + fmt.Sprint(time.Now().UnixNano())}
	for _, d := range []string{b.home, b.state} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(b.notes, os.DirFS(filepath.Join("..", "..", "testdata", "workspaces", "notes"))); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.nothingLeft(t) })
	return b
}

// args is how a client's configuration starts us on the box's notes.
func (b box) args(more ...string) []string {
	return append([]string{"mcp", "--workspace", b.notes, "--state", b.state, "--lang", "en"}, more...)
}

func (b box) env(more ...string) []string {
	return append(os.Environ(), append([]string{"HOME=" + b.home, "INTEROP_MARK=" + b.mark, "NO_COLOR=1", "MNOTE_INTEROP_MARK=" + b.mark}, more...)...)
}

// page reads a note as it stands on disk.
func (b box) page(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(b.notes, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// nothingLeft fails the test when a process started here still lives; a client
// that kills us gets the two seconds of a dead parent.
func (b box) nothingLeft(t *testing.T) {
	t.Helper()
	var left []string
	for range 40 {
		if left = b.running(); len(left) == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("still running: %v", left)
}

func (b box) running() []string {
	var left []string
	entries, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, e := range entries {
		env, err := os.ReadFile(e)
		if err != nil || !strings.Contains(string(env), b.mark) {
			continue
		}
		cmdline, _ := os.ReadFile(filepath.Join(filepath.Dir(e), "cmdline"))
		stat, _ := os.ReadFile(filepath.Join(filepath.Dir(e), "stat"))
		if _, after, ok := strings.Cut(string(stat), ") "); !ok || strings.HasPrefix(after, "Z") {
			continue
		}
		left = append(left, strings.ReplaceAll(string(cmdline), "\x00", " "))
	}
	return left
}

// envelope is what the tests read of an answer.
type envelope struct {
	OK     bool           `json:"ok"`
	Result map[string]any `json:"result"`
	Audit  struct {
		Effect    string `json:"effect"`
		CommandID string `json:"commandId"`
	} `json:"audit"`
	Error *failure `json:"error"`
}

type failure struct {
	Code    string         `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details"`
}

// parse finds the envelope in what a runtime showed its model: the JSON itself,
// wrapped in {"result": "…"}, inside a fence of words, or an error's short text
// (code: message).
func parse(t *testing.T, shown string) envelope {
	t.Helper()
	for _, inner := range []string{`{"result"`, `{"error"`} {
		if at := strings.Index(shown, inner); at >= 0 && !strings.Contains(shown, `{"ok":`) {
			var wrapped struct{ Result, Error string }
			if json.NewDecoder(strings.NewReader(shown[at:])).Decode(&wrapped) == nil {
				shown = wrapped.Result + wrapped.Error
			}
		}
	}
	var env envelope
	if at := strings.Index(shown, `{"ok":`); at >= 0 {
		if err := json.NewDecoder(strings.NewReader(shown[at:])).Decode(&env); err != nil {
			t.Fatalf("read the envelope in %q: %v", shown, err)
		}
		return env
	}
	code := regexp.MustCompile(`mnote_[a-z_]+: `).FindString(shown)
	if code == "" {
		t.Fatalf("no envelope in %q", shown)
	}
	env.Error = &failure{Code: strings.TrimSuffix(code, ": "), Message: shown}
	return env
}

// want are the tools that every client must be offered.
var want = []string{"mnote_context_get", "mnote_page_get", "mnote_page_save", "mnote_page_update_title", "mnote_skill_read", "mnote_artifact_create_summary"}

func checkTools(t *testing.T, got []string) {
	t.Helper()
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("the client does not see %s, only %v", name, got)
		}
	}
}
