package plugin

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/tools"
)

// instant is a kernel that answers at once.
type instant struct{}

func (instant) Manifest(context.Context, string) (capabilities.Manifest, error) {
	return capabilities.Manifest{}, capabilities.ErrNotModified
}

func (instant) Call(_ context.Context, c tools.Call) (tools.Envelope, error) {
	if c.ToolName == capabilities.ToolPageGet {
		return tools.Succeed(c, tools.EffectRead, "", c.Args)
	}
	return tools.Succeed(c, tools.EffectWrite, "cmd_"+c.ToolCallID, c.Args)
}

func benchSession(b *testing.B) *Session {
	b.Helper()
	h := New(Config{Kernel: instant{}, StateDir: b.TempDir(), KernelID: "local", Limits: Limits{CallsPerSecond: -1}})
	b.Cleanup(func() {
		if err := h.Close(context.Background()); err != nil {
			b.Error(err)
		}
	})
	doc := "page.md"
	return h.Session(SessionConfig{
		WorkspaceID: "ws_1", DocumentID: doc, ActorID: "u_1", RootURI: "file:///home/u/notes",
		Grant: &tools.Grant{Level: tools.LevelWrite, DocumentIDs: []string{doc}},
	})
}

// BenchmarkCall is the whole pipeline over a kernel that costs nothing.
func BenchmarkCall(b *testing.B) {
	for name, call := range map[string]func(s *Session, i int) tools.Envelope{
		"read": func(s *Session, _ int) tools.Envelope {
			return s.Call(context.Background(), "mnote_page_get", json.RawMessage(`{"includeBody":true}`), Meta{})
		},
		"write": func(s *Session, i int) tools.Envelope {
			args := fmt.Sprintf(`{"content":[{"text":"line %d"}],"mode":"append","dryRun":false}`, i)
			return s.Call(context.Background(), "mnote_page_save", json.RawMessage(args), Meta{})
		},
		"refusal": func(s *Session, _ int) tools.Envelope {
			return s.Call(context.Background(), "mnote_page_get", json.RawMessage(`{"documentId":"other.md"}`), Meta{})
		},
	} {
		b.Run(name, func(b *testing.B) {
			s := benchSession(b)
			p50(b, func(i int) {
				env := call(s, i)
				if env.OK == (name == "refusal") {
					b.Fatal(string(env.JSON()))
				}
				s.Delivered(env.ToolCallID)
			})
		})
	}
	b.Run("fsync", func(b *testing.B) { // what a write is to be read beside
		f, err := os.Create(filepath.Join(b.TempDir(), "file"))
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		page := make([]byte, 4096)
		p50(b, func(int) {
			if _, err := f.Write(page); err != nil {
				b.Fatal(err)
			}
			if err := f.Sync(); err != nil {
				b.Fatal(err)
			}
		})
	})
}

// p50 runs f and reports the median, which a shared machine moves less than the
// mean.
func p50(b *testing.B, f func(i int)) {
	b.Helper()
	b.ReportAllocs()
	var took []time.Duration
	for i := 1; b.Loop(); i++ {
		began := time.Now()
		f(i)
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1000, "p50-µs")
}

// BenchmarkStep is each step by itself, on a read; claim, forward and record
// also on a write. Each is fed what the step before it gave.
func BenchmarkStep(b *testing.B) {
	ctx := context.Background()
	s := benchSession(b)
	in := s.arrive("mnote_page_get", json.RawMessage(`{"includeBody":true}`), Meta{})
	found := then(ctx, begin(in), s.resolve)
	open := then(ctx, found, s.gate)
	read := then(ctx, open, s.decode)
	bound := then(ctx, read, s.bind)
	allowed := then(ctx, bound, s.authorise)
	fresh := then(ctx, allowed, s.replay)
	agreed := then(ctx, fresh, s.confirm)
	claimed := then(ctx, agreed, s.claim)
	answered := then(ctx, claimed, s.forward)
	verified := then(ctx, answered, s.verify)
	if verified.end != nil {
		b.Fatal(verified.end)
	}
	for _, step := range []struct {
		name string
		take func()
	}{
		{"00arrive", func() { s.arrive("mnote_page_get", in.raw, Meta{}) }},
		{"01resolve", func() { then(ctx, begin(in), s.resolve) }},
		{"02gate", func() { then(ctx, found, s.gate) }},
		{"03decode", func() { then(ctx, open, s.decode) }},
		{"04bind", func() { then(ctx, read, s.bind) }},
		{"05authorise", func() { then(ctx, bound, s.authorise) }},
		{"06replay", func() { then(ctx, allowed, s.replay) }},
		{"07confirm", func() { then(ctx, fresh, s.confirm) }},
		{"08claim", func() { then(ctx, agreed, s.claim) }},
		{"09forward", func() { then(ctx, claimed, s.forward) }},
		{"10verify", func() { then(ctx, answered, s.verify) }},
		{"11record", func() { s.record(ctx, verified) }},
	} {
		b.Run(step.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				step.take()
			}
		})
	}
}
