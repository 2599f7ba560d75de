package page

import (
	"bytes"

	"github.com/mnote-dev/mnote-host/tools"
)

// Mode says what a save does with the body that is there.
type Mode string

// The modes of a save.
const (
	ModeReplace Mode = "replace"
	ModeAppend  Mode = "append"
)

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
	if err := p.Unwritable(); err != nil {
		return nil, err
	}
	if err := p.weigh(content); err != nil {
		return nil, err
	}
	w := saver{page: p, known: p.knownSources(), taken: map[int]bool{}}
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

// appended puts the parts behind the last block, or a list's items behind that
// list's. A block that is in the page already comes a second time.
func (w *saver) appended(parts []part) (*Edit, error) {
	p := w.page
	if len(parts) == 0 {
		return nil, emptyContent()
	}
	n := len(p.lay().spans)
	for i := range parts {
		parts[i].old, parts[i].stands = -1, -1
	}
	return w.warned(p.add(n, Op{"append", countSpans(parts)}, parts...))
}

func countSpans(parts []part) int {
	n := 0
	for _, part := range parts {
		n += len(part.spans)
	}
	return n
}

func (w *saver) finish(s splice, op Op) (*Edit, error) { return w.warned(s.edit(op)) }

// warned adds what was left out to an edit.
func (w *saver) warned(e *Edit, err error) (*Edit, error) {
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
