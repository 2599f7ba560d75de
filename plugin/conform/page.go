package conform

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/mnote-dev/mnote-host/tools"
)

// maxPortions bounds how many portions of one page are read.
const maxPortions = 1000

// page is what reading the subject's document gave.
type page struct {
	Revision    int64
	ContentHash string
	Title       string
	Blocks      []json.RawMessage
}

// same reports whether two readings show the same content.
func (g page) same(o page) bool {
	if g.ContentHash != "" {
		return g.ContentHash == o.ContentHash
	}
	return g.sameBlocks(o)
}

// sameBlocks compares texts alone: ids may be made anew by a write.
func (g page) sameBlocks(o page) bool {
	if len(g.Blocks) != len(o.Blocks) {
		return false
	}
	for i := range g.Blocks {
		if !bytes.Equal(textOf(g.Blocks[i]), textOf(o.Blocks[i])) {
			return false
		}
	}
	return true
}

func textOf(block json.RawMessage) []byte {
	var b map[string]any
	if json.Unmarshal(block, &b) != nil {
		return block
	}
	delete(b, "id")
	text, _ := json.Marshal(b) // what was JSON is JSON
	return text
}

// holds counts the blocks that show the text.
func (g page) holds(text string) (n int) {
	for _, b := range g.Blocks {
		if bytes.Contains(b, []byte(text)) {
			n++
		}
	}
	return n
}

// read reads the whole document, portion by portion.
func (p *probe) read() (page, error) {
	var all page
	cursor := ""
	for range maxPortions {
		args := map[string]any{}
		if cursor != "" {
			args["cursor"] = cursor
		}
		env, err := p.succeed(p.call(p.script.Read, args), tools.EffectRead)
		if err != nil {
			return page{}, err
		}
		var part struct {
			page
			NextCursor string
		}
		if err := json.Unmarshal(env.Result, &part); err != nil {
			return page{}, fmt.Errorf("the result of %s is not of its form: %w", p.script.Read, err)
		}
		part.Blocks = append(all.Blocks, part.Blocks...)
		if all = part.page; part.NextCursor == "" {
			return all, nil
		}
		cursor = part.NextCursor
	}
	return page{}, fmt.Errorf("%s never comes to the end of the page", p.script.Read)
}

// saving is a call that appends a paragraph to the document.
func (p *probe) saving(text string) tools.Call {
	return p.call(p.script.Save, map[string]any{
		"mode": "append", "content": []any{map[string]any{"type": "paragraph", "text": text}},
	})
}

// marker is a text that was never on the page, in both our scripts.
func (p *probe) marker() string { return "合同检查 conform " + p.subject.newID() }

// with gives the call one more argument.
func with(c tools.Call, arg string, value any) tools.Call {
	args := map[string]any{}
	if json.Unmarshal(c.Args, &args) == nil {
		args[arg] = value
	}
	c.Args, _ = json.Marshal(args) // what was JSON is JSON
	return c
}

// unchanged fails if the page is not as it was.
func (p *probe) unchanged(before page) error {
	now, err := p.read()
	switch {
	case err != nil:
		return err
	case now.Revision != before.Revision || !now.same(before):
		return fmt.Errorf("the page changed: revision %d became %d", before.Revision, now.Revision)
	}
	return nil
}
