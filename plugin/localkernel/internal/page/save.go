package page

import (
	"bytes"
	"strings"

	"github.com/mnote-dev/mnote-host/tools"
)

// Mode says what a save does with the body that is there.
type Mode string

// The modes of a save.
const (
	ModeReplace Mode = "replace"
	ModeAppend  Mode = "append"
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
}

// Save writes the body anew, or adds to its end. The frontmatter is kept;
// content that opens with one is refused unless it is the page's own. Blocks
// are joined by one blank line; two that the content knows by id or source and
// that were neighbours keep what was between them, so that saving what was read
// changes nothing. Content that says nothing is left out with a warning.
func (p *Page) Save(content []Content, mode Mode) (*Edit, error) {
	if mode != ModeReplace && mode != ModeAppend {
		return nil, refuse(tools.CodeInvalidArgs, reasonModeUnknown, tools.Text{
			ZH: "mode 只能是 replace 或 append", EN: "mode is replace or append",
		})
	}
	if err := p.writable(); err != nil {
		return nil, err
	}
	if err := p.weigh(content); err != nil {
		return nil, err
	}
	w := saver{page: p, known: p.knownSources()}
	parts, err := w.resolve(content)
	if err != nil {
		return nil, err
	}
	if mode == ModeAppend {
		return w.appended(parts)
	}
	return w.replaced(parts)
}

// weigh refuses content that could make no page before any of it is parsed.
func (p *Page) weigh(content []Content) error {
	size := 0
	for _, c := range content {
		size += len(c.markdown())
	}
	if size > MaxSize {
		return tooLarge(size)
	}
	return nil
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

// saver turns content into parts.
type saver struct {
	page     *Page
	known    map[string][]int // LF source → the blocks that have it
	last     int              // the block of the part before, or -1
	warnings []Warning
}

// knownSources finds the page's blocks by what a client may give back: the
// source in valid UTF-8, with any line ends.
func (p *Page) knownSources() map[string][]int {
	known := map[string][]int{}
	for i, s := range p.lay().spans {
		key := sourceKey(string(p.src[s.start:s.end]))
		known[key] = append(known[key], i)
	}
	return known
}

func sourceKey(s string) string {
	return strings.ToValidUTF8(string(toLF([]byte(s))), "\uFFFD")
}

func (w *saver) resolve(content []Content) ([]part, error) {
	content, err := w.withoutFrontmatter(content)
	if err != nil {
		return nil, err
	}
	w.last = w.page.firstBody() - 1
	var parts []part
	for i, c := range content {
		part, err := w.part(c, i)
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

// part gives what one block of content is: a block of the page, or new text.
func (w *saver) part(c Content, index int) (part, error) {
	if old := w.ownBlock(c); old >= 0 {
		return w.page.keep(old), nil
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
	fresh := w.page.content(composed(c))
	fresh.stands = stands
	if err := checkType(c, fresh, index); err != nil {
		return part{}, err
	}
	return fresh, nil
}

// ownBlock finds the block of the page that the content is, or -1: the one of
// its id where that has the given source or text, else one with this source,
// best the one that follows the block before.
func (w *saver) ownBlock(c Content) int {
	p := w.page
	if i, ok := p.places()[c.ID]; ok && p.asGiven(i, c) {
		return i
	}
	found := -1
	for _, i := range w.known[sourceKey(c.markdown())] {
		if s := p.lay().spans[i]; s.typ == TypeFrontmatter || !fits(c, s) {
			continue
		}
		if found < 0 || i == w.last+1 {
			found = i
		}
	}
	return found
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

func frontmatterGiven(index int) error {
	return refuse(tools.CodeInvalidBlock, reasonFrontmatterEdit, tools.Text{
		ZH: "content[%d] 是 frontmatter，与页面的不同；保存只改正文，标题和页面选项有各自的工具",
		EN: "content[%d] is a frontmatter and not the page's own; a save changes the body only, the title and the options have tools of their own",
	}, index).With("block", index)
}

// replaced puts the parts in place of the body.
func (w *saver) replaced(parts []part) (*Edit, error) {
	p := w.page
	s := splice{page: p, parts: append(p.kept(0, p.firstBody()), parts...)}
	if len(parts) > 0 {
		s.joints = []joint{w.topJoint()}
	}
	op := Op{"replace", countSpans(parts)}
	s.snug = true
	if e, err := w.finish(s, op); err == nil {
		return e, nil
	}
	s.snug = false
	return w.finish(s, op)
}

// topJoint keeps the blank lines the body starts with.
func (w *saver) topJoint() joint {
	p := w.page
	switch {
	case p.firstBody() == 0:
		return p.firstJoint()
	case len(p.lay().spans) == 1: // the frontmatter alone
		return joint{at: 1, gaps: [][]byte{blankLine(p.eol())}}
	}
	return joint{at: 1, gaps: [][]byte{p.gap(0)}}
}

// appended puts the parts behind the last block. A block that is in the page
// already comes a second time.
func (w *saver) appended(parts []part) (*Edit, error) {
	p := w.page
	if len(parts) == 0 {
		return nil, emptyContent()
	}
	n := len(p.lay().spans)
	for i := range parts {
		parts[i].old, parts[i].stands = -1, -1
	}
	s := p.between(n, n, parts...)
	s.joints = p.insertJoints(n)
	return w.finish(s, Op{"append", countSpans(parts)})
}

func countSpans(parts []part) int {
	n := 0
	for _, part := range parts {
		n += len(part.spans)
	}
	return n
}

func (w *saver) finish(s splice, op Op) (*Edit, error) {
	e, err := s.edit(op)
	if err != nil {
		return nil, err
	}
	e.Warnings = w.warnings
	return e, nil
}

// New makes the bytes of a new page from Markdown: one kind of line end, one
// final newline. It may open with a frontmatter.
func New(content string) []byte {
	src := bytes.TrimPrefix([]byte(content), bom)
	eol := lineEnd(src)
	src = bytes.TrimRight(withLineEnd(src, eol), " \t\r\n")
	if len(src) == 0 {
		return nil
	}
	return append(src, eol...)
}
