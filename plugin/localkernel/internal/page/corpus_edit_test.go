package page_test

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
)

// edited checks what came of an edit that touched the blocks [from, to).
func (c *corpus) edited(op string, p *page.Page, from, to int, e *page.Edit, err error) error {
	if err != nil {
		c.refused[op]++
		c.made[op] += 0
		if err := refusedFor(err, "would_change_blocks", "frontmatter_edit", "place_invalid"); err != nil {
			return fmt.Errorf("%s: %w", op, err)
		}
		return nil
	}
	c.made[op]++
	err = outsideKept(p, e.Page, from, to)
	if from == to {
		err = insertKept(p, e, from)
	}
	if err != nil {
		return fmt.Errorf("%s of block %d: %w\n%s", op, from, err, page.Diff(p, e.Page))
	}
	if err := wholeFile(e.Page); err != nil {
		return fmt.Errorf("%s of block %d: %w", op, from, err)
	}
	return nil
}

// sampleOf gives up to n places among the blocks, always the first and the last.
func (c *corpus) sampleOf(blocks, n int) []int {
	if blocks <= n {
		all := make([]int, blocks)
		for i := range all {
			all[i] = i
		}
		return all
	}
	places := []int{0, blocks - 1}
	for len(places) < n {
		places = append(places, c.rand.IntN(blocks))
	}
	return places
}

// blockEdits replaces, inserts, deletes and moves.
func (c *corpus) blockEdits(p *page.Page) error {
	blocks := p.Blocks()
	for _, i := range c.sampleOf(len(blocks), 6) {
		id := blocks[i].ID
		e, err := p.Replace(id, "Replaced by two\nlines of text.")
		if err := c.edited("replace", p, i, i+1, e, err); err != nil {
			return err
		}
		e, err = p.Insert(page.Where{After: id}, "Inserted 文字.")
		if err := c.edited("insert after", p, i+1, i+1, e, err); err != nil {
			return err
		}
		e, err = p.Insert(page.Where{Before: id}, "## Inserted\n\n- list")
		if err := c.edited("insert before", p, i, i, e, err); err != nil {
			return err
		}
		e, err = p.Delete(id)
		if err := c.edited("delete", p, i, i+1, e, err); err != nil {
			return err
		}
		if err := c.move(p, i, c.rand.IntN(len(blocks))); err != nil {
			return err
		}
	}
	return nil
}

// move takes block i behind block k; the blocks in between keep their bytes too.
func (c *corpus) move(p *page.Page, i, k int) error {
	e, err := p.Move(p.Blocks()[i].ID, page.Where{After: p.Blocks()[k].ID})
	if err := c.edited("move", p, min(i, k+1), max(i, k)+1, e, err); err != nil || e == nil {
		return err
	}
	want := ids(p)
	moved := want[i]
	want = slices.Delete(want, i, i+1)
	if k >= i {
		k--
	}
	want = slices.Insert(want, k+1, moved)
	if !slices.Equal(want, ids(e.Page)) {
		return fmt.Errorf("move of block %d behind %d gives the order %v", i, k, ids(e.Page))
	}
	return nil
}

// hostileTexts want to swallow what stands beside them.
var hostileTexts = []string{
	"```", "~~~\nx", "<!--", "<script>", "<div>", "---", "===", "- x", "1. x", "    code", "> q", "[^1]: f", "[a]: /b", "| a |\n|-|", "$$", "+++\n+++", "\\",
}

func (c *corpus) hostile(p *page.Page) error {
	blocks := p.Blocks()
	for _, i := range c.sampleOf(len(blocks), 3) {
		content := hostileTexts[c.rand.IntN(len(hostileTexts))]
		e, err := p.Replace(blocks[i].ID, content)
		if err := c.edited("replace, hostile", p, i, i+1, e, err); err != nil {
			return err
		}
		e, err = p.Insert(page.Where{Before: blocks[i].ID}, content)
		if err := c.edited("insert, hostile", p, i, i, e, err); err != nil {
			return err
		}
	}
	return nil
}

// saves gives back what was read, and that with one block altered.
func (c *corpus) saves(p *page.Page) error {
	if slices.Contains(types(p), "opaque") && len(p.Blocks()) == 1 && len(p.Bytes()) > page.MaxSize {
		return nil
	}
	content := givenAll(p)
	e, err := p.Save(content, page.ModeReplace)
	if err != nil || !bytes.Equal(e.Page.Bytes(), p.Bytes()) {
		return fmt.Errorf("saving what was read: %v", err)
	}
	c.made["save, nothing new"]++
	if n := len(content); n > 0 {
		i := c.rand.IntN(n)
		if content[i].Type != page.TypeFrontmatter {
			content[i] = page.Content{ID: content[i].ID, Text: ptr("Saved anew.")}
			e, err := p.Save(content, page.ModeReplace)
			if err := c.edited("save, one block new", p, i, i+1, e, err); err != nil {
				return err
			}
		}
	}
	e, err = p.Save([]page.Content{text("Appended.")}, page.ModeAppend)
	return c.edited("save, append", p, len(content), len(content), e, err)
}

// heads edits title and options: the body stays, or the edit is refused.
func (c *corpus) heads(p *page.Page) error {
	e, err := p.SetTitle("新的标题: #1", "file.md")
	if err := c.headed("set title", p, e, err); err != nil {
		return err
	}
	if err == nil {
		if title, _ := e.Page.Title("file.md"); title != "新的标题: #1" {
			return fmt.Errorf("the title is %q", title)
		}
	}
	e, err = p.SetOptions(on(toc, true))
	if err := c.headed("set options", p, e, err); err != nil || e == nil {
		return err
	}
	if o, err := e.Page.Options(); err != nil || !o.ShowToc {
		return fmt.Errorf("the options are %+v, %v", o, err)
	}
	return nil
}

// headed: one block changed, the frontmatter or a heading, or one is new.
func (c *corpus) headed(op string, p *page.Page, e *page.Edit, err error) error {
	if err != nil {
		c.refused[op]++
		return refusedFor(err, "frontmatter_invalid", "frontmatter_unsupported", "unsupported_format")
	}
	c.made[op]++
	was, is := ids(p), ids(e.Page)
	if len(is) == len(was)+1 {
		was = append([]string{""}, was...)
	}
	changed := 0
	for i := range is {
		if is[i] != was[i] {
			changed++
		}
	}
	if len(is) != len(was) || changed > 1 {
		return fmt.Errorf("%s: %d blocks changed", op, changed)
	}
	return wholeFile(e.Page)
}

// alien: a file that is not UTF-8 is read, and every edit of it refused.
func (c *corpus) alien(p *page.Page) error {
	id := p.Blocks()[0].ID
	for op, try := range map[string]func() (*page.Edit, error){
		"replace": func() (*page.Edit, error) { return p.Replace(id, "x") },
		"insert":  func() (*page.Edit, error) { return p.Insert(page.Where{After: id}, "x") },
		"delete":  func() (*page.Edit, error) { return p.Delete(id) },
		"move":    func() (*page.Edit, error) { return p.Move(id, page.Where{Before: id}) },
		"save":    func() (*page.Edit, error) { return p.Save(givenAll(p), page.ModeReplace) },
		"append":  func() (*page.Edit, error) { return p.Save([]page.Content{text("x")}, page.ModeAppend) },
		"title":   func() (*page.Edit, error) { return p.SetTitle("x", "file.md") },
		"options": func() (*page.Edit, error) { return p.SetOptions(on(toc, true)) },
	} {
		_, err := try()
		if err := refusedFor(err, "encoding", "unsupported_format"); err != nil {
			return fmt.Errorf("%s of a file that is not UTF-8: %w", op, err)
		}
		c.refused["not UTF-8"]++
	}
	c.made["not UTF-8"] += 0
	return nil
}
