package proofs

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"testing"
)

var ordinal = regexp.MustCompile(`_\d+$`)

// TestCorpus: files that no one here wrote, through the whole program: read in
// windows, saved as they were given, a block replaced, inserted, deleted, moved.
// No byte outside the edit changes and every other block keeps its id (the
// ordinal of equal blocks aside), or the edit is refused and no byte changes at
// all; each edit is undone, byte by byte.
func TestCorpus(t *testing.T) {
	t.Parallel()
	c := courier{editor: editor{box: newBox(t)}, made: map[string]int{}, refused: map[string]int{}}
	files := corpus(t, size(60, 600))
	for i, src := range files {
		c.name = fmt.Sprintf("%d/%d.md", i%20, i)
		c.box.put(c.name, src.data)
		if err := c.carry(newRoll(i), src.data); err != nil {
			t.Errorf("%s: %v", src.name, err)
		}
	}
	t.Logf("%d files: edits made %v, refused with no byte changed %v, each made one undone byte by byte; %d files given back as they were read, %d too big to be given back in one answer",
		len(files), c.made, c.refused, c.saved, c.long)
	c.box.swept()
}

type courier struct {
	editor
	name          string
	made, refused map[string]int
	saved, long   int
}

func (c *courier) carry(r roll, src []byte) error {
	page, err := c.whole()
	if err != nil {
		return err
	}
	if page.ContentHash != hashOf(src) {
		return fmt.Errorf("the file's hash is %s, told is %s", hashOf(src), page.ContentHash)
	}
	if err := c.giveBack(page, src); err != nil || len(page.Blocks) == 0 {
		return err
	}
	at := func() int { return r.IntN(len(page.Blocks)) }
	for _, e := range []touched{
		touch(at(), 1, "mnote_block_update", map[string]any{"content": "Replaced by two\nlines of 文字."}, page),
		touch(at(), 0, "mnote_block_insert", map[string]any{"content": "Inserted."}, page),
		touch(at(), 1, "mnote_block_delete", map[string]any{}, page),
		move(at(), at(), page),
	} {
		if err := c.try(e.edit, page, e.from, e.to, src); err != nil {
			return fmt.Errorf("%s %v: %w", e.tool, e.args, err)
		}
	}
	return nil
}

// touched is an edit and the blocks that it may touch.
type touched struct {
	edit
	from, to int
}

// touch is an edit at block i; one that takes no block away is behind it.
func touch(i, taken int, tool string, args map[string]any, page result) touched {
	args[map[bool]string{true: "after", false: "blockId"}[taken == 0]] = page.Blocks[i].ID
	return touched{edit{tool, args}, i + 1 - taken, i + 1}
}

// move takes block i behind block k.
func move(i, k int, page result) touched {
	return touched{edit{"mnote_block_move", map[string]any{"blockId": page.Blocks[i].ID, "after": page.Blocks[k].ID}}, min(i, k+1), max(i, k) + 1}
}

// try makes an edit, checks what it left alone, and undoes it.
func (c *courier) try(e edit, page result, from, to int, src []byte) error {
	e.args["documentId"], e.args["dryRun"], e.args["expectedRevision"] = c.name, false, nil
	now, err := c.call("mnote_page_get", map[string]any{"documentId": c.name, "includeBlocks": false, "includeBody": false})
	if err != nil {
		return err
	}
	e.args["expectedRevision"] = now.Result.Revision
	env, err := c.call(e.tool, e.args)
	if err != nil {
		return err
	}
	got := c.box.bytes(c.name)
	if !env.OK {
		c.refused[e.tool]++
		if !slices.Contains(edible, env.code()) || !bytes.Equal(got, src) {
			return fmt.Errorf("refused with %s", env.raw)
		}
		return nil
	}
	c.made[e.tool]++
	after, err := c.whole()
	if err != nil {
		return err
	}
	if err := kept(page, after, src, got, from, to); err != nil {
		return err
	}
	_, err = c.undo(c.name, env.Audit.CommandID, src)
	return err
}

// kept compares all but the touched blocks [from, to): ids, order, sources, and
// the bytes of the file up to the block before and from the block behind.
func kept(was, is result, src, got []byte, from, to int) error {
	ids := func(blocks []block) []string {
		list := make([]string, len(blocks))
		for i, b := range blocks {
			list[i] = ordinal.ReplaceAllString(b.ID, "")
		}
		return list
	}
	old, now := ids(was.Blocks), ids(is.Blocks)
	behind := len(old) - to
	if len(now) < from+behind || !slices.Equal(old[:from], now[:from]) || !slices.Equal(old[to:], now[len(now)-behind:]) {
		return fmt.Errorf("blocks outside [%d,%d) changed: %v to %v", from, to, old, now)
	}
	head, tail := commonPrefix(src, got), commonSuffix(src, got)
	if before := span(was.Blocks[:from]); head < before {
		return fmt.Errorf("only %d bytes at the start stayed; the blocks before have %d", head, before)
	}
	if after := span(was.Blocks[to:]); tail < after {
		return fmt.Errorf("only %d bytes at the end stayed; the blocks behind have %d", tail, after)
	}
	return nil
}

// span is how many bytes blocks have, at least: the source is given only where it
// differs from the text.
func span(blocks []block) int {
	n := 0
	for _, b := range blocks {
		n += len(b.source())
	}
	return n
}

func (b block) source() string {
	if b.Source != "" {
		return b.Source
	}
	return b.Text
}

func commonPrefix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func commonSuffix(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}

// whole reads a page's blocks, window by window; a block that came in parts is
// put together.
func (c *courier) whole() (result, error) {
	var all result
	for cursor := ""; ; {
		args := map[string]any{"documentId": c.name, "includeBody": false, "includeOptions": false}
		if cursor != "" {
			args["cursor"] = cursor
		}
		env, err := c.call("mnote_page_get", args)
		if err != nil || !env.OK {
			return all, fmt.Errorf("read at %q: %v %.300s", cursor, err, env.raw)
		}
		blocks := all.Blocks
		for _, b := range env.Result.Blocks {
			if n := len(blocks); b.Part && n > 0 && blocks[n-1].ID == b.ID {
				blocks[n-1].Source += b.Text
				continue
			}
			if b.Part {
				b.Source, b.Text, b.Part = b.Text, "", false
			}
			blocks = append(blocks, b)
		}
		all = env.Result
		all.Blocks = blocks
		if cursor = env.Result.NextCursor; cursor == "" {
			return all, nil
		}
	}
}

// giveBack saves the blocks as they were read: not a byte may change.
func (c *courier) giveBack(page result, src []byte) error {
	content := make([]any, len(page.Blocks))
	for i, b := range page.Blocks {
		content[i] = b
	}
	env, err := c.call("mnote_page_save", map[string]any{
		"documentId": c.name, "mode": "replace", "dryRun": false, "expectedRevision": page.Revision, "content": content,
	})
	if err != nil {
		return err
	}
	if env.OK && env.Result.Revision == page.Revision && bytes.Equal(c.box.bytes(c.name), src) {
		c.saved++
		return nil
	}
	if env.code() == "mnote_tool_payload_too_large" && bytes.Equal(c.box.bytes(c.name), src) {
		c.long++
		return nil
	}
	return fmt.Errorf("given back as it was read: %.500s", env.raw)
}
