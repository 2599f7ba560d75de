package kerneltest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mnote-dev/mnote-host/tools"
)

type fakePage struct {
	text     string
	revision int64
}

type fakeBlock struct {
	ID   string `json:"id,omitempty"`
	Type string `json:"type"`
	Text string `json:"text"`
}

// fakeArgs are the arguments of the fake's tools.
type fakeArgs struct {
	IncludeBlocks    *bool
	Mode             string
	Content          []fakeBlock
	ExpectedRevision *int64
	PlanID           string
	CommandID        string
}

func (p *fakePage) blocks() []fakeBlock {
	blocks := []fakeBlock{}
	for i, text := range strings.Split(p.text, "\n\n") {
		blocks = append(blocks, fakeBlock{ID: fmt.Sprintf("b%d_%s", i, hashOf(text)[:6]), Type: "paragraph", Text: text})
	}
	return blocks
}

func (p *fakePage) title() string {
	first, _, _ := strings.Cut(p.text, "\n")
	return strings.TrimLeft(first, "# ")
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// page gives the call's page; with FindsAnother, any.
func (f *Fake) page(c tools.Call) *fakePage {
	if p := f.pages[c.Document()]; p != nil {
		return p
	}
	for _, p := range f.pages {
		return p
	}
	return &fakePage{}
}

// read answers the tool that gives a page.
func (f *Fake) read(c tools.Call) (tools.Envelope, *tools.Error) {
	p := f.page(c)
	if f.has(ReadWrites) {
		p.revision++
	}
	if f.has(ReadKeyBinds) {
		if _, used := f.done[f.slot(c)]; used {
			return tools.Envelope{}, refusal(tools.CodeIdempotencyConflict, "the key was used")
		}
		f.done[f.slot(c)] = doneWrite{}
	}
	result := map[string]any{
		"documentId": c.Document(), "workspaceId": c.WorkspaceID, "title": p.title(), "bodySummary": p.title(),
		"pageOptions": map[string]any{}, "blocks": p.blocks(), "revision": p.revision, "contentHash": hashOf(p.text),
	}
	if f.has(ReadHidesRevision) {
		delete(result, "revision")
	}
	if f.has(ReadOfAnother) {
		result["documentId"] = "another.md"
	}
	env := f.reading(c, result)
	if f.has(ReadForgetsIDs) {
		env.Audit.DocumentID = nil
	}
	return env, nil
}

// edited gives the page's text after a save.
func (p *fakePage) edited(a fakeArgs) string {
	var parts []string
	if a.Mode == "append" {
		parts = append(parts, p.text)
	}
	for _, b := range a.Content {
		parts = append(parts, b.Text)
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n\n")
}

// bodyOf is what a key is bound to: the document and the arguments but for the
// plan.
func bodyOf(c tools.Call) string {
	var args map[string]any
	json.Unmarshal(c.Args, &args) // valid has read them
	delete(args, "planId")
	body, _ := json.Marshal(args)
	return c.Document() + "\n" + string(body)
}

// slot is what a key is unique in.
func (f *Fake) slot(c tools.Call) string {
	return strings.Join([]string{c.WorkspaceID, c.ActorID, c.Profile, string(c.ToolName), string(c.IdempotencyKey)}, "\n")
}
