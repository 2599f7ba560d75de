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
	"regexp"
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

// heard is what the host wrote, in a form that can be compared: ids that it made
// up are $id1, …, its requestStates $state1, ….
type heard struct {
	mu            sync.Mutex
	shown         []string
	skipped       int    // frames yet to come that are not shown
	script        string // the kernel's words, which are shown
	names, values map[string]string
}

func newHeard(script string) *heard {
	return &heard{script: script, names: map[string]string{}, values: map[string]string{"$modern": saysWhoItIs(`{}`), "$asking": saysWhoItIs(`{"elicitation":{}}`)}}
}

func saysWhoItIs(abilities string) string {
	return `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":` + abilities + `}`
}

// skip keeps the next frame out of what is shown.
func (h *heard) skip() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.skipped++
}

func (h *heard) listen(t *testing.T, r io.Reader) {
	dec := json.NewDecoder(r)
	dec.UseNumber()
	for {
		var frame any
		if err := dec.Decode(&frame); err != nil {
			if err != io.EOF && err != io.ErrClosedPipe {
				t.Errorf("the host wrote no JSON: %v", err)
			}
			return
		}
		h.hear(frame)
	}
}

func (h *heard) hear(frame any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.skipped > 0 {
		h.skipped--
		return
	}
	h.shown = append(h.shown, show(h.plain(frame)))
}

var stateForm = regexp.MustCompile(`^[A-Za-z0-9_-]{80,}$`)

// plain puts names in place of what differs from run to run.
func (h *heard) plain(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = h.plain(v[i])
		}
	case map[string]any:
		if _, opened := v["method"]; opened && v["id"] != nil {
			v["id"] = h.name("id", fmt.Sprint(v["id"]))
		}
		if _, cancelled := v["requestId"]; cancelled {
			v["requestId"] = h.name("id", fmt.Sprint(v["requestId"]))
		}
		if s, ok := v["requestState"].(string); ok && stateForm.MatchString(s) {
			v["requestState"] = h.name("state", s)
		}
		if s, ok := v["text"].(string); ok {
			v["text"] = readable(s)
		}
		h.hush(v)
		for k, sub := range v {
			v[k] = h.plain(sub)
		}
		shorten(v)
	}
	return v
}

// hush takes out what the pipeline's own texts say: of an error, of its
// violations, of a question.
func (h *heard) hush(v map[string]any) {
	code, _ := v["code"].(string)
	_, question := v["requestedSchema"]
	members := []string{"allowed", "problem"}
	if strings.HasPrefix(code, "mnote_") || question {
		members = append(members, "message")
	}
	for _, name := range members {
		if s, is := v[name].(string); is && !h.scripted(s) {
			v[name] = "…"
		}
	}
	data, _ := v["data"].(map[string]any)
	said, _ := data["message"].(string)
	if whole, is := v["message"].(string); is && said != "" && !h.scripted(said) {
		v["message"] = strings.ReplaceAll(whole, said, "…")
	}
}

// scripted reports whether a text is the kernel's, calmed or not.
func (h *heard) scripted(s string) bool {
	plain := func(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", " ") }
	return strings.Contains(plain(h.script), plain(s))
}

// readable shows a text that is JSON as what it holds.
func readable(s string) any {
	dec := json.NewDecoder(strings.NewReader(s))
	dec.UseNumber()
	var v any
	if !strings.HasPrefix(s, "{") || dec.Decode(&v) != nil {
		return s
	}
	return map[string]any{"json": v}
}

// shorten marks a result's text that repeats its structuredContent.
func shorten(v map[string]any) {
	content, _ := v["content"].([]any)
	if len(content) != 1 || v["structuredContent"] == nil {
		return
	}
	block, _ := content[0].(map[string]any)
	text, _ := block["text"].(map[string]any)
	if text != nil && cmp.Equal(text["json"], v["structuredContent"]) {
		block["text"] = "= structuredContent"
	}
}

func (h *heard) name(kind, value string) string {
	if n, known := h.names[value]; known {
		return n
	}
	n := 1
	for _, taken := range h.names {
		if strings.HasPrefix(taken, "$"+kind) {
			n++
		}
	}
	name := fmt.Sprintf("$%s%d", kind, n)
	h.names[value], h.values[name] = name, value
	return name
}

// fill puts the host's own values back into a client's line.
func (h *heard) fill(line string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	for name, value := range h.values {
		line = strings.ReplaceAll(line, name, value)
	}
	return line
}

func show(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // it was decoded from JSON
	return strings.TrimSpace(b.String())
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
