package interop

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// overheard is how a runtime's configuration starts us so that what we say on
// stdout can be looked at too.
func (b box) overheard(file string, args []string) (command string, shellArgs []string) {
	script := fmt.Sprintf(`%s "$@" | tee %s`, host, file)
	return "/bin/sh", append([]string{"-c", script, "mnote"}, args...)
}

// shown waits until a list of ours showed the new tool: the first one, or the
// one that the client asked for when it was told of a change.
func shown(t *testing.T, file string) {
	t.Helper()
	for range 300 {
		said, _ := os.ReadFile(file)
		if bytes.Contains(said, []byte(`"name":"`+gained+`"`)) {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	said, _ := os.ReadFile(file)
	t.Errorf("no list shows the tool: %s", said)
}

// TestGainedToolReasonix (seed 7-47, phase D): a tool that is new in the
// kernel's manifest appears in the real Reasonix with no change of ours: in the
// first session after it, and is there from the start in the next.
func TestGainedToolReasonix(t *testing.T) {
	t.Parallel()
	b, k := newBox(t), newGrowingKernel(t)
	run := func(name string, steps ...step) []string {
		file := filepath.Join(b.home, name)
		command, args := b.overheard(file, []string{"mcp", "--kernel", k.URL, "--workspace-id", "ws_1", "--state", b.state, "--client", "reasonix", "--lang", "en"})
		for i := range steps {
			if steps[i].tool == "wait" { // for the list, and then search for it
				steps[i] = step{tool: "use_capability", args: func([]string) any {
					shown(t, file)
					return object{"action": "search", "query": "kanban cards"}
				}}
			}
		}
		m := newModel(t, steps...)
		home := b.reasonixHome(t, m, nil)
		b.reasonixPlugin(t, home, command, args)
		cmd := exec.Command(reasonixBin(), "run", "--output-format", "stream-json", "please use the tool")
		cmd.Dir, cmd.Env = b.notes, b.reasonixEnv(home)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("reasonix run: %v\n%s", err, out)
		}
		return m.results()
	}
	connect := step{tool: "mcp__mnote__connect", args: fixed(object{})}
	search := step{tool: "use_capability", args: fixed(object{"action": "search", "query": "kanban cards"})}
	use := capability(gained, fixed(object{"board": "home"}))

	if got := run("before", connect, search); strings.Contains(got[len(got)-1], gained) {
		t.Fatalf("it is there before the kernel has it: %q", got)
	}
	k.grown.Store(true)
	checkGained(t, "first", run("first", connect, step{tool: "wait"}, use))
	checkGained(t, "next", run("next", connect, search, use))
}

func checkGained(t *testing.T, when string, results []string) {
	t.Helper()
	if len(results) != 3 || !strings.Contains(results[1], gained) {
		t.Fatalf("%s session: the search found %q", when, results)
	}
	if got := parse(t, results[2]); !got.OK || fmt.Sprint(got.Result["cards"]) != "[milk]" || got.Result["board"] != "home" {
		t.Errorf("%s session: the tool answered %+v", when, got)
	}
}

// reasonixPlugin adds a server to Reasonix's configuration.
func (b box) reasonixPlugin(t *testing.T, home, command string, args []string) {
	t.Helper()
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = fmt.Sprintf("%q", a)
	}
	f, err := os.OpenFile(filepath.Join(home, "config.toml"), os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := fmt.Fprintf(f, "\n[[plugins]]\nname = \"mnote\"\ncommand = %q\nargs = [%s]\n", command, strings.Join(quoted, ", ")); err != nil {
		t.Fatal(err)
	}
}

// TestGainedToolHermes: the same in the real Hermes's MCP client.
func TestGainedToolHermes(t *testing.T) {
	t.Parallel()
	b, k := newBox(t), newGrowingKernel(t)
	file := filepath.Join(b.home, "frames")
	command, args := b.overheard(file, []string{"mcp", "--kernel", k.URL, "--workspace-id", "ws_1", "--state", b.state, "--client", "hermes", "--lang", "en"})
	home := b.hermesServer(t, command, args)
	full := "mcp__mnote__" + gained

	c, end := b.hermesStarted(t, home)
	if listed := c.listed(t); slices.Contains(listed, full) || !slices.Contains(listed, "mcp__mnote__mnote_page_get") {
		t.Fatalf("before the kernel has it Hermes lists %v", listed)
	}
	end()
	k.grown.Store(true)
	c, end = b.hermesStarted(t, home)
	c.listed(t)
	shown(t, file)
	checkCards(t, "first", c)
	end()
	c, end = b.hermesStarted(t, home)
	if listed := c.listed(t); !slices.Contains(listed, full) {
		t.Errorf("the next session lists %v", listed)
	}
	checkCards(t, "next", c)
	end()
}

// hermesServer writes Hermes's own configuration with this server in it.
func (b box) hermesServer(t *testing.T, command string, args []string) (home string) {
	t.Helper()
	home = filepath.Join(b.home, ".hermes")
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	quoted, _ := json.Marshal(args)
	config := fmt.Sprintf("mcp_servers:\n  mnote:\n    command: %s\n    args: %s\n    env: {INTEROP_MARK: %q}\n    connect_timeout: 20\n    enabled: true\n", command, quoted, b.mark)
	if err := os.WriteFile(filepath.Join(home, "config.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return home
}

// listed reads the first line of hermes_client.py: the registered tools.
func (c hermesClient) listed(t *testing.T) []string {
	t.Helper()
	var first struct{ Tools []string }
	c.read(t, &first)
	return first.Tools
}

func checkCards(t *testing.T, when string, c hermesClient) {
	t.Helper()
	if got := c.call(t, gained, object{"board": "home"}); !got.OK || fmt.Sprint(got.Result["cards"]) != "[milk]" {
		t.Errorf("%s session: the tool answered %+v", when, got)
	}
}
