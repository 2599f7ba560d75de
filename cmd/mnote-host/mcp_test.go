package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// hello is what every client says first.
const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"0"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}
`

// started is this program as a process of its own, with only the environment
// that is given.
func started(t *testing.T, env []string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Args = append([]string{"mnote-host"}, args...) // by this name TestMain runs the program
	cmd.Env, cmd.Dir = env, t.TempDir()
	return cmd
}

// frames checks that an output is JSON-RPC lines and nothing else.
func frames(t *testing.T, out []byte) (n int) {
	t.Helper()
	for line := range bytes.Lines(out) {
		var f struct {
			JSONRPC string          `json:"jsonrpc"`
			Error   json.RawMessage `json:"error"`
		}
		if err := json.Unmarshal(line, &f); err != nil || f.JSONRPC != "2.0" || f.Error != nil {
			t.Errorf("stdout has %q", line)
		}
		n++
	}
	return n
}

// TestS04StdoutHasOnlyFrames: whatever is wrong, a log line never reaches
// stdout, and the handshake and the list are answered.
func TestS04StdoutHasOnlyFrames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(dir, "broken")
	if err := os.MkdirAll(broken, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"config.toml", "host.db", "switches.db"} {
		if err := os.WriteFile(filepath.Join(broken, name), []byte("{ neither TOML nor SQLite"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tests := map[string]struct{ env, args []string }{
		"nothing set":              {},
		"debug log":                {args: []string{"--log", "debug", "--workspace", dir}},
		"workspace is gone":        {args: []string{"--workspace", filepath.Join(dir, "gone")}},
		"workspace is a file":      {args: []string{"--workspace", file}},
		"state folder is a file":   {args: []string{"--workspace", dir, "--state", file}},
		"state is damaged":         {args: []string{"--workspace", dir, "--state", broken}},
		"kernel is no URL":         {args: []string{"--kernel", "::nonsense::"}},
		"kernel is not there":      {args: []string{"--kernel", "http://127.0.0.1:1"}},
		"unknown client":           {args: []string{"--client", "nobody", "--workspace", dir}},
		"max-result is no number":  {args: []string{"--max-result", "many", "--workspace", dir}},
		"rate is no number":        {args: []string{"--rate", "fast", "--workspace", dir}},
		"access scope is damaged":  {env: []string{"MNOTE_ACCESS_SCOPE={"}, args: []string{"--workspace", dir}},
		"token file is missing":    {env: []string{"MNOTE_KERNEL_TOKEN_FILE=" + filepath.Join(dir, "none")}, args: []string{"--kernel", "http://127.0.0.1:1"}},
		"everything is unexpanded": {env: []string{"MNOTE_WORKSPACE=${NOTES}", "MNOTE_KERNEL_URL=${URL}", "MNOTE_LOG=${LEVEL}", "MNOTE_CONTEXT_REFS='a, b'"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := started(t, append([]string{"HOME=" + t.TempDir()}, tt.env...), append([]string{"mcp"}, tt.args...)...)
			cmd.Stdin = strings.NewReader(hello)
			out, err := cmd.Output()
			if err != nil {
				t.Errorf("ended with %v", err)
			}
			if n := frames(t, out); n != 2 {
				t.Errorf("%d frames for two requests: %s", n, out)
			}
		})
	}
}

// TestRate: a session may call as often as --rate says, ten seconds' worth of
// calls at once, and is then told to wait; 0 is no limit.
func TestRate(t *testing.T) {
	t.Parallel()
	const calls = 60 // what a rate of one a second lets through within a minute
	for rate, limited := range map[string]bool{"1": true, "0": false} {
		t.Run(rate, func(t *testing.T) {
			t.Parallel()
			in := hello
			for i := range calls {
				in += fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"mnote_context_get","arguments":{}}}`+"\n", 10+i)
			}
			cmd := started(t, []string{"HOME=" + t.TempDir(), "MNOTE_RATE=" + rate}, "mcp", "--workspace", t.TempDir())
			cmd.Stdin = strings.NewReader(in)
			out, err := cmd.Output()
			if err != nil {
				t.Fatal(err)
			}
			refused := bytes.Count(out, []byte(`"structuredContent":{"ok":false`))
			wait := bytes.Count(out, []byte(`"code":"mnote_tool_rate_limited"`))
			if n := frames(t, out); n != 2+calls || refused != wait || (refused > 0) != limited {
				t.Errorf("of %d answers %d are refusals and %d say to wait", n, refused, wait)
			}
		})
	}
}

// TestS12EmptyEnvironment: no PATH, no HOME, nothing; and a path with spaces
// and letters from everywhere.
func TestS12EmptyEnvironment(t *testing.T) {
	t.Parallel()
	notes := filepath.Join(t.TempDir(), "我的 notes ✎")
	if err := os.MkdirAll(notes, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(notes, "a.md"), []byte("# A\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := started(t, []string{}, "mcp", "--workspace", notes)
	cmd.Stdin = strings.NewReader(hello + `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"mnote_page_get","arguments":{"documentId":"a.md"}}}` + "\n")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if n := frames(t, out); n != 3 || !bytes.Contains(out, []byte(`"title":"A"`)) {
		t.Errorf("%d frames: %s", n, out)
	}
}

// TestB26HandshakeWaitsForNothing: the kernel answers nothing before the client
// has its list; if the list waited for the kernel neither would ever come.
func TestB26HandshakeWaitsForNothing(t *testing.T) {
	t.Parallel()
	listed := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-listed:
		case <-r.Context().Done():
		}
		http.Error(w, "no", http.StatusServiceUnavailable)
	}))
	defer slow.Close()
	cmd := started(t, []string{"HOME=" + t.TempDir()}, "mcp", "--kernel", slow.URL)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(in, hello); err != nil {
		t.Fatal(err)
	}
	answers := json.NewDecoder(out)
	for id := 1; id <= 2; id++ {
		var f struct {
			ID     int
			Result map[string]any
		}
		if err := answers.Decode(&f); err != nil || f.ID != id || f.Result == nil {
			t.Fatalf("answer %d is %+v, %v", id, f, err)
		}
	}
	close(listed)
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
}
