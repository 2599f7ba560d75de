package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/plugin/clients"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/mcp"
)

var update = flag.Bool("update", false, "rewrite the host sections of the conversations")

const sessions = "../../testdata/sessions/mcp"

// TestConversations plays every conversation of testdata/sessions/mcp through
// the real peer, face and pipeline, with a scripted kernel.
//
// Sections: manifest.json (else the small one of manifest_test.go), later.json
// (the manifest after "! later"), grant.json, flags.json, client, kernel, host.
// A client line is a frame, or "! WORD" for what is not one: hello (a plain
// legacy handshake, its answer not shown), sleep 1s, later (the kernel's manifest
// changes), release (a held answer goes out), eof. In a frame, $modern stands for
// the _meta of a modern client, $asking for that of one that can ask a person,
// $id1 for the id of the first request that the host opened, $state1 for the
// first requestState that it gave. In host, a text block that is JSON is shown as
// the object that it holds, or as "= structuredContent" when it is the same, and
// what the pipeline says to people is "…": its words are its own tests' business.
func TestConversations(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(sessions + "/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			var got []string
			synctest.Test(t, func(t *testing.T) { got = play(t, archive, dir) })
			compare(t, file, archive, got)
		})
	}
}

// section gives a section's text.
func section(a *txtar.Archive, name string) ([]byte, bool) {
	for _, f := range a.Files {
		if f.Name == name {
			return f.Data, true
		}
	}
	return nil, false
}

func lines(data []byte) []string {
	var out []string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			out = append(out, line)
		}
	}
	return out
}

// flags are the launch flags of a conversation.
type flags struct {
	Client       string             `json:"client"`
	MaxResult    int                `json:"maxResult"`
	OutputSchema bool               `json:"outputSchema"`
	Confirm      plugin.ConfirmMode `json:"confirm"`
	Lang         tools.Lang         `json:"lang"`
	DocumentID   string             `json:"documentId"`
}

// stage is one conversation that is being played.
type stage struct {
	kernel   *scripted
	registry *capabilities.Registry
	in       *io.PipeWriter
	heard    *heard
}

func play(t *testing.T, a *txtar.Archive, dir string) []string {
	t.Helper()
	said, _ := section(a, "kernel")
	s := &stage{kernel: newScripted(t, a), heard: newHeard(string(said))}
	fl := flags{Lang: tools.EN, DocumentID: "plan.md"}
	if data, has := section(a, "flags.json"); has {
		decode(t, data, &fl)
	}
	s.registry = capabilities.NewRegistry(capabilities.Config{First: s.kernel.manifest, Source: s.kernel})
	host := plugin.New(plugin.Config{
		Kernel: s.kernel, Registry: s.registry, StateDir: dir, KernelID: "scripted", NewID: counter(),
	})
	cfg := plugin.SessionConfig{
		WorkspaceID: "ws_1", DocumentID: fl.DocumentID, ActorID: "user_1", SessionID: "session_1", RunID: "run_1",
		Profile: "default", Confirm: fl.Confirm, Lang: fl.Lang, RootURI: "file:///notes", LocalRoot: true,
	}
	if data, has := section(a, "grant.json"); has {
		grant, err := tools.ParseGrant(data)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Grant = &grant
	}
	face := mcp.Config{
		Session: host.Session(cfg), Registry: s.registry, Version: "1.2.3",
		MaxResult: fl.MaxResult, OutputSchema: fl.OutputSchema,
	}
	if fl.Client != "" {
		var err error
		if face.Client, err = clients.Named(fl.Client); err != nil {
			t.Fatal(err)
		}
	}
	s.run(t, face, a)
	if err := host.Close(context.Background()); err != nil {
		t.Error(err)
	}
	s.kernel.finished(t)
	return s.heard.shown
}

// run lets the client's lines in, one at a time: each is answered, or settled
// as far as it goes, before the next.
func (s *stage) run(t *testing.T, cfg mcp.Config, a *txtar.Archive) {
	t.Helper()
	in, out := io.Pipe()
	back, host := io.Pipe()
	s.in = out
	ended := make(chan error, 1)
	go func() {
		ended <- mcp.New(cfg).Run(context.Background(), in, host)
		host.Close()
	}()
	read := make(chan struct{})
	go func() { s.heard.listen(t, back); close(read) }()
	synctest.Wait()
	script, _ := section(a, "client")
	for _, line := range lines(script) {
		s.say(t, line)
		synctest.Wait()
	}
	out.Close()
	<-read
	if err := <-ended; err != nil {
		t.Errorf("Run: %v", err)
	}
}

func (s *stage) say(t *testing.T, line string) {
	t.Helper()
	if word, is := strings.CutPrefix(line, "! "); is {
		s.direct(t, word)
		return
	}
	if _, err := io.WriteString(s.in, s.heard.fill(line)+"\n"); err != nil {
		t.Errorf("the host no longer reads: %v", err)
	}
}

// direct does what a script says that is no frame.
func (s *stage) direct(t *testing.T, word string) {
	t.Helper()
	switch {
	case word == "hello":
		s.heard.skip()
		s.say(t, `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"test","version":"1"},"capabilities":{}}}`)
		s.say(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	case word == "eof":
		s.in.Close()
	case word == "later":
		s.kernel.turn()
		if err := s.registry.Refresh(context.Background()); err != nil {
			t.Error(err)
		}
	case word == "release":
		s.kernel.release()
	case strings.HasPrefix(word, "sleep "):
		d, err := time.ParseDuration(strings.TrimPrefix(word, "sleep "))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(d)
	default:
		t.Fatalf("unknown direction %q", word)
	}
}

func compare(t *testing.T, file string, a *txtar.Archive, got []string) {
	t.Helper()
	want, _ := section(a, "host")
	var wanted []string
	for _, line := range lines(want) {
		dec := json.NewDecoder(strings.NewReader(line))
		dec.UseNumber()
		var v any
		if err := dec.Decode(&v); err != nil {
			t.Fatalf("host section: %v in %s", err, line)
		}
		wanted = append(wanted, show(v))
	}
	diff := cmp.Diff(wanted, got)
	if diff == "" {
		return
	}
	if !*update {
		t.Errorf("the host said otherwise (-want +got):\n%s", diff)
		return
	}
	text := strings.Join(got, "\n") + "\n"
	for i := range a.Files {
		if a.Files[i].Name == "host" {
			a.Files[i].Data = []byte(text)
		}
	}
	if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}

func decode(t *testing.T, data []byte, into any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
}

// counter makes ids that are the same in every run.
func counter() func(string) string {
	var mu sync.Mutex
	next := map[string]int{}
	return func(prefix string) string {
		mu.Lock()
		defer mu.Unlock()
		next[prefix]++
		return fmt.Sprintf("%s_%d", prefix, next[prefix])
	}
}
