package tools

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// What keeps a text from being read as JSON.
var (
	ErrNotJSON  = errors.New("it is not whole JSON")
	ErrNotUTF8  = errors.New("it is not valid UTF-8")
	ErrTooDeep  = errors.New("it nests too deep")
	ErrNoObject = errors.New("it is not a JSON object")
)

// maxDepth bounds how deep a text may nest: it is read by recursion, and a Go stack
// that overflows cannot be recovered.
const maxDepth = 1000

// blanks are the white space of JSON.
const blanks = " \t\r\n"

// compactor reads a JSON text once: is it one, is it UTF-8, where do its members stand,
// and what is it without white space. A page's text passes three times in a call, and each of the three
// readings that encoding/json or gjson would need looks at every byte by itself;
// here nearly all are looked at eight at a time.
type compactor struct {
	in   []byte
	at   int // the first byte that was not read
	out  []byte
	kept int  // the first byte that is not in out yet
	asIs bool // nothing goes to out
	deep int
	err  error
}

// whole gives the compact text, once all was read.
func (c *compactor) whole() []byte { return append(c.out, c.in[c.kept:]...) }

// peek gives the next byte, 0 behind the last.
func (c *compactor) peek() byte {
	if c.at < len(c.in) {
		return c.in[c.at]
	}
	return 0
}

func (c *compactor) fail(err error) bool {
	c.err = err
	return false
}

// ended fails where something follows the value.
func (c *compactor) ended() bool { return c.at == len(c.in) || c.fail(ErrNotJSON) }

// skip leaves out white space.
func (c *compactor) skip() {
	if c.peek() > ' ' {
		return
	}
	from := c.at
	for c.at < len(c.in) && strings.IndexByte(blanks, c.in[c.at]) >= 0 {
		c.at++
	}
	if c.at == from || c.asIs {
		return
	}
	c.out = append(c.out, c.in[c.kept:from]...)
	c.kept = c.at
}

func (c *compactor) value() bool {
	switch b := c.peek(); b {
	case '"':
		return c.text()
	case '{':
		return c.object()
	case '[':
		return c.array()
	case 't':
		return c.word("true")
	case 'f':
		return c.word("false")
	case 'n':
		return c.word("null")
	default:
		return c.number()
	}
}

func (c *compactor) word(w string) bool {
	if len(c.in)-c.at < len(w) || string(c.in[c.at:c.at+len(w)]) != w {
		return c.fail(ErrNotJSON)
	}
	c.at += len(w)
	return true
}

// open begins an object or a list, and reports whether it ends at once.
func (c *compactor) open(end byte) (empty, ok bool) {
	if c.deep++; c.deep > maxDepth {
		return false, c.fail(ErrTooDeep)
	}
	c.at++
	c.skip()
	if c.peek() != end {
		return false, true
	}
	return true, c.close()
}

func (c *compactor) close() bool {
	c.at++
	c.deep--
	return true
}

// next stands behind an entry: at another one, or at the end.
func (c *compactor) next(end byte) (more, ok bool) {
	c.skip()
	switch c.peek() {
	case end:
		return false, c.close()
	case ',':
		c.at++
		c.skip()
		return true, true
	}
	return false, c.fail(ErrNotJSON)
}

func (c *compactor) array() bool {
	empty, ok := c.open(']')
	for more := ok && !empty; more; {
		if !c.value() {
			return false
		}
		more, ok = c.next(']')
	}
	return ok
}

func (c *compactor) object() bool {
	empty, ok := c.open('}')
	for more := ok && !empty; more; {
		if _, ok := c.member(); !ok {
			return false
		}
		more, ok = c.next('}')
	}
	return ok
}

// member says where a member stands.
type member struct{ name, nameEnd, value, end int }

func (c *compactor) member() (m member, ok bool) {
	m.name = c.at
	if c.peek() != '"' {
		return m, c.fail(ErrNotJSON)
	}
	if !c.text() {
		return m, false
	}
	m.nameEnd = c.at
	if c.skip(); c.peek() != ':' {
		return m, c.fail(ErrNotJSON)
	}
	c.at++
	c.skip()
	m.value = c.at
	ok = c.value()
	m.end = c.at
	return m, ok
}

// number reads -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
func (c *compactor) number() bool {
	c.sign("-")
	ok := c.peek() == '0'
	if ok {
		c.at++
	} else {
		ok = c.digits()
	}
	if ok && c.sign(".") {
		ok = c.digits()
	}
	if ok && c.sign("eE") {
		c.sign("+-")
		ok = c.digits()
	}
	return ok || c.fail(ErrNotJSON)
}

// sign takes one of the signs, if it is next.
func (c *compactor) sign(signs string) bool {
	if c.at == len(c.in) || strings.IndexByte(signs, c.in[c.at]) < 0 {
		return false
	}
	c.at++
	return true
}

func (c *compactor) digits() bool {
	from := c.at
	for b := c.peek(); '0' <= b && b <= '9'; b = c.peek() {
		c.at++
	}
	return c.at > from
}

// text reads a string, from its quote to its other quote.
func (c *compactor) text() bool {
	in, at := c.in, c.at+1
	for {
		for len(in)-at >= 8 {
			if found := notPlain(binary.LittleEndian.Uint64(in[at:])); found != 0 {
				at += bits.TrailingZeros64(found) / 8
				break
			}
			at += 8
		}
		if at == len(in) {
			return c.fail(ErrNotJSON)
		}
		switch b := in[at]; {
		case b == '"':
			c.at = at + 1
			return true
		case b == '\\':
			n := escaped(in[at:])
			if n == 0 {
				return c.fail(ErrNotJSON)
			}
			at += n
		case b < ' ':
			return c.fail(ErrNotJSON)
		case b < utf8.RuneSelf:
			at++
		default:
			n := runes(in[at:])
			if n == 0 {
				return c.fail(ErrNotUTF8)
			}
			at += n
		}
	}
}

// notPlain gives a word whose lowest set bit is that of the first byte in w which is
// a quote, a backslash, a control character or of no ASCII character; 0 where there
// is none. (Bytes behind that one may be marked wrongly.)
func notPlain(w uint64) uint64 {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	quote, slash := w^ones*'"', w^ones*'\\'
	return ((w-ones*' ')&^w | (quote-ones)&^quote | (slash-ones)&^slash | w) & tops
}

// runes gives how many bytes of characters beyond ASCII b begins with, 0 where they
// are none. Those of three bytes that have no exceptions, nearly all of Chinese, are
// known by their bits.
func runes(b []byte) (n int) {
	for n < len(b) && b[n] >= utf8.RuneSelf {
		if r := b[n:]; len(r) > 2 && 0xE1 <= r[0] && r[0] <= 0xEC && r[1]&0xC0 == 0x80 && r[2]&0xC0 == 0x80 {
			n += 3
			continue
		}
		r, size := utf8.DecodeRune(b[n:])
		if r == utf8.RuneError && size == 1 {
			return 0
		}
		n += size
	}
	return n
}

// escaped gives the length of the escape that b begins with, 0 where it is none.
func escaped(b []byte) int {
	switch {
	case len(b) > 1 && escapes[b[1]]:
		return 2
	case len(b) > 5 && b[1] == 'u' && isHex(b[2]) && isHex(b[3]) && isHex(b[4]) && isHex(b[5]):
		return 6
	}
	return 0
}

// escapes are the letters that a backslash may stand before by itself.
var escapes = [256]bool{'"': true, '\\': true, '/': true, 'b': true, 'f': true, 'n': true, 'r': true, 't': true}

func isHex(b byte) bool { return '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'f' }
