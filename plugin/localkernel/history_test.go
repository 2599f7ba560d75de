package localkernel

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/tools"
)

// revisions reads a page's history to its end and checks that it comes in parts
// that fit a reply.
func (b *bench) revisions(id string, args map[string]any) (all []int64, parts int) {
	b.tb.Helper()
	next := map[string]any{}
	for k, v := range args {
		next[k] = v
	}
	for {
		a := b.ok("mnote.doc.history", id, next)
		list := a.result["revisions"].([]any)
		if parts++; len(list) == 0 || jsonSize(a.result) > maxReply+200 {
			b.tb.Fatalf("a part of %d revisions and %d bytes", len(list), jsonSize(a.result))
		}
		for _, r := range list {
			all = append(all, int64(r.(map[string]any)["revision"].(float64)))
		}
		cursor, more := a.result["nextCursor"]
		if !more {
			return all, parts
		}
		next["cursor"] = cursor
	}
}

// down lists the numbers from n down to 1.
func down(from, to int64) (list []int64) {
	for n := from; n >= to; n-- {
		list = append(list, n)
	}
	return list
}

// TestHistoryPages: a history comes whole, each revision once, whatever the
// limit, and while somebody goes on writing.
func TestHistoryPages(t *testing.T) {
	t.Parallel()
	const writes = 90
	b := begin(t, map[string]string{"a.md": "x\n", "b.md": "x\n"})
	long := with("actorId", strings.Repeat("名", 3000))
	for n := range writes {
		b.ok("mnote.page.save", "a.md", appended(fmt.Sprint(n)), long)
	}
	for limit, atLeast := range map[int]int{1: writes + 1, 7: 13, 60: 3, 1000: 3} {
		got, parts := b.revisions("a.md", map[string]any{"limit": limit})
		if d := cmp.Diff(down(writes+1, 1), got); d != "" || parts < atLeast {
			t.Errorf("limit %d in %d parts: %s", limit, parts, d)
		}
	}
	first := b.ok("mnote.doc.history", "a.md", nil)
	if n := len(first.result["revisions"].([]any)); n == 0 || n > defaultRevisions {
		t.Errorf("%d revisions where nothing was asked", n)
	}
	cursor := first.result["nextCursor"].(string)
	b.ok("mnote.page.save", "a.md", appended("later"))
	second := b.ok("mnote.doc.history", "a.md", map[string]any{"cursor": cursor})
	last := first.result["revisions"].([]any)
	if got, want := second.result["revisions"].([]any)[0].(map[string]any)["revision"].(float64), last[len(last)-1].(map[string]any)["revision"].(float64)-1; got != want {
		t.Errorf("the second part begins at %v, want %v", got, want)
	}
	b.ok("mnote.page.save", "b.md", appended("y"))
	b.refused(tools.CodeInvalidArgs, "cursor_other_page", "mnote.doc.history", "b.md", map[string]any{"cursor": cursor})
	for _, bad := range []string{"nonsense", cursor + "x", "h1.0." + cursorMark("a.md"), "h1.-1." + cursorMark("a.md"), "h1..", "h1.99999999999999999999." + cursorMark("a.md"), listCursor("a.md")} {
		b.refused(tools.CodeInvalidArgs, "cursor_invalid", "mnote.doc.history", "a.md", map[string]any{"cursor": bad})
	}
	b.must(removeAll(b.path("a.md")))
	if got, _ := b.revisions("a.md", map[string]any{"limit": 50}); len(got) < writes {
		t.Errorf("a page that is gone has %d revisions left", len(got))
	}
}

// FuzzHistoryCursor: a cursor from outside is refused or is a number to go on
// below; one of ours comes back as it was.
func FuzzHistoryCursor(f *testing.F) {
	f.Add(historyCursor("a.md", 41), int64(41))
	f.Add("h1.1.AAAAAAAA", int64(1))
	f.Fuzz(func(t *testing.T, cursor string, n int64) {
		if below, err := (historyArgs{Cursor: cursor}).before("a.md"); err == nil && below < 1 {
			t.Errorf("%q goes on below %d", cursor, below)
		}
		below, err := historyArgs{Cursor: historyCursor("a.md", n)}.before("a.md")
		if n > 0 && (err != nil || below != n) {
			t.Errorf("the cursor of %d gives %d, %v", n, below, err)
		}
	})
}

// TestHistoryKeep: however few revisions are to be kept, each write of the last
// 30 days can be undone; after that no more are kept than was asked for.
func TestHistoryKeep(t *testing.T) {
	t.Parallel()
	const first = "start\n"
	now := time.Date(2026, 11, 1, 9, 0, 0, 0, time.UTC)
	b := begin(t, map[string]string{"a.md": first}, func(o *Options) {
		o.HistoryKeep, o.Now = 1, func() time.Time { return now }
	})
	var done []answer
	save := func(n int) {
		for i := range n {
			done = append(done, b.ok("mnote.page.save", "a.md", appended(fmt.Sprint(i))))
		}
	}
	save(40)
	now = now.Add(30*24*time.Hour - time.Minute)
	save(40)
	for i := len(done) - 1; i >= 0; i-- {
		b.ok("mnote.command.undo", "", map[string]any{"commandId": done[i].commandID()})
	}
	b.holds("a.md", first)
	if got, _ := b.revisions("a.md", nil); len(got) != 161 {
		t.Errorf("%d revisions of 161 are kept within 30 days", len(got))
	}

	// What another program changed yesterday goes back too, though what it
	// replaced is older than 30 days.
	now = now.Add(31 * 24 * time.Hour)
	b.put("a.md", "by hand\n")
	at := b.ok("mnote.page.get", "a.md", nil).revision()
	save(20)
	if got, _ := b.revisions("a.md", nil); cmp.Diff(down(182, 161), got) != "" {
		t.Errorf("after 30 days there are %v", got)
	}
	b.ok("mnote.doc.restore", "a.md", map[string]any{"revision": at - 1, "expectedRevision": 182})
	b.holds("a.md", first)
	b.refused(tools.CodeInvalidArgs, "unknown_command", "mnote.command.undo", "", map[string]any{"commandId": done[0].commandID()})
	b.refused(tools.CodeInvalidArgs, "", "mnote.doc.restore", "a.md", map[string]any{"revision": 100, "expectedRevision": 183})

	// Down to what was asked for, once the rest is old.
	now = now.Add(61 * 24 * time.Hour)
	save(1)
	if got, _ := b.revisions("a.md", nil); cmp.Diff(down(184, 183), got) != "" {
		t.Errorf("after 30 days more there are %v", got)
	}
}
