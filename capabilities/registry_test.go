package capabilities

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
)

// TestStart: from the last good manifest, else the first, else the fallback;
// a corrupt last good one is ignored with a warning.
func TestStart(t *testing.T) {
	t.Parallel()
	first := mustRead(t, []byte(doc("first", "mnote.a.b")))
	tests := map[string]struct {
		first   Manifest
		load    func() ([]byte, error)
		version string
		warns   string
	}{
		"nothing at all":           {Manifest{}, nil, "fallback-1", ""},
		"a first one":              {first, nil, "first", ""},
		"a last good one":          {first, func() ([]byte, error) { return []byte(doc("last", "mnote.a.b")), nil }, "last", ""},
		"none kept yet":            {first, func() ([]byte, error) { return nil, fs.ErrNotExist }, "first", ""},
		"kept, but empty":          {first, func() ([]byte, error) { return nil, nil }, "first", ""},
		"kept, but corrupt":        {first, func() ([]byte, error) { return []byte(`{"tools":[{`), nil }, "first", "corrupt"},
		"kept, but not to be read": {first, func() ([]byte, error) { return nil, errors.New("denied") }, "first", "cannot be read"},
		"kept, but without tools":  {first, func() ([]byte, error) { return []byte(`{"tools":[]}`), nil }, "fallback-1", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			r := NewRegistry(Config{First: tt.first, Load: tt.load, Log: zerolog.New(&log)})
			if s := r.Snapshot(); s.Version() != tt.version || s.Generation() != 1 {
				t.Errorf("version %q, generation %d", s.Version(), s.Generation())
			}
			if tt.warns == "" && log.Len() > 0 || !strings.Contains(log.String(), tt.warns) {
				t.Errorf("log %q", log.String())
			}
			if err := r.Refresh(t.Context()); err != nil || !r.Seen().IsZero() {
				t.Errorf("a registry without a kernel: %v, seen %v", err, r.Seen())
			}
		})
	}
}

// TestReadFirst: the first manifest is read only by a start that needs it.
func TestReadFirst(t *testing.T) {
	t.Parallel()
	last := func() ([]byte, error) { return []byte(doc("last", "mnote.a.b")), nil }
	first := mustRead(t, []byte(doc("first", "mnote.a.b")))
	tests := map[string]struct {
		config  Config
		version string
		read    int
	}{
		"nothing better":      {Config{}, "read", 1},
		"a last good one":     {Config{Load: last}, "last", 0},
		"a first one at hand": {Config{First: first}, "first", 0},
	}
	for name, tt := range tests {
		read := 0
		tt.config.ReadFirst = func() Manifest {
			read++
			return mustRead(t, []byte(doc("read", "mnote.a.b")))
		}
		if v := NewRegistry(tt.config).Snapshot().Version(); v != tt.version || read != tt.read {
			t.Errorf("%s: version %s, read %d times", name, v, read)
		}
	}
}

// TestStamp: what was kept is served while nothing changed since, and not for one
// answer longer; a stamp that moved without the manifest is kept anew.
func TestStamp(t *testing.T) {
	t.Parallel()
	var kept []byte
	now := "one"
	k := &kernel{tb: t, doc: doc("on", "mnote.a.b")}
	open := func() *Registry {
		return NewRegistry(Config{
			Source: k, Stamp: func() string { return now },
			Load:      func() ([]byte, error) { return kept, nil },
			Save:      func(d []byte) error { kept = d; return nil },
			ReadFirst: func() Manifest { return mustRead(t, []byte(doc("asked", "mnote.a.b!"))) },
		})
	}
	first := open()
	if v := first.Snapshot(); v.Version() != "asked" || !v.Certain() {
		t.Errorf("with nothing kept: %s", v.Version())
	}
	if err := first.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v := open().Snapshot(); v.Version() != "on" || !v.Certain() {
		t.Errorf("kept under the stamp in force: %s", v.Version())
	}
	now = "two"
	if v := open().Snapshot(); v.Version() != "asked" || len(v.Tools()) != 0 {
		t.Errorf("kept under another stamp: %s", v.Version())
	}
	if err := first.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if v := open().Snapshot(); v.Version() != "on" {
		t.Errorf("kept anew: %s", v.Version())
	}
}

// TestCertain: without a stamp what was kept is a guess until the kernel said so,
// also where it only says that nothing changed.
func TestCertain(t *testing.T) {
	t.Parallel()
	k := &kernel{tb: t, doc: doc("on", "mnote.a.b")}
	r := NewRegistry(Config{Source: k, Load: func() ([]byte, error) { return []byte(k.doc), nil }})
	if r.Snapshot().Certain() {
		t.Error("nobody said so yet")
	}
	if err := r.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := r.Snapshot(); !s.Certain() || s.Generation() != 1 {
		t.Errorf("confirmed: generation %d", s.Generation())
	}
}

// TestSchemasOfOurs: a tool without a schema gets the one of our own manifests,
// which is asked for only then; a stranger takes any object.
func TestSchemasOfOurs(t *testing.T) {
	t.Parallel()
	asked := 0
	shipped := func() Manifest {
		asked++
		return mustRead(t, []byte(`{"tools":[{"name":"mnote.doc.list","inputSchema":{"ours":1}}]}`))
	}
	NewRegistry(Config{First: mustRead(t, []byte(`{"tools":[{"name":"mnote.page.get","inputSchema":{"theirs":1}}]}`)), Shipped: shipped})
	if asked != 0 {
		t.Error("asked for nothing")
	}
	r := NewRegistry(Config{First: mustRead(t, []byte(`{"tools":[{"name":"mnote.doc.list"},{"name":"mnote.new.thing"},{"name":"mnote.page.get","inputSchema":{"theirs":1}}]}`)), Shipped: shipped})
	var got []string
	for _, tool := range r.Snapshot().All() {
		got = append(got, string(tool.InputSchema))
	}
	if diff := cmp.Diff([]string{`{"ours":1}`, `{"type":"object","properties":{}}`, `{"theirs":1}`}, got); diff != "" || asked != 1 {
		t.Errorf("asked %d times: %s", asked, diff)
	}
	bare := NewRegistry(Config{First: mustRead(t, []byte(`{"tools":[{"name":"mnote.new.thing"}]}`))})
	if got := string(bare.Snapshot().All()[0].InputSchema); got != `{"type":"object","properties":{}}` {
		t.Errorf("got %s", got)
	}
}

// BenchmarkStart: what lies between the process's start and its first list.
func BenchmarkStart(b *testing.B) {
	doc := document(b, "../plugin/localkernel/manifest.json")
	b.Run("read", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := Read(doc); err != nil {
				b.Fatal(err)
			}
		}
	})
	m := mustRead(b, doc)
	b.Run("registry", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			NewRegistry(Config{First: m})
		}
	})
}
