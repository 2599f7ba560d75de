package main

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/tools"
)

// The page that leads the browser to the link is the person's alone: an
// argument would be seen by every user of the machine.
func TestSignpost(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	if err := os.WriteFile(filepath.Join(state, "console.html"), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	file, err := signpost(state, `http://127.0.0.1:7331/open/A"><script>`)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(text), "<script>") || !strings.Contains(string(text), "url=http://127.0.0.1:7331/open/A&#34;") {
		t.Errorf("%s %v", text, err)
	}
	at, err := os.Stat(file)
	if err != nil || runtime.GOOS != "windows" && at.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", at.Mode(), err)
	}
}

// Without a screen nothing is opened, and a link that leads elsewhere never is.
func TestNothingToOpen(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "linux" {
		p := &program{environ: []string{"PATH=/usr/bin"}}
		if got := p.opener(); got != nil {
			t.Errorf("without a screen %v is run", got)
		}
	}
	for link, want := range map[string]bool{
		"http://127.0.0.1:7331/open/x": true, "http://127.0.0.1:7332/open/x": false, "https://127.0.0.1:7331/open/x": false,
		"http://evil.example/open/x": false, "": false, "/open/x": false, "http://127.0.0.1:7331@evil.example/": false,
	} {
		if got := sameHost(link, "http://127.0.0.1:7331"); got != want {
			t.Errorf("%q: %v, want %v", link, got, want)
		}
	}
}

// Plain HTTP is never heard by others than this machine, for an instant neither.
func TestListensOnLoopbackAlone(t *testing.T) {
	t.Parallel()
	p := &program{lang: tools.EN}
	for address, want := range map[string]bool{"127.0.0.1:0": true, "0.0.0.0:0": false, ":0": false, "192.168.0.4:1": false, "[::]:1": false, "[::ffff:0.0.0.0]:0": false} {
		l, err := p.listen(address)
		if l != nil {
			l.Close()
		}
		if got := err == nil; got != want {
			t.Errorf("%s: %v, want %v", address, err, want)
		}
		if err != nil && (!errors.Is(err, errUsage) || !strings.Contains(err.Error(), "ssh -L")) {
			t.Errorf("%s: %v", address, err)
		}
	}
}
