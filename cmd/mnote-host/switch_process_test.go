package main

import (
	"bufio"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/transport/mcp"
)

// house is a home, a workspace and a state folder that several processes share.
type house struct {
	t     *testing.T
	env   []string
	notes string
}

func newHouse(t *testing.T) *house {
	t.Helper()
	dir := t.TempDir()
	h := &house{t: t, notes: filepath.Join(dir, "notes"), env: []string{"HOME=" + filepath.Join(dir, "home"), "LANG=en_US.UTF-8"}}
	if err := os.MkdirAll(h.notes, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(h.notes, "a.md"), []byte("# A\n\ntext\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return h
}

// host starts `mnote-host mcp` and shakes hands; it lists nothing.
func (h *house) host(args ...string) *mcp.Probe {
	h.t.Helper()
	cmd := started(h.t, h.env, append([]string{"mcp", "--document", "a.md"}, args...)...)
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return os.ErrProcessDone } // it leaves by itself, below
	p, err := mcp.OpenProbe(h.t.Context(), cmd, mcp.ProbeConfig{})
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() {
		if err := p.Close(); err != nil {
			h.t.Errorf("a host: %v", err)
		}
	})
	return p
}

// run runs a command to its end.
func (h *house) run(args ...string) string {
	h.t.Helper()
	out, err := started(h.t, h.env, args...).CombinedOutput()
	if err != nil {
		h.t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

// serve starts a command that serves, and gives the lines that it prints up to
// one that matches, with what matched.
func (h *house) serve(until *regexp.Regexp, args ...string) (*exec.Cmd, []string) {
	h.t.Helper()
	cmd := started(h.t, h.env, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		h.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if m := until.FindStringSubmatch(lines.Text()); m != nil {
			go func() { _, _ = io.Copy(io.Discard, out) }() // a full pipe would stop it
			return cmd, m
		}
	}
	h.t.Fatalf("%v ended without %s", args, until)
	return nil, nil
}

var linkLine = regexp.MustCompile(`(http://\S+)/open/\S+`)

// visitor is a browser without script on the console page.
type visitor struct {
	t       *testing.T
	base    string
	browser *http.Client
}

func visit(t *testing.T, link []string) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	v := &visitor{t: t, base: link[1], browser: &http.Client{Jar: jar}}
	v.page(strings.TrimPrefix(strings.TrimSpace(link[0]), link[1]))
	return v
}

func (v *visitor) page(path string) string {
	v.t.Helper()
	r, err := v.browser.Get(v.base + path)
	return v.read(r, err)
}

func (v *visitor) read(r *http.Response, err error) string {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		v.t.Fatalf("%s answers %d, %v: %s", r.Request.URL.Path, r.StatusCode, err, body)
	}
	return string(body)
}

var formToken = regexp.MustCompile(`name="form" value="([^"]+)"`)

// press sends a form of the page.
func (v *visitor) press(path string, fields map[string]string) string {
	v.t.Helper()
	form := url.Values{"form": {formToken.FindStringSubmatch(v.page("/"))[1]}}
	for name, value := range fields {
		form.Set(name, value)
	}
	r, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, v.base+path, strings.NewReader(form.Encode()))
	if err != nil {
		v.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", v.base)
	return v.read(v.browser.Do(r))
}

var (
	readPage = map[string]any{}
	savePage = map[string]any{"content": "- more", "mode": "append", "dryRun": true}
)

// agree fails unless every host answers the tool so.
func agree(t *testing.T, when, tool string, args any, want string, hosts ...*mcp.Probe) {
	t.Helper()
	for i, host := range hosts {
		if got, _ := outcomeOf(t, host, tool, args); got != want {
			t.Errorf("%s: host %d answers %s with %q, want %q", when, i, tool, got, want)
		}
	}
}

// TestOneSwitchManyProcesses: two hosts that never list, a console and a
// command line, each a process of its own: what one of them switches is in
// force in all others on the next call, and back on at once.
func TestOneSwitchManyProcesses(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	one, two := h.host("--workspace", h.notes), h.host("--workspace", h.notes, "--client", "hermes")
	_, link := h.serve(linkLine, "console", "--workspace", h.notes, "--no-open")
	page := visit(t, link)

	agree(t, "at first", "mnote_page_get", readPage, "", one, two)
	page.press("/packs/mnote-current-page", map[string]string{"on": "false"})
	agree(t, "off by the page", "mnote_page_get", readPage, "mnote_tool_disabled capability", one, two)
	agree(t, "off by the page", "mnote_page_save", savePage, "mnote_tool_disabled capability", one, two)
	page.press("/packs/mnote-current-page", map[string]string{"on": "true"})
	agree(t, "on again", "mnote_page_get", readPage, "", one, two)

	h.run("capabilities", "disable", "mnote.page.save", "--workspace", h.notes)
	agree(t, "a tool off by the command", "mnote_page_save", savePage, "mnote_tool_disabled tool", one, two)
	agree(t, "and no other", "mnote_page_get", readPage, "", one, two)
	if shown := page.page("/"); !strings.Contains(shown, "off by itself") || !strings.Contains(shown, "some tools off") {
		t.Errorf("the page does not know of it: %s", shown)
	}
	page.press("/packs/mnote-current-page", map[string]string{"on": "false"})
	page.press("/packs/mnote-current-page", map[string]string{"on": "true"})
	agree(t, "off and on restores", "mnote_page_save", savePage, "mnote_tool_disabled tool", one, two)
	page.press("/tools/mnote.page.save", map[string]string{"on": "true"})
	agree(t, "on again", "mnote_page_save", savePage, "", one, two)
}

// TestSwitchThroughAKernel: the same where the hosts reach a kernel process over
// HTTP, whose page is opened by a link asked for with its token. A switch that
// was answered outlives the kernel's sudden end.
func TestSwitchThroughAKernel(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	kernel, link := h.serve(linkLine, "kernel", "--workspace", h.notes, "--listen", "127.0.0.1:0")
	base := link[1]
	token := filepath.Join(strings.TrimPrefix(h.env[0], "HOME="), ".mnote", "host", "kernel.token")
	h.env = append(h.env, "MNOTE_KERNEL_TOKEN_FILE="+token)
	one, two := h.host("--kernel", base), h.host("--workspace", h.notes)

	asked := linkLine.FindStringSubmatch(h.run("console", "--kernel", base, "--no-open"))
	if asked == nil {
		t.Fatal("a running kernel gives no link")
	}
	page := visit(t, asked)
	agree(t, "at first", "mnote_page_get", readPage, "", one, two)
	page.press("/packs/mnote-current-page", map[string]string{"on": "false"})
	agree(t, "off by the kernel's page", "mnote_page_get", readPage, "mnote_tool_disabled capability", one, two)
	h.run("capabilities", "enable", "mnote-current-page", "--kernel", base)
	agree(t, "on by the command over HTTP", "mnote_page_get", readPage, "", one, two)
	page.press("/tools/mnote.page.get", map[string]string{"on": "false"})
	if err := kernel.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	agree(t, "after the kernel was killed", "mnote_page_get", readPage, "mnote_tool_disabled tool", two)
}

// TestListsFollow: a running client that listed is told when another process
// turned a switch, and its lists follow.
func TestListsFollow(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	changed := make(chan string, 8)
	cmd := started(t, h.env, "mcp", "--workspace", h.notes)
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return os.ErrProcessDone }
	c, err := mcp.OpenProbe(t.Context(), cmd, mcp.ProbeConfig{Changed: func(method string) { changed <- method }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	before := look(t, c)
	h.run("capabilities", "disable", "mnote-chat-only", "--workspace", h.notes)
	h.run("capabilities", "disable", "mnote.page.save", "--workspace", h.notes)
	wanted := map[string]bool{"notifications/tools/list_changed": true, "notifications/prompts/list_changed": true, "notifications/resources/list_changed": true}
	for len(wanted) > 0 {
		delete(wanted, <-changed)
	}
	after := look(t, c)
	if !slices.Contains(before.tools, "mnote_page_save") || !slices.Contains(before.prompts, "mnote-chat-only") || !slices.Contains(before.resources, "mnote-chat-only") {
		t.Errorf("before: %+v", before)
	}
	if slices.Contains(after.tools, "mnote_page_save") || slices.Contains(after.prompts, "mnote-chat-only") || slices.Contains(after.resources, "mnote-chat-only") {
		t.Errorf("after: tools %v, prompts %v, resources %v", after.tools, after.prompts, after.resources)
	}
}
