package interop

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
)

// agent is an MCP client of a host process, as an agent's runtime is.
type agent struct {
	t *testing.T
	c *acpClient // MCP frames its messages as ACP does
}

func (b box) agent(t *testing.T, more ...string) agent {
	t.Helper()
	cmd := exec.Command(host, b.args(append(more, "--document", "Welcome.md")...)...)
	cmd.Env, cmd.Stderr = b.env(), os.Stderr
	in, out := started(t, cmd)
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	a := agent{t, newACP(out, in)}
	hello := object{"protocolVersion": "2025-11-25", "capabilities": object{}, "clientInfo": object{"name": "interop", "version": "0"}}
	if err := a.c.call("initialize", hello, nil); err != nil {
		t.Fatal(err)
	}
	return a
}

func (a agent) call(tool string, args object) envelope {
	a.t.Helper()
	var r struct {
		Content []struct{ Text string }
	}
	if err := a.c.call("tools/call", object{"name": tool, "arguments": args}, &r); err != nil {
		a.t.Fatal(err)
	}
	return parse(a.t, r.Content[0].Text)
}

func (a agent) append(text string) envelope {
	a.t.Helper()
	return a.call("mnote_page_save", object{"content": text, "mode": "append", "dryRun": false})
}

// code is "" for a success.
func (e envelope) code() string {
	if e.Error == nil {
		return ""
	}
	return e.Error.Code
}

var consoleLink = regexp.MustCompile(`http://\S+/open/\S+`)

// edit adds to a page as a person's editor would.
func (b box) edit(t *testing.T, page, text string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(b.notes, page), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// console starts `mnote-host console` and gives the one-time link it prints.
func (b box) console(t *testing.T) (link string) {
	t.Helper()
	link, _ = b.consoleAt(t, "127.0.0.1:0")
	return link
}

// consoleAt is console at an address of ours; stop ends it.
func (b box) consoleAt(t *testing.T, listen string) (link string, stop func()) {
	t.Helper()
	cmd := exec.Command(host, "console", "--workspace", b.notes, "--state", b.state, "--no-open", "--lang", "zh", "--listen", listen)
	cmd.Env, cmd.Stderr = b.env(), os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	stop = sync.OnceFunc(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	t.Cleanup(stop)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if link = consoleLink.FindString(lines.Text()); link != "" {
			go func() { _, _ = io.Copy(io.Discard, out) }()
			return link, stop
		}
	}
	t.Fatal("the console prints no link")
	return "", nil
}

// open opens a browser window by a one-time link.
func open(br *browser, link string, more ...any) {
	br.t.Helper()
	br.do("open", append([]any{"url", link}, more...)...)
	br.wait("h1")
}

const (
	pagePack    = "#pack-mnote-current-page"
	packSwitch  = pagePack + "-switch"
	saveSwitch  = pagePack + "-mnote_page_save-switch"
	packTools   = pagePack + "-tools > summary"
	packSingles = pagePack + "-advanced > summary"
)
