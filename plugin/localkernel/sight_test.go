package localkernel

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/tools"
)

const twoTasks = "# P1\n\n## Tasks\n\n- one\n\n# P2\n\n## Tasks\n\n- two\n"

// inSession sends a call for another session.
func inSession(id string) func(map[string]any) { return with("sessionId", id) }

// TestEqualBlockGone: of two equal blocks a person deletes the one that the id
// meant; the id means the other one by then, and every way to write by it is
// refused until the page is read again or the revision is named.
func TestEqualBlockGone(t *testing.T) {
	t.Parallel()
	const after = "# P2\n\n## Tasks\n\n- two\n"
	for name, args := range map[string]map[string]any{
		"insert after":  {"content": "x", "after": nil},
		"insert before": {"content": "x", "before": nil},
		"insert under":  {"content": "x", "underHeading": nil},
		"update":        {"content": "x", "blockId": nil},
		"delete":        {"blockId": nil},
		"move":          {"blockId": nil, "before": "other"},
		"move after":    {"blockId": "other", "after": nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := begin(t, map[string]string{"a.md": twoTasks})
			ids := b.ok("mnote.page.get", "a.md", nil).strings("blocks", "id")
			for arg, value := range args {
				switch value {
				case nil:
					args[arg] = ids[1]
				case "other":
					args[arg] = ids[5]
				}
			}
			b.put("a.md", after)
			tool := "mnote.block." + strings.Fields(name)[0]
			for _, change := range []func(map[string]any){with("agentId", "mcp"), dryRun, inSession("unknown")} {
				b.refused(tools.CodeConflict, "equal_blocks", tool, "a.md", args, change)
			}
			b.holds("a.md", after)
			b.ok("mnote.page.get", "a.md", nil)
			b.ok(tool, "a.md", args)
		})
	}
}

// TestEqualBlockSights: what a session saw of a page counts, not what the page
// was in between; a part of a page does not stand for the whole.
func TestEqualBlockSights(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "same\n\nother\n"})
	ids := b.ok("mnote.page.get", "a.md", nil).strings("blocks", "id")
	remove := map[string]any{"blockId": ids[0]}
	refused := func() {
		t.Helper()
		b.refused(tools.CodeConflict, "equal_blocks", "mnote.block.delete", "a.md", remove)
	}
	b.put("a.md", "same\n\nother\n\nsame\n") // a copy came
	refused()
	b.put("a.md", "other\n\nsame\n") // and the first one went
	refused()
	b.ok("mnote.block.get", "a.md", map[string]any{"blockId": ids[1]}) // not all of the page
	refused()
	b.ok("mnote.page.get", "a.md", map[string]any{"includeBlocks": false})
	refused()
	b.ok("mnote.block.insert", "a.md", map[string]any{"content": "mine"}) // nor is a write
	refused()
	b.ok("mnote.block.get", "a.md", map[string]any{"blockId": ids[0]}, inSession("session_2"))
	refused()
	b.ok("mnote.block.delete", "a.md", map[string]any{"blockId": ids[0], "expectedRevision": 4})
	b.holds("a.md", "other\n\nmine\n")
	b.put("a.md", "other\n\nsame\n\nmine\n")
	refused() // an id from before; the page without it was never read
	b.ok("mnote.page.get", "a.md", nil)
	b.ok("mnote.block.delete", "a.md", remove)
}

// TestEqualBlockOwnWrites: a session goes on by the ids that its writes answer.
func TestEqualBlockOwnWrites(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "same\n\nother\n\nsame\n"})
	ids := b.ok("mnote.page.get", "a.md", nil).strings("blocks", "id")
	b.ok("mnote.block.delete", "a.md", map[string]any{"blockId": ids[0], "expectedRevision": 1})
	b.ok("mnote.block.update", "a.md", map[string]any{"blockId": ids[0], "content": "new"})
	id := b.ok("mnote.page.get", "a.md", nil, inSession("session_2")).strings("blocks", "id")[1]
	b.put("a.md", "other\n\nnew\n\nlast\n") // an edit elsewhere is none of its business
	b.ok("mnote.block.update", "a.md", map[string]any{"blockId": id, "content": "newer"})
	b.holds("a.md", "other\n\nnewer\n\nlast\n")
}

// TestEqualBlocksInARow: a session that read the page edits its equal blocks one
// after the other; only ids that its own write may have renumbered ask for another
// look, and those that a write answered do not.
func TestEqualBlocksInARow(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "same\n\none\n\nsame\n\ntwo\n\nsame\n\nend\n"})
	ids := b.ok("mnote.page.get", "a.md", nil).strings("blocks", "id")
	update := func(id, text string) map[string]any { return map[string]any{"blockId": id, "content": text} }
	b.ok("mnote.block.update", "a.md", update(ids[1], "uno"))
	b.ok("mnote.block.insert", "a.md", map[string]any{"after": ids[2], "content": "x"})
	b.ok("mnote.block.update", "a.md", update(ids[2], "second"))
	b.refused(tools.CodeConflict, "equal_blocks", "mnote.block.update", "a.md", update(ids[4], "third")) // it is _2 by now
	b.ok("mnote.page.get", "a.md", nil)
	a := b.ok("mnote.block.update", "a.md", update(ids[5], "same"))
	b.ok("mnote.block.update", "a.md", update(a.strings("changed", "newId")[0], "last"))
	b.holds("a.md", "same\n\nuno\n\nsecond\n\nx\n\ntwo\n\nsame\n\nlast\n")
	b.put("a.md", "uno\n\nsecond\n\nx\n\ntwo\n\nsame\n\nlast\n") // and a person's edit ends it
	b.refused(tools.CodeConflict, "equal_blocks", "mnote.block.delete", "a.md", map[string]any{"blockId": ids[0]})
}

// TestEqualBlockParts: a page read in parts is seen when its last part is.
func TestEqualBlockParts(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "same\n\n" + strings.Repeat("long text ", 40) + "\n\nsame\n"})
	ids := b.ok("mnote.page.get", "a.md", nil).strings("blocks", "id")
	b.put("a.md", strings.Repeat("long text ", 40)+"\n\nsame\n")
	remove := map[string]any{"blockId": ids[0]}
	cursor := ""
	for part := 0; part == 0 || cursor != ""; part++ {
		b.refused(tools.CodeConflict, "equal_blocks", "mnote.block.delete", "a.md", remove)
		a := b.ok("mnote.page.get", "a.md", map[string]any{"maxChars": 100, "cursor": cursor})
		if cursor, _ = a.result["nextCursor"].(string); part == 0 && cursor == "" {
			t.Fatalf("one part: %s", a.raw)
		}
	}
	b.ok("mnote.block.delete", "a.md", remove)
}

// TestSightsBounded: sessions without end are forgotten, the longest unused
// first, and one that is forgotten is held to all that is kept.
func TestSightsBounded(t *testing.T) {
	t.Parallel()
	var s sights
	name := func(n int) *call { return &call{Call: tools.Call{SessionID: fmt.Sprint("session_", n)}} }
	for n := range maxSights + 10 {
		s.wrote(name(n), "a.md", 0, 7, nil, true)
		s.wrote(name(0), "a.md", 0, 8, nil, true)
	}
	if len(s.seen) != maxSights || s.of(name(0), "a.md").newest != 8 || s.of(name(1), "a.md").newest != 0 || s.of(name(maxSights), "a.md").newest != 7 {
		t.Errorf("%d kept", len(s.seen))
	}
	s.wrote(&call{Call: tools.Call{SessionID: strings.Repeat("x", maxSightName+1)}}, "a.md", 0, 7, nil, true)
	if len(s.seen) != maxSights {
		t.Error("a name without bound is kept")
	}
}

// tagged is a block of the model: its text, and which one it is.
type tagged struct {
	text string
	tag  int
}

func rendered(page []tagged) string {
	var texts []string
	for _, b := range page {
		texts = append(texts, b.text)
	}
	return strings.Join(texts, "\n\n") + "\n"
}

// followed says which block of then each block of now is, as a reader of both
// would: on the same page each is who it was, and on another the only one of its
// text stays who it was wherever it stands.
func followed(then, now []tagged) {
	if rendered(then) == rendered(now) {
		copy(now, then)
		return
	}
	only := func(page []tagged, text string) int {
		at := -1
		for i, b := range page {
			if b.text == text {
				if at >= 0 {
					return -1
				}
				at = i
			}
		}
		return at
	}
	for i := range now {
		if was, is := only(then, now[i].text), only(now, now[i].text); was >= 0 && is == i {
			now[i].tag = then[was].tag
		}
	}
}

// TestEqualBlocksModel: whatever a person does to pages of few texts between a
// session's look and its write, a write by id changes the block that was read,
// or nothing.
func TestEqualBlocksModel(t *testing.T) {
	t.Parallel()
	made, refused := 0, 0
	for seed := range uint64(120) {
		r := rand.New(rand.NewPCG(seed, 4))
		tags := 0
		fresh := func() tagged { tags++; return tagged{fmt.Sprint("text ", r.IntN(5)), tags} }
		var page []tagged
		for range 1 + r.IntN(5) {
			page = append(page, fresh())
		}
		b := begin(t, map[string]string{"a.md": rendered(page)})
		ids := b.ok("mnote.page.get", "a.md", nil).strings("blocks", "id")
		read, seen := slices.Clone(page), slices.Clone(page)
		for range r.IntN(4) {
			switch at := r.IntN(len(page) + 1); {
			case r.IntN(2) == 0 || len(page) < 2:
				page = slices.Insert(page, at, fresh())
			case r.IntN(3) == 0:
				i, j := r.IntN(len(page)), r.IntN(len(page))
				page[i], page[j] = page[j], page[i]
			default:
				page = slices.Delete(page, min(at, len(page)-1), min(at, len(page)-1)+1)
			}
			b.put("a.md", rendered(page))
			if r.IntN(2) == 0 { // somebody looks, and so the kernel sees it
				b.ok("mnote.page.get", "a.md", nil, inSession("session_2"))
				followed(seen, page)
				seen = slices.Clone(page)
			}
		}
		followed(seen, page)
		target := r.IntN(len(read))
		b.put("a.md", rendered(page))
		a := b.call("mnote.block.update", "a.md", map[string]any{"blockId": ids[target], "content": "written"})
		want := slices.Clone(page)
		at := slices.IndexFunc(want, func(x tagged) bool { return x.tag == read[target].tag })
		switch {
		case !a.OK:
			refused++
		case at < 0:
			t.Fatalf("seed %d: the block is gone, and another was written: %s", seed, b.text("a.md"))
		default:
			made++
			want[at].text = "written"
		}
		b.holds("a.md", rendered(want))
	}
	if made < 15 || refused < 15 {
		t.Errorf("%d made, %d refused: the model tries too little", made, refused)
	}
}
