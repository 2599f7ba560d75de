package page

import (
	"bytes"
	"sort"
	"unicode/utf8"
)

// Form says what a window carries.
type Form string

// The forms of a window: blocks with text, source and items, or the body's own
// bytes.
const (
	FormBlocks Form = "blocks"
	FormBody   Form = "body"
)

// The bounds of a window in characters: what a call that names none gets, and
// the least there is.
const (
	DefaultWindow = 20000
	MinWindow     = 256
)

// blockCost is what a block or an item costs in a reply besides its text: its
// id, type and punctuation.
const blockCost = 64

// Piece is one block of a window, or the part of it that fits.
type Piece struct {
	Block Block
	// Whole is false for a part: the bytes [Start, End) of the file. A part is
	// to be read, not to be saved.
	Whole      bool
	Start, End int
	Text       string
	// Source is nil where it equals Text, and for a part.
	Source *string
	// Items is nil for a part.
	Items []Item
}

// Window is the part of a page that fits a reply.
type Window struct {
	Pieces []Piece // FormBlocks
	Body   string  // FormBody: all windows joined are the body, byte for byte
	// Next is the cursor of the next window, "" at the end.
	Next string
	// Characters, Bytes and Blocks are of the whole page.
	Characters, Bytes, Blocks int
}

// Window gives the part of the page that starts at cursor ("" is the start) and
// takes at most maxChars characters in a reply; zero or less is DefaultWindow.
// It is cut between blocks. A block that alone is longer is cut at a line's
// end, a table at a row's, and nothing inside a code point; only a table's row
// that alone is longer than the window is cut itself. A cursor that is none is
// mnote_tool_invalid_args (details.reason cursor_invalid), one of other bytes
// mnote_tool_conflict (cursor_stale).
func (p *Page) Window(cursor string, maxChars int, form Form) (Window, error) {
	at, err := p.resume(cursor, form)
	if err != nil {
		return Window{}, err
	}
	if maxChars <= 0 {
		maxChars = DefaultWindow
	}
	maxChars = max(maxChars, MinWindow)
	w := Window{Characters: utf8.RuneCount(p.src), Bytes: len(p.src), Blocks: len(p.lay().spans)}
	if form == FormBody {
		at = p.bodyWindow(&w, max(at, p.bodyStart()), maxChars)
	} else {
		at = p.blockWindow(&w, at, maxChars)
	}
	if at < len(p.src) {
		w.Next = p.cursor(at, form)
	}
	return w, nil
}

// blockWindow adds pieces from offset at on, and gives where the next window
// starts; the file's end when there is none.
func (p *Page) blockWindow(w *Window, at, left int) int {
	blocks := p.blocks()
	i := sort.Search(len(blocks), func(i int) bool { return blocks[i].End > at })
	for ; i < len(blocks); i++ {
		piece, cost := p.piece(blocks[i], at, left)
		if cost > left && len(w.Pieces) > 0 {
			return blocks[i].Start
		}
		if cost > left {
			piece, cost = p.slice(blocks[i], piece.Start, left)
		}
		w.Pieces = append(w.Pieces, piece)
		if piece.End < blocks[i].End {
			return piece.End
		}
		left -= cost
	}
	return len(p.src)
}

// piece gives a block, or what is left of it from offset at on, and its cost.
// A cost over left may be too low: it is only looked at that far.
func (p *Page) piece(b Block, at, left int) (Piece, int) {
	piece := Piece{Block: b, Whole: at <= b.Start, Start: max(at, b.Start), End: b.End}
	if piece.End-piece.Start > left*utf8.UTFMax {
		return piece, left + 1
	}
	if !piece.Whole {
		piece.Text = string(toLF(p.src[piece.Start:piece.End]))
		return piece, blockCost + utf8.RuneCountInString(piece.Text)
	}
	piece.Text, piece.Items = p.Text(b), b.Items
	cost := blockCost + utf8.RuneCountInString(piece.Text)
	if source := p.Source(b); source != piece.Text {
		piece.Source = &source
		cost += utf8.RuneCountInString(source)
	}
	if extra := itemsCost(b.Items); cost+extra <= left {
		return piece, cost + extra
	}
	if len(b.Items) > 0 && cost > left/2 { // a list longer than a window goes without its items
		piece.Items = nil
		return piece, cost
	}
	return piece, left + 1
}

func itemsCost(items []Item) int {
	cost := 0
	for _, item := range items {
		cost += blockCost + utf8.RuneCountInString(item.Text)
	}
	return cost
}

// slice gives the part of a block from offset from on that fits.
func (p *Page) slice(b Block, from, left int) (Piece, int) {
	to := cutPoint(p.src[:b.End], from, left-blockCost, b.Type == TypeTable)
	piece := Piece{Block: b, Start: from, End: to, Text: string(toLF(p.src[from:to]))}
	return piece, left
}

// bodyWindow takes the body's bytes from offset at on.
func (p *Page) bodyWindow(w *Window, at, left int) int {
	to := after(p.src, at, left)
	if to < len(p.src) {
		to = p.bodyCut(at, to, left)
	}
	w.Body = string(p.src[at:to])
	return to
}

// bodyCut gives the last start of a block in (at, to], else a place inside the
// block that reaches over to.
func (p *Page) bodyCut(at, to, left int) int {
	spans := p.lay().spans
	i := sort.Search(len(spans), func(i int) bool { return spans[i].start > to }) - 1
	if i < 0 {
		return to
	}
	if spans[i].start > at {
		return spans[i].start
	}
	return cutPoint(p.src, at, left, spans[i].typ == TypeTable && to < spans[i].end)
}

// after gives the offset n characters behind at, or the end.
func after(src []byte, at, n int) int {
	for ; n > 0 && at < len(src); n-- {
		_, size := utf8.DecodeRune(src[at:])
		at += size
	}
	return at
}

// cutPoint gives where to cut src[from:] for at most n characters: at the last
// line's end if that is no waste, at a row's in a table; else in a table
// between two cells, and at last between two code points.
func cutPoint(src []byte, from, n int, table bool) int {
	to := after(src, from, max(n, 1))
	if to == len(src) {
		return to
	}
	if i := bytes.LastIndexAny(src[from:to], "\r\n"); i >= 0 && (table || i >= (to-from)/2) {
		return from + i + breakLen(src, from+i)
	}
	if i := bytes.LastIndexByte(src[from:to], '|'); table && i > 0 {
		return from + i
	}
	if src[to-1] == '\r' && src[to] == '\n' && to-1 > from {
		return to - 1
	}
	return to
}
