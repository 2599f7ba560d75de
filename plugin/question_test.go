package plugin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// shownRig is a rig whose every write is asked about, by a person who says what
// say says; it gives the questions that were put.
func shownRig(t *testing.T, doc string, dry func() any, say func() plugin.Answer) (*asking, func(string) tools.Envelope, *[]plugin.Question) {
	t.Helper()
	a := newAsking(t, doc)
	a.dry = func(tools.Call) any { return dry() }
	var asked []plugin.Question
	call := func(args string) tools.Envelope {
		return a.deliver(a.session.Call(t.Context(), "mnote_page_save", json.RawMessage(args), plugin.Meta{
			Confirm: confirmer(func(_ context.Context, q plugin.Question) plugin.Answer {
				asked = append(asked, q)
				return say()
			}),
		}))
	}
	return a, call, &asked
}

// The person who is asked in the client sees what the write would change, as one
// at a terminal does: no arguments, the page, the lines, and how many are cut.
func TestQuestionShowsTheChange(t *testing.T) {
	t.Parallel()
	diff := "--- before\n+++ after\n@@ -1,3 +1,2 @@\n # Title\n-gone\n+new  \n"
	result := map[string]any{"documentId": "notes/b.md", "unifiedDiff": diff, "diffStat": map[string]any{"added": 1, "removed": 1}}
	_, call, asked := shownRig(t, manifest, func() any { return result }, func() plugin.Answer { return plugin.No })
	call(save)
	text := (*asked)[0].Text
	for _, want := range []string{"mnote.page.save", "notes/b.md", "-gone", "+new<space×2>", "1 line added, 1 line removed"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q lacks %q", text, want)
		}
	}
	if strings.Contains(text, `"content"`) {
		t.Errorf("%q shows arguments", text)
	}
	long := diff
	for i := range 400 {
		long += fmt.Sprintf("-a line that goes away, number %d\n", i)
	}
	result["wholeDiff"], result["unifiedDiffTruncated"], result["diffStat"] = long, true, map[string]any{"added": 1, "removed": 401}
	call(save)
	text = (*asked)[1].Text
	shown := strings.Count(text, "goes away")
	if want := fmt.Sprintf("0 lines added and %d lines removed are NOT shown. When in doubt do not agree", 400-shown); shown == 0 || len(text) > 4000 || !strings.Contains(text, want) {
		t.Errorf("%d bytes, %d lines, no %q:\n%s", len(text), shown, want, text)
	}
}

// A yes in the client is a yes to what was shown: the write is held to it, by the
// plan, by the revision or by trying it out again.
func TestYesIsToWhatWasShown(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		manifest  string
		dry, then map[string]any // before and after the page is edited
		want      string         // what the kernel is sent, "" where the edit is found out before
	}{
		"the kernel's plan":  {planning, map[string]any{"planId": "kp_1", "resultRevision": 2}, nil, `{"content":"x","planId":"kp_1"}`},
		"its revision":       {manifest, map[string]any{"baseRevision": 7}, nil, `{"content":"x","expectedRevision":7}`},
		"no plan, a number":  {planning, map[string]any{"baseRevision": 7}, nil, `{"content":"x","expectedRevision":7}`},
		"no revision":        {manifest, map[string]any{"unifiedDiff": "+x\n"}, map[string]any{"unifiedDiff": "-all of it\n+x\n"}, ""},
		"neither plan there": {planning, map[string]any{"unifiedDiff": "+x\n"}, map[string]any{"unifiedDiff": "-all of it\n+x\n"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dry := c.dry
			a, call, _ := shownRig(t, c.manifest, func() any { return dry }, func() plugin.Answer {
				if c.then != nil {
					dry = c.then // somebody edits the page while the person reads
				}
				return plugin.Yes
			})
			env := call(save)
			if c.want == "" {
				if code(env) != "mnote_tool_conflict stale" || a.writes() != nil {
					t.Errorf("%s, sent %v", env.JSON(), a.writes())
				}
				return
			}
			if got := a.writes(); !env.OK || len(got) != 1 || got[0] != c.want {
				t.Errorf("%s, sent %v, want %s", env.JSON(), got, c.want)
			}
		})
	}
}

// A retry of a write whose answer was lost passes on the yes that it had: what it
// would do now is another thing, and nobody is asked about that.
func TestRetryPassesOnItsYes(t *testing.T) {
	t.Parallel()
	n := 0
	a, call, asked := shownRig(t, planning, func() any { n++; return map[string]any{"planId": fmt.Sprint("kp_", n)} }, func() plugin.Answer { return plugin.Yes })
	a.write = func(tools.Call) (tools.Envelope, error) { return tools.Envelope{}, context.DeadlineExceeded }
	if got := code(call(save)); got != "mnote_tool_timeout" {
		t.Fatalf("got %q", got)
	}
	a.write = nil
	if env := call(save); !env.OK || len(*asked) != 1 {
		t.Errorf("%s, asked %d times", env.JSON(), len(*asked))
	}
	if w := a.writes(); len(w) != 2 || w[0] != w[1] {
		t.Errorf("sent %v", w)
	}
	if env := call(save); !env.OK || len(*asked) != 2 {
		t.Errorf("%s, a new write asked %d times in all", env.JSON(), len(*asked))
	}
}

// speaking is a Confirmer that says how its person speaks.
type speaking struct {
	plugin.Confirmer
	by string
}

func (s speaking) By() string { return s.by }

// Who said yes or no, and how, is in the row of the call.
func TestRowSaysWhoAgreed(t *testing.T) {
	t.Parallel()
	a := newAsking(t, manifest)
	send := func(args string, c plugin.Confirmer) {
		a.deliver(a.session.Call(t.Context(), "mnote_page_save", json.RawMessage(args), plugin.Meta{Confirm: c}))
	}
	send(`{"content": "1", "dryRun": false}`, always(plugin.Yes))
	send(`{"content": "2", "dryRun": false}`, always(plugin.No))
	send(`{"content": "3", "dryRun": false}`, speaking{always(plugin.Yes), "permission"})
	const waits, refusedOutside = `{"content": "4", "dryRun": false}`, `{"content": "5", "dryRun": false}`
	for args, decide := range map[string]func(context.Context, string, string) (plugin.Plan, error){waits: a.host.Approve, refusedOutside: a.host.Decline} {
		id := a.ask(args)
		if _, err := decide(t.Context(), id, "console"); err != nil {
			t.Fatal(err)
		}
	}
	send(waits, nil)
	send(refusedOutside, nil)
	a.deliver(a.call("mnote_page_save", `{"content": "6", "dryRun": true}`))
	var got []string
	for _, r := range a.rows(t) {
		if string(r.Code) != required {
			got = append(got, r.Agreed+" "+string(r.Effect)+" "+string(r.Code))
		}
	}
	want := []string{"client write ", "client none " + declined, "permission write ", "console write ", "console none " + declined, " dry_run "}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// What would carry a text out of sight is shown as what it is.
func TestVisibleDiff(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"+fix a typo" + strings.Repeat(" ", 300) + "HIDDEN\n": "+fix a typo<space×300>HIDDEN\n",
		"+ends in two  \n": "+ends in two<space×2>\n", "-\n+\n": "-\n+\n", " same  \n": " same  \n", "+a b\tc\n": "+a b\tc\n",
		"+" + strings.Repeat("\u3000", 20) + "x":     "+<space×20>x",
		"+" + strings.Repeat(" ", 16) + "indented\n": "+" + strings.Repeat(" ", 16) + "indented\n",
		"":                            "",
		"+a\u202eb" + "\u3164" + "\n": "+a<U+202E>b<space×1>\n",
	} {
		if got := plugin.VisibleDiff(in); got != want {
			t.Errorf("%q is shown as %q, want %q", in, got, want)
		}
	}
}
