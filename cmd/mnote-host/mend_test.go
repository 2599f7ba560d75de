package main

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/mcp"
)

// turn is one call of a scripted model.
type turn struct {
	tool string
	args map[string]any
	look bool // the page is read first
}

// advice is a rule of the scripted model: what a refusal says, and the call it
// makes of it. The model knows nothing of tools and pages but what was said.
type advice struct {
	said  *regexp.Regexp
	apply func(t turn, said []string, details map[string]any) turn
}

func (t turn) with(name string, value any) turn {
	args := map[string]any{}
	for k, v := range t.args {
		args[k] = v
	}
	args[name] = value
	if value == nil {
		delete(args, name)
	}
	return turn{tool: t.tool, args: args}
}

// firstOf gives a member of the first element of a list in the details.
func firstOf(details map[string]any, list, member string) any {
	all, _ := details[list].([]any)
	if len(all) == 0 {
		return nil
	}
	o, _ := all[0].(map[string]any)
	return o[member]
}

var advices = []advice{
	{regexp.MustCompile(`the nearest names are (\w+)`), func(t turn, said []string, _ map[string]any) turn { return turn{tool: said[1], args: t.args} }},
	{regexp.MustCompile(`alike are: ([^,;]+)`), func(t turn, said []string, _ map[string]any) turn { return t.with("documentId", said[1]) }},
	{regexp.MustCompile(`/(\w+): unknown argument \(allowed: the nearest is (\w+)`), func(t turn, said []string, _ map[string]any) turn {
		return t.with(said[2], t.args[said[1]]).with(said[1], nil)
	}},
	{regexp.MustCompile(`/(\w+): unknown argument`), func(t turn, said []string, _ map[string]any) turn { return t.with(said[1], nil) }},
	{regexp.MustCompile(`/(\w+): [^(]+\(allowed: one of .*?"(\w+)"\)`), func(t turn, said []string, _ map[string]any) turn { return t.with(said[1], said[2]) }},
	{regexp.MustCompile(`name things by their (?:plain )?path from`), func(t turn, _ []string, _ map[string]any) turn {
		return t.with("documentId", path.Base(t.args["documentId"].(string)))
	}},
	{regexp.MustCompile(`not accepted \(it has a backslash\)`), func(t turn, _ []string, _ map[string]any) turn {
		return t.with("documentId", strings.ReplaceAll(t.args["documentId"].(string), `\`, "/"))
	}},
	{regexp.MustCompile(`not accepted \(it has percent-encoded characters\)`), func(t turn, _ []string, _ map[string]any) turn {
		return t.with("documentId", strings.ReplaceAll(t.args["documentId"].(string), "%20", " "))
	}},
	{regexp.MustCompile(`not accepted \(it has \. or \.\. in it\)`), func(t turn, _ []string, _ map[string]any) turn {
		return t.with("folder", strings.TrimPrefix(t.args["folder"].(string), "./"))
	}},
	{regexp.MustCompile(`leave the argument out`), func(t turn, _ []string, d map[string]any) turn { return t.with(d["field"].(string), nil) }},
	{regexp.MustCompile(`cursor.*(leave it out|or none)`), func(t turn, _ []string, _ map[string]any) turn { return t.with("cursor", nil) }},
	{regexp.MustCompile(`without folder`), func(t turn, _ []string, _ map[string]any) turn { return t.with("folder", nil) }},
	{regexp.MustCompile(`needs expectedRevision .*revision is (\d+) now|the page's revision is (\d+) now`), func(t turn, _ []string, d map[string]any) turn {
		return t.with("expectedRevision", d["currentRevision"])
	}},
	{regexp.MustCompile(`Read the whole page again`), func(t turn, _ []string, _ map[string]any) turn {
		t.look = true
		return t
	}},
	{regexp.MustCompile(`dry run|dryRun=true`), func(t turn, _ []string, _ map[string]any) turn { return t.with("planId", nil).with("dryRun", true) }},
	{regexp.MustCompile(`no block has the id (\w+).*details\.blocks lists the ids`), func(t turn, said []string, d map[string]any) turn {
		for field, value := range t.args {
			if value == said[1] {
				return t.with(field, firstOf(d, "blocks", "id"))
			}
		}
		return t
	}},
	{regexp.MustCompile(`headings match|no such heading`), func(t turn, _ []string, d map[string]any) turn {
		return t.with("underHeading", firstOf(d, "candidates", "blockId"))
	}},
	{regexp.MustCompile(`name a block's id in after or before`), func(t turn, _ []string, _ map[string]any) turn { return t.with("after", "b_none") }},
	{regexp.MustCompile(`name at most one of`), func(t turn, _ []string, _ map[string]any) turn { return t.with("underHeading", nil) }},
	{regexp.MustCompile(`there are: ([\w-]+)`), func(t turn, said []string, _ map[string]any) turn { return t.with("skillId", said[1]) }},
	{regexp.MustCompile(`choose another path`), func(t turn, _ []string, _ map[string]any) turn { return t.with("path", "another.md") }},
	{regexp.MustCompile(`needs a path that ends in \.md, or a title`), func(t turn, _ []string, _ map[string]any) turn { return t.with("title", "A title") }},
	{regexp.MustCompile(`send (documentId) with the call`), func(t turn, said []string, _ map[string]any) turn { return t.with(said[1], "a.md") }},
	{regexp.MustCompile(`a title is one line`), func(t turn, _ []string, _ map[string]any) turn {
		return t.with("title", strings.ReplaceAll(t.args["title"].(string), "\n", " "))
	}},
	{regexp.MustCompile(`use the tool that deletes it`), func(t turn, _ []string, _ map[string]any) turn {
		return turn{tool: "mnote_block_delete", args: t.with("content", nil).args}
	}},
	{regexp.MustCompile(`use a new key`), func(t turn, _ []string, _ map[string]any) turn { return t.with("idempotencyKey", "another") }},
	{regexp.MustCompile(`/(\w+): missing \(allowed: true or false\)`), func(t turn, said []string, _ map[string]any) turn { return t.with(said[1], true) }},
	{regexp.MustCompile(`/(\w+): missing \(allowed: a string\)`), func(t turn, said []string, _ map[string]any) turn { return t.with(said[1], "x") }},
}

// mended gives the call that the model makes of a refusal.
func (t turn) mended(e *tools.Error) (turn, bool) {
	for _, a := range advices {
		if said := a.said.FindStringSubmatch(e.Message); said != nil {
			return a.apply(t, said, e.Details), true
		}
	}
	return t, false
}

// wrongTurns are calls that fit no schema's fault alone: wrong names, places,
// revisions, plans and cursors, on the pages of mendingNotes.
var wrongTurns = []struct {
	kind string
	turn
}{
	{"a tool's name, mistyped", turn{tool: "mnote_page_gte", args: map[string]any{"documentId": "a.md"}}},
	{"a tool's name without its prefix", turn{tool: "page_get", args: map[string]any{"documentId": "a.md"}}},
	{"another host's name for a tool", turn{tool: "read_page", args: map[string]any{"documentId": "a.md"}}},
	{"another host's name for the page", turn{tool: "mnote_page_get", args: map[string]any{"path": "a.md"}}},
	{"another host's name for the folder", turn{tool: "mnote_doc_list", args: map[string]any{"path": "sub"}}},
	{"another host's name for the text", turn{tool: "mnote_block_insert", args: map[string]any{"documentId": "a.md", "markdown": "x", "dryRun": true}}},
	{"no page", turn{tool: "mnote_page_get", args: map[string]any{}}},
	{"a page without its ending", turn{tool: "mnote_page_get", args: map[string]any{"documentId": "a"}}},
	{"a page without its folder", turn{tool: "mnote_page_get", args: map[string]any{"documentId": "deep page.md"}}},
	{"a page in another case", turn{tool: "mnote_page_get", args: map[string]any{"documentId": "A.MD"}}},
	{"a page, mistyped", turn{tool: "mnote_page_get", args: map[string]any{"documentId": "sub/dep page.md"}}},
	{"a write to a page, mistyped", turn{tool: "mnote_page_save", args: map[string]any{"documentId": "sub/dep page.md", "content": "x", "mode": "append", "dryRun": false}}},
	{"a page by its place on the disk", turn{tool: "mnote_page_get", args: map[string]any{"documentId": "/home/me/notes/a.md"}}},
	{"a page by its URL", turn{tool: "mnote_page_get", args: map[string]any{"documentId": "file:///home/me/notes/a.md"}}},
	{"a page above the root", turn{tool: "mnote_page_get", args: map[string]any{"documentId": "../notes/a.md"}}},
	{"a page with a backslash", turn{tool: "mnote_page_get", args: map[string]any{"documentId": `sub\deep page.md`}}},
	{"a page with percent signs", turn{tool: "mnote_page_get", args: map[string]any{"documentId": "sub/deep%20page.md"}}},
	{"another workspace", turn{tool: "mnote_page_get", args: map[string]any{"documentId": "a.md", "workspaceId": "ws_other"}}},
	{"a cursor of nobody's", turn{tool: "mnote_page_get", args: map[string]any{"documentId": "a.md", "cursor": "zzz"}}},
	{"a list's cursor of nobody's", turn{tool: "mnote_doc_list", args: map[string]any{"cursor": "zzz"}}},
	{"a folder that is none", turn{tool: "mnote_doc_list", args: map[string]any{"folder": "nowhere"}}},
	{"a page for a folder", turn{tool: "mnote_doc_list", args: map[string]any{"folder": "a.md"}}},
	{"a folder with a dot", turn{tool: "mnote_doc_list", args: map[string]any{"folder": "./sub"}}},
	{"no revision", turn{tool: "mnote_page_save", args: map[string]any{"documentId": "a.md", "content": "x", "mode": "replace", "dryRun": false}}},
	{"a revision that is gone", turn{tool: "mnote_page_update_title", args: map[string]any{"documentId": "sub/deep page.md", "title": "Deep", "dryRun": false, "expectedRevision": 99}}},
	{"a plan of nobody's", turn{tool: "mnote_page_save", args: map[string]any{"documentId": "a.md", "content": "x", "mode": "append", "dryRun": false, "planId": "plan_x"}}},
	{"a mode of another's", turn{tool: "mnote_page_save", args: map[string]any{"documentId": "a.md", "content": "x", "mode": "prepend", "dryRun": true}}},
	{"a block of nobody's", turn{tool: "mnote_block_get", args: map[string]any{"documentId": "a.md", "blockId": "b_none"}}},
	{"a write to a block of nobody's", turn{tool: "mnote_block_update", args: map[string]any{"documentId": "a.md", "blockId": "b_none", "content": "x", "dryRun": true}}},
	{"behind a block of nobody's", turn{tool: "mnote_block_insert", args: map[string]any{"documentId": "a.md", "after": "b_none", "content": "x", "dryRun": true}}},
	{"a heading that stands twice", turn{tool: "mnote_block_insert", args: map[string]any{"documentId": "a.md", "underHeading": "Goals", "content": "x", "dryRun": true}}},
	{"a heading, mistyped", turn{tool: "mnote_block_insert", args: map[string]any{"documentId": "a.md", "underHeading": "Gaols", "content": "x", "dryRun": true}}},
	{"a move without a place", turn{tool: "mnote_block_move", args: map[string]any{"documentId": "a.md", "blockId": "b_intro", "dryRun": true}}},
	{"two places at once", turn{tool: "mnote_block_insert", args: map[string]any{"documentId": "a.md", "underHeading": "Next", "before": "b_none", "content": "x", "dryRun": true}}},
	{"a place of another's", turn{tool: "mnote_block_insert", args: map[string]any{"documentId": "a.md", "position": "bottom", "content": "x", "dryRun": true}}},
	{"nothing for a block", turn{tool: "mnote_block_update", args: map[string]any{"documentId": "a.md", "blockId": "b_intro", "content": "", "dryRun": true}}},
	{"a title of two lines", turn{tool: "mnote_page_update_title", args: map[string]any{"documentId": "a.md", "title": "One\nTwo", "dryRun": true}}},
	{"a page that is there already", turn{tool: "mnote_doc_create", args: map[string]any{"path": "a.md", "title": "A", "dryRun": true}}},
	{"a page without a name", turn{tool: "mnote_doc_create", args: map[string]any{"content": "x", "dryRun": true}}},
	{"a skill of nobody's", turn{tool: "mnote_skill_read", args: map[string]any{"skillId": "notes"}}},
	{"an artifact's page, mistyped", turn{tool: "mnote_artifact_create_summary", args: map[string]any{"documentId": "deep-page", "summary": "x", "dryRun": true}}},
	{"a history of a page, mistyped", turn{tool: "mnote_doc_history", args: map[string]any{"documentId": "deep page"}}},
	{"no dryRun", turn{tool: "mnote_page_update_title", args: map[string]any{"documentId": "a.md", "title": "A"}}},
}

// mendingNotes are the pages of the wrong turns.
var mendingNotes = map[string]string{
	"a.md":             "# A\n\nintro\n\n## Goals\n\none\n\n## Goals\n\ntwo\n\n## Next\n\nlast\n",
	"sub/deep page.md": "# Deep\n\ntext\n",
}

// TestModelMendsThroughTheFace: what a refusal says on the wire is enough to make
// the next call right, with nothing known but the refusal.
func TestModelMendsThroughTheFace(t *testing.T) {
	t.Parallel()
	for _, tt := range wrongTurns {
		t.Run(tt.kind, func(t *testing.T) {
			t.Parallel()
			c := onMendingNotes(t)
			wrong := tt.turn
			if wrong.args["blockId"] == "b_intro" {
				wrong = wrong.with("blockId", introOf(t, c))
			}
			_, env := outcomeOf(t, c, wrong.tool, wrong.args)
			if env.Error == nil {
				t.Fatalf("it was taken: %s %v", wrong.tool, wrong.args)
			}
			next, ok := wrong.mended(env.Error)
			if !ok {
				t.Fatalf("nothing to go by: %s", env.Error.Message)
			}
			// A second fault may have stood behind the first: it is told then.
			_, again := outcomeOf(t, c, next.tool, next.args)
			if again.Error != nil && again.Error.Message != env.Error.Message {
				env.Error = again.Error
				if next, _ = next.mended(again.Error); next.look {
					outcomeOf(t, c, "mnote_page_get", map[string]any{"documentId": next.args["documentId"]})
				}
				_, again = outcomeOf(t, c, next.tool, next.args)
			}
			if again.Error != nil {
				t.Errorf("%s\nmended to %s %v\nrefused again: %s", env.Error.Message, next.tool, next.args, again.Error.Message)
			}
		})
	}
}

// onMendingNotes is a client on the notes, in a folder of their own.
func onMendingNotes(t *testing.T) *mcp.Probe {
	t.Helper()
	notes := t.TempDir()
	for name, text := range mendingNotes {
		file := filepath.Join(notes, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := aProgram(t, map[string]string{"workspace": notes, "state": t.TempDir()})
	w := p.assemble()
	t.Cleanup(w.close)
	return p.connectTo(t, w)
}

// introOf is the id of the paragraph below the title.
func introOf(t *testing.T, c *mcp.Probe) string {
	t.Helper()
	_, env := outcomeOf(t, c, "mnote_page_get", map[string]any{"documentId": "a.md", "includeBlocks": true})
	var page struct{ Blocks []struct{ ID, Text string } }
	if err := json.Unmarshal(env.Result, &page); err != nil {
		t.Fatal(err)
	}
	return page.Blocks[1].ID
}
