package page

import (
	"fmt"
	"strings"

	"github.com/mnote-dev/mnote-host/tools"
)

// Content is one block of a save. Source wins and is written as it stands, else
// Text is Markdown. Where Type (and Level) are named the block must be one of
// that type. A block as the page gave it, known by its ID or its source, is
// that block with its own bytes.
type Content struct {
	ID     string  `json:"id,omitempty"`
	Type   Type    `json:"type,omitempty"`
	Level  int     `json:"level,omitempty"`
	Text   *string `json:"text,omitempty"`
	Source *string `json:"source,omitempty"`
	// Part marks what a window gave of a block that did not fit. It is refused:
	// written back, it would cut the block.
	Part bool `json:"part,omitempty"`
}

func (c Content) markdown() string {
	switch {
	case c.Source != nil:
		return *c.Source
	case c.Text != nil:
		return *c.Text
	}
	return ""
}

// path is where the block's Markdown stands in the arguments.
func (c Content) path(index int) string {
	if c.Source != nil {
		return fmt.Sprintf("/content/%d/source", index)
	}
	return fmt.Sprintf("/content/%d/text", index)
}

// saver turns content into parts.
type saver struct {
	page     *Page
	known    map[string][]int // LF source → the blocks that have it
	taken    map[int]bool     // blocks that content stands for already, or claims by id
	last     int              // the block of the part before, or -1
	warnings []Warning
}

// knownSources finds the body's blocks by what a client may give back: the
// source in valid UTF-8, with any line ends.
func (p *Page) knownSources() map[string][]int {
	known := map[string][]int{}
	for i := p.firstBody(); i < len(p.lay().spans); i++ {
		key := p.sourceKey(i)
		known[key] = append(known[key], i)
	}
	return known
}

func (p *Page) sourceKey(i int) string {
	s := p.lay().spans[i]
	return sourceKey(string(p.src[s.start:s.end]))
}

// sourceKey is a source as a client may give it back: with LF, and with marks
// in place of bytes that are no text. JSON encoders differ in how many marks
// such bytes get; here a run of them is one.
func sourceKey(s string) string {
	s = strings.ToValidUTF8(string(toLF([]byte(s))), mark)
	for strings.Contains(s, mark+mark) {
		s = strings.ReplaceAll(s, mark+mark, mark)
	}
	return s
}

const mark = "\uFFFD"

func (w *saver) resolve(content []Content) ([]part, error) {
	content, err := w.withoutFrontmatter(content)
	if err != nil {
		return nil, err
	}
	w.last = w.page.firstBody() - 1
	own := w.claims(content)
	var parts []part
	for i, c := range content {
		part, err := w.part(c, i, own[i])
		if err != nil {
			return nil, err
		}
		if w.last = part.old; len(part.spans) > 0 {
			parts = append(parts, part)
			continue
		}
		w.warnings = append(w.warnings, Warning{Reason: "empty_block", Block: i, Text: tools.Text{
			ZH: "这一块没有内容，没有写入", EN: "this block says nothing and was left out",
		}})
	}
	return parts, nil
}

// claims finds the content that is a block of the page by its id, before any
// other content could be taken for that block. The rest gets -1.
func (w *saver) claims(content []Content) []int {
	own := make([]int, len(content))
	for i, c := range content {
		own[i] = -1
		if k, ok := w.page.places()[c.ID]; ok && !c.Part && !w.taken[k] && w.page.asGiven(k, c) {
			own[i] = k
			w.taken[k] = true
		}
	}
	return own
}

// part gives what one block of content is: the block own of the page, one with
// its source, or new text.
func (w *saver) part(c Content, index, own int) (part, error) {
	if c.Part {
		return part{}, partGiven(index)
	}
	if own >= 0 {
		return w.page.keep(own), nil
	}
	if i := w.equalBlock(c); i >= 0 {
		part := w.page.keep(i)
		if w.taken[i] { // a copy of it
			part.old, part.stands = -1, -1
		}
		w.taken[i] = true
		return part, nil
	}
	if c.Type == TypeFrontmatter {
		return part{}, frontmatterGiven(index)
	}
	stands, ok := w.page.places()[c.ID]
	if !ok || stands < w.page.firstBody() {
		stands = -1
	}
	if stands >= 0 && c.Type == TypeHeading && c.Level == 0 {
		c.Level = w.page.lay().spans[stands].level
	}
	if err := CheckText(c.path(index), c.markdown()); err != nil {
		return part{}, err
	}
	fresh := w.page.content(composed(c))
	fresh.stands = stands
	return fresh, checkType(c, fresh, index)
}

// equalBlock finds a block of the page with this source, or -1: the one that
// follows the block before, else the first that is not taken, else any.
func (w *saver) equalBlock(c Content) int {
	p := w.page
	key := sourceKey(c.markdown())
	equal := w.known[key]
	if len(equal) == 0 || !fits(c, p.lay().spans[equal[0]]) {
		return -1
	}
	if next := w.last + 1; next < len(p.lay().spans) && !w.taken[next] && p.sourceKey(next) == key {
		return next
	}
	for len(equal) > 1 && w.taken[equal[0]] {
		equal = equal[1:]
	}
	w.known[key] = equal
	return equal[0]
}

// asGiven reports whether the content is block i as page.get gives it, or with
// its text alone as an older client keeps it.
func (p *Page) asGiven(i int, c Content) bool {
	b := p.blocks()[i]
	if b.Type == TypeFrontmatter || !fits(c, p.lay().spans[i]) {
		return false
	}
	if c.Source != nil {
		return sourceKey(*c.Source) == sourceKey(p.Source(b))
	}
	return c.Text != nil && sourceKey(*c.Text) == sourceKey(p.Text(b))
}

func fits(c Content, s span) bool {
	return (c.Type == "" || c.Type == s.typ) && (c.Level == 0 || c.Level == s.level)
}

// composed gives the Markdown of new content. A heading's level and a rule are
// written out where the text has no markup of its own.
func composed(c Content) string {
	text := c.markdown()
	switch {
	case c.Source != nil:
	case c.Type == TypeHeading && c.Level >= 1 && c.Level <= 6 && text != "" && headingLevel(text) == 0:
		return strings.Repeat("#", c.Level) + " " + oneLine(text)
	case c.Type == TypeHorizontalRule && isBlank([]byte(text)):
		return "---"
	}
	return text
}

// headingLevel gives the level of a text that is one heading, else 0.
func headingLevel(text string) int {
	spans, _ := splitBody(nil, []byte(text), 0)
	if len(spans) != 1 {
		return 0
	}
	return spans[0].level
}

// checkType refuses content that is not one block of the type it names.
func checkType(c Content, fresh part, index int) error {
	if c.Type == "" && c.Level == 0 || len(fresh.spans) == 0 || len(fresh.spans) == 1 && fits(c, fresh.spans[0]) {
		return nil
	}
	is := make([]string, 0, 3)
	for _, s := range fresh.spans[:min(len(fresh.spans), 3)] {
		is = append(is, string(s.typ))
	}
	return refuse(tools.CodeInvalidBlock, reasonWrongType, tools.Text{
		ZH: "content[%d] 声明的类型或级别是 %s %d，但它的 Markdown 是 %s；请在 source 里写出完整的 Markdown（代码要带围栏），或去掉 type",
		EN: "content[%d] says it is %s %d, its Markdown is %s; write the whole Markdown in source (code with its fences), or leave type out",
	}, index, c.Type, c.Level, strings.Join(is, ", ")).With("block", index)
}

// withoutFrontmatter takes the page's own frontmatter off the front of the
// content, and refuses any other: page.save changes the body only.
func (w *saver) withoutFrontmatter(content []Content) ([]Content, error) {
	if len(content) == 0 {
		return content, nil
	}
	first := content[0]
	if first.Type == TypeFrontmatter {
		if !w.page.ownFrontmatter(first) {
			return nil, frontmatterGiven(0)
		}
		return content[1:], nil
	}
	given := strings.TrimPrefix(first.markdown(), string(bom))
	text := string(trimBlankLines([]byte(given)))
	front := findFrontmatter([]byte(text), 0)
	if front.Format == FormatNone || first.Type != "" {
		first.setMarkdown(given)
		return append([]Content{first}, content[1:]...), nil
	}
	if !w.page.frontmatterIs(text[:front.End]) {
		return nil, frontmatterGiven(0)
	}
	if text = text[front.End:]; isBlank([]byte(text)) {
		return content[1:], nil
	}
	first.setMarkdown(text)
	return append([]Content{first}, content[1:]...), nil
}

func (c *Content) setMarkdown(s string) {
	if c.Source != nil {
		c.Source = &s
	} else if c.Text != nil {
		c.Text = &s
	}
}

// ownFrontmatter reports whether a block of type frontmatter is the page's: by
// its source, or by its text where that is all a client kept.
func (p *Page) ownFrontmatter(c Content) bool {
	if p.frontmatterIs(c.markdown()) {
		return true
	}
	front := p.lay().front
	return c.Source == nil && c.Text != nil && front.Format != FormatNone &&
		sourceKey(*c.Text) == sourceKey(p.Text(p.blocks()[0]))
}

func (p *Page) frontmatterIs(source string) bool {
	front := p.lay().front
	return front.Format != FormatNone &&
		sourceKey(strings.TrimRight(source, "\r\n")) == sourceKey(string(p.src[front.Start:front.End]))
}

func partGiven(index int) error {
	return refuse(tools.CodeInvalidBlock, reasonPartOfBlock, tools.Text{
		ZH: "content[%d] 只是一个块的一部分（页面是分段读取的），写回去会截断它；请读完整的块，或用块工具编辑",
		EN: "content[%d] is only a part of a block (the page was read in windows), and written back it would cut the block; read the block whole, or use the block tools",
	}, index).With("block", index)
}

func frontmatterGiven(index int) error {
	return refuse(tools.CodeInvalidBlock, reasonFrontmatterEdit, tools.Text{
		ZH: "content[%d] 是 frontmatter，与页面的不同；保存只改正文，标题和页面选项有各自的工具",
		EN: "content[%d] is a frontmatter and not the page's own; a save changes the body only, the title and the options have tools of their own",
	}, index).With("block", index)
}
