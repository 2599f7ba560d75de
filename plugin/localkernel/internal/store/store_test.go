package store

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// clock is a clock that tests set.
type clock struct{ now time.Time }

func newClock() *clock { return &clock{time.Date(2026, 11, 30, 9, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time { return c.now }

func (c *clock) pass(d time.Duration) { c.now = c.now.Add(d) }

func state(tb testing.TB, c Config) *State {
	tb.Helper()
	if c.Dir == "" {
		c.Dir = tb.TempDir()
	}
	s := NewState(c)
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

// do runs a transaction that must succeed.
func do(tb testing.TB, s *State, f func(*Tx) error) {
	tb.Helper()
	if err := s.Update(context.Background(), f); err != nil {
		tb.Fatal(err)
	}
}

func TestContent(t *testing.T) {
	t.Parallel()
	s := state(t, Config{})
	noise := make([]byte, 5000)
	r := rand.NewChaCha8([32]byte{})
	_, _ = r.Read(noise)
	tests := map[string]struct {
		data   []byte
		packed bool
	}{
		"nothing": {[]byte{}, false}, "short": {[]byte("短"), false}, "text": {[]byte(strings.Repeat("一段文字 ", 500)), true}, "noise": {noise, false},
	}
	for name, tt := range tests {
		do(t, s, func(tx *Tx) error {
			hash, err := tx.PutContent(tt.data)
			if err != nil {
				return err
			}
			if again, err := tx.PutContent(tt.data); again != hash || err != nil {
				t.Errorf("%s: a second time: %s, %v", name, again, err)
			}
			got, ok, err := tx.Content(hash)
			if !ok || !bytes.Equal(got, tt.data) {
				t.Errorf("%s: %d bytes, %v", name, len(got), ok)
			}
			var packed bool
			if _, err := tx.one(`SELECT packed FROM content WHERE hash = ?`, []any{hash}, &packed); err != nil || packed != tt.packed {
				t.Errorf("%s: packed %v, %v", name, packed, err)
			}
			return err
		})
	}
	do(t, s, func(tx *Tx) error {
		_, ok, err := tx.Content("sha256:nothing")
		if ok {
			t.Error("bytes that were never kept")
		}
		return err
	})
}

func TestSee(t *testing.T) {
	t.Parallel()
	s := state(t, Config{FirstRevision: func() int64 { return 100 }})
	do(t, s, func(tx *Tx) error {
		for _, step := range []struct {
			hash string
			want int64
		}{{"", 0}, {"h1", 100}, {"h1", 100}, {"h2", 101}, {"", 102}, {"", 102}, {"h2", 103}} {
			d, err := tx.See("a.md", step.hash)
			if err != nil {
				return err
			}
			if d.Revision != step.want {
				t.Errorf("seen as %q: revision %d, want %d", step.hash, d.Revision, step.want)
			}
		}
		next, err := tx.NextRevision("a.md")
		if next != 104 {
			t.Errorf("next is %d", next)
		}
		if first, _ := tx.NextRevision("b.md"); first != 100 {
			t.Errorf("another path begins at %d", first)
		}
		return err
	})
}

// TestPrune: beyond Keep and beyond thirty days, and never one without the
// other; what is forgotten takes its bytes with it, shared ones excepted.
func TestPrune(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := state(t, Config{Now: c.Now, Keep: 20})
	text := func(i int) []byte { return []byte(fmt.Sprintf("revision %d", i)) }
	write := func(i int) {
		do(t, s, func(tx *Tx) error {
			hash, err := tx.PutContent(text(i))
			if err != nil {
				return err
			}
			id := fmt.Sprintf("c%d", i)
			if _, err := tx.Revise(Revision{Path: "a.md", Hash: hash, Source: SourceAgent, CommandID: id}); err != nil {
				return err
			}
			return tx.AddCommand(Command{ID: id, Path: "a.md", After: hash})
		})
	}
	kept := func() (n int, first bool) {
		do(t, s, func(tx *Tx) error {
			list, err := tx.Revisions("a.md", math.MaxInt64, 1000)
			if err != nil {
				return err
			}
			n = len(list)
			first, err = tx.HasContent(HashOf(text(1)))
			return err
		})
		return n, first
	}
	for i := 1; i <= 64; i++ {
		write(i)
	}
	if n, first := kept(); n != 64 || !first {
		t.Errorf("within thirty days: %d revisions, the first kept: %v", n, first)
	}
	do(t, s, func(tx *Tx) error {
		return tx.PutNode(Node{ID: "n", Kind: NodeSummary, Path: "a.md", Hash: HashOf(text(2)), EdgeID: "e"})
	})
	c.pass(31 * 24 * time.Hour)
	for i := 65; i <= 80; i++ {
		write(i)
	}
	n, first := kept()
	if n != 20 || first {
		t.Errorf("after thirty days: %d revisions, the first kept: %v", n, first)
	}
	do(t, s, func(tx *Tx) error {
		if has, _ := tx.HasContent(HashOf(text(2))); !has {
			t.Error("the text of an artifact is gone")
		}
		if _, found, _ := tx.Command("c1"); found {
			t.Error("the command of a forgotten revision is kept")
		}
		if _, found, _ := tx.Command("c80"); !found {
			t.Error("the newest command is gone")
		}
		return nil
	})
}

func TestIntents(t *testing.T) {
	t.Parallel()
	s := state(t, Config{})
	key := Key{Actor: "a", Profile: "p", Tool: "t", Key: "k"}
	make := func(after string) (i Intent) {
		do(t, s, func(tx *Tx) error {
			if _, err := tx.See("a.md", "before"); err != nil {
				return err
			}
			i = Intent{Path: "a.md", Disk: "A.md", Temp: "t", Before: "before", After: after, Key: key, Body: "b", Command: Command{ID: "c-" + after},
				Revision: Revision{Path: "a.md", Hash: after, Source: SourceAgent}, Answer: []byte("answer")}
			var err error
			i.ID, err = tx.AddIntent(i)
			return err
		})
		return i
	}
	is := func(want KeyState, open bool) {
		t.Helper()
		do(t, s, func(tx *Tx) error {
			d, _, err := tx.Dedupe(key)
			has, _ := tx.HasIntents("a.md")
			if d.State != want || has != open {
				t.Errorf("the key is %q, an intent open: %v", d.State, has)
			}
			return err
		})
	}
	i := make("one")
	is(KeyOpen, true)
	do(t, s, func(tx *Tx) error {
		got, found, err := tx.IntentOf(key)
		if d := cmp.Diff(i, got); !found || d != "" {
			t.Errorf("the intent (-kept +got):\n%s", d)
		}
		list, _ := tx.Intents("a.md")
		if len(list) != 1 {
			t.Errorf("%d intents", len(list))
		}
		return err
	})
	do(t, s, func(tx *Tx) error { return tx.Drop(i) })
	is("", false)
	i = make("two")
	do(t, s, func(tx *Tx) error {
		d, err := tx.Finish(i)
		if d.Revision != 2 || d.Hash != "two" {
			t.Errorf("finished at %+v", d)
		}
		return err
	})
	is(KeyDone, false)
	key.Key = "k2"
	i = make("three")
	do(t, s, func(tx *Tx) error { return tx.Doubt(i) })
	is(KeyDoubt, false)
}

func TestPlans(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := state(t, Config{Now: c.Now})
	p := Plan{ID: "p1", Session: "s", Actor: "a", Tool: "t", Path: "a.md", Body: "b", BaseRevision: 3, BaseHash: "h", Rest: []byte("{}"), Expires: c.now.Add(time.Hour)}
	do(t, s, func(tx *Tx) (err error) {
		if p.ResultHash, err = tx.PutContent([]byte("result")); err != nil {
			return err
		}
		return tx.AddPlan(p)
	})
	do(t, s, func(tx *Tx) error {
		got, found, err := tx.Plan("p1")
		if d := cmp.Diff(p, got); !found || d != "" {
			t.Errorf("the plan (-kept +got):\n%s", d)
		}
		return err
	})
	do(t, s, func(tx *Tx) error { return tx.UsePlan("p1") })
	do(t, s, func(tx *Tx) error {
		got, _, err := tx.Plan("p1")
		if !got.Used.Equal(c.now) {
			t.Errorf("used at %v", got.Used)
		}
		return err
	})
	c.pass(plansKept + 2*time.Hour)
	do(t, s, func(tx *Tx) error { return tx.AddPlan(Plan{ID: "p2", Expires: c.now}) })
	do(t, s, func(tx *Tx) error {
		if _, found, _ := tx.Plan("p1"); found {
			t.Error("a plan is kept for ever")
		}
		if has, _ := tx.HasContent(p.ResultHash); has {
			t.Error("its bytes are kept for ever")
		}
		return nil
	})
}

func TestKeysAge(t *testing.T) {
	t.Parallel()
	c := newClock()
	s := state(t, Config{Now: c.Now})
	key := func(k string) Key { return Key{Key: k} }
	put := func(k string) {
		do(t, s, func(tx *Tx) error {
			return tx.PutDedupe(key(k), Dedupe{Body: "b", State: KeyDone, Answer: []byte("answer")})
		})
	}
	get := func(k string) (d Dedupe, found bool) {
		do(t, s, func(tx *Tx) (err error) { d, found, err = tx.Dedupe(key(k)); return err })
		return d, found
	}
	put("old")
	c.pass(8 * 24 * time.Hour)
	put("new")
	if d, found := get("old"); !found || len(d.Answer) != 0 || d.State != KeyDone {
		t.Errorf("after eight days: %+v, %v", d, found)
	}
	c.pass(83 * 24 * time.Hour)
	put("newer")
	if _, found := get("old"); found {
		t.Error("after ninety-one days the key is still known")
	}
	if d, found := get("new"); !found || len(d.Answer) != 0 {
		t.Errorf("after eighty-three days: %+v, %v", d, found)
	}
}

func TestNodes(t *testing.T) {
	t.Parallel()
	s := state(t, Config{})
	do(t, s, func(tx *Tx) error {
		if err := tx.PutNode(Node{ID: "n1", Kind: NodeSummary, Path: "a.md", Hash: "h1", Revision: 1, EdgeID: "e1"}); err != nil {
			return err
		}
		if err := tx.PutNode(Node{ID: "n2", Kind: NodeAINote, Path: "a.md", Hash: "h2", Revision: 1, EdgeID: "e2"}); err != nil {
			return err
		}
		return tx.PutNode(Node{ID: "n2", Kind: NodeAINote, Path: "a.md", Revision: 2, EdgeID: "e2"})
	})
	do(t, s, func(tx *Tx) error {
		list, err := tx.Nodes("a.md", "")
		if len(list) != 1 || list[0].ID != "n1" || list[0].EdgeID != "e1" {
			t.Errorf("%+v", list)
		}
		if n, found, _ := tx.Node("n2"); !found || n.Hash != "" || n.EdgeID != "e2" {
			t.Errorf("%+v", n)
		}
		return err
	})
	if err := s.Update(t.Context(), func(tx *Tx) error {
		return tx.PutNode(Node{ID: "n3", Kind: NodeSummary, Path: "a.md", Hash: "h3", EdgeID: "e3"})
	}); err == nil {
		t.Error("a page has two summaries")
	}
}

// TestReadersWaitForNobody: a view works while a writer holds the lock.
func TestReadersWaitForNobody(t *testing.T) {
	t.Parallel()
	s := state(t, Config{})
	do(t, s, func(tx *Tx) error { _, err := tx.See("a.md", "h1"); return err })
	do(t, s, func(tx *Tx) error {
		if _, err := tx.See("a.md", "h2"); err != nil {
			return err
		}
		return s.View(t.Context(), func(view *Tx) error {
			d, _, err := view.Document("a.md")
			if d.Hash != "h1" {
				t.Errorf("the view sees %q", d.Hash)
			}
			return err
		})
	})
}

func TestSwitches(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, two := NewSwitches(dir, Config{}), NewSwitches(dir, Config{})
	t.Cleanup(func() { _, _ = one.Close(), two.Close() })
	load := func(s *Switches, profile string) Switched {
		t.Helper()
		v, err := s.Load(t.Context(), profile)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if v := load(one, "p"); v.Generation != 0 || v.Packs != nil {
		t.Errorf("%+v", v)
	}
	if left, _ := filepath.Glob(dir + "/*"); len(left) != 0 {
		t.Errorf("looking made %v", left)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(one.SetPack(t.Context(), "pack-a", false))
	must(two.SetPack(t.Context(), "pack-a", false)) // nothing turns
	must(two.SetTool(t.Context(), "p", "mnote.x.y", false))
	must(one.SetTool(t.Context(), "p", "mnote.x.z", true)) // nor here
	want := Switched{Generation: 2, Packs: map[string]bool{"pack-a": false}, ToolsOff: map[string]bool{"mnote.x.y": true}}
	for _, s := range []*Switches{one, two} {
		if d := cmp.Diff(want, load(s, "p")); d != "" {
			t.Errorf("(-want +got):\n%s", d)
		}
	}
	if v := load(one, "q"); len(v.ToolsOff) != 0 || v.Packs["pack-a"] {
		t.Errorf("another profile: %+v", v)
	}
	must(one.SetTool(t.Context(), "p", "mnote.x.y", true))
	must(one.SetPack(t.Context(), "pack-a", true))
	if v := load(two, "p"); v.Generation != 4 || !v.Packs["pack-a"] || len(v.ToolsOff) != 0 {
		t.Errorf("%+v", v)
	}
}

// TestTwoStates stands for two processes: two states on one file, many writers.
func TestTwoStates(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	states := []*State{state(t, Config{Dir: dir}), state(t, Config{Dir: dir})}
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			if err := states[i%2].Durable(context.Background(), func(tx *Tx) error {
				_, err := tx.Revise(Revision{Path: "a.md", Hash: fmt.Sprint(i), Source: SourceAgent})
				return err
			}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	do(t, states[0], func(tx *Tx) error {
		d, _, err := tx.Document("a.md")
		if d.Revision != 40 {
			t.Errorf("revision %d", d.Revision)
		}
		return err
	})
}
