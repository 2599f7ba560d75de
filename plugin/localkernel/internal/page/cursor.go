package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"unicode/utf8"

	"github.com/mnote-dev/mnote-host/tools"
)

// A cursor is base64url of: version, form, the start of the page's hash, the
// offset, and the start of a hash of all that, which tells a damaged cursor
// from one of another page. It is no secret: an offset is all it can name.
const (
	cursorVersion = 1
	hashLength    = 8
	checkLength   = 4
)

// cursor makes the cursor of an offset.
func (p *Page) cursor(at int, form Form) string {
	b := append([]byte{cursorVersion, formByte(form)}, p.shortHash()...)
	b = binary.AppendUvarint(b, uint64(at))
	sum := sha256.Sum256(b)
	return base64.RawURLEncoding.EncodeToString(append(b, sum[:checkLength]...))
}

func (p *Page) shortHash() []byte {
	sum := sha256.Sum256(p.src)
	return sum[:hashLength]
}

func formByte(form Form) byte {
	if form == FormBody {
		return 'b'
	}
	return 'k'
}

// resume gives the offset a cursor stands for.
func (p *Page) resume(cursor string, form Form) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(b) < 2+hashLength+1+checkLength || b[0] != cursorVersion {
		return 0, badCursor()
	}
	body, check := b[:len(b)-checkLength], b[len(b)-checkLength:]
	if sum := sha256.Sum256(body); !bytes.Equal(sum[:checkLength], check) {
		return 0, badCursor()
	}
	if !bytes.Equal(body[2:2+hashLength], p.shortHash()) {
		return 0, staleCursor()
	}
	at, n := binary.Uvarint(body[2+hashLength:])
	if n <= 0 || 2+hashLength+n != len(body) || body[1] != formByte(form) || at >= uint64(len(p.src)) || !runeBorder(p.src, int(at)) {
		return 0, badCursor()
	}
	return int(at), nil
}

// runeBorder reports whether no character reaches over offset at.
func runeBorder(src []byte, at int) bool {
	for back := 1; back < utf8.UTFMax && back <= at; back++ {
		if _, size := utf8.DecodeRune(src[at-back:]); size > back {
			return false
		}
	}
	return true
}

func badCursor() error {
	return refuse(tools.CodeInvalidArgs, reasonCursorInvalid, tools.Text{
		ZH: "cursor 不是本页这种读取给出的 nextCursor；请去掉 cursor 从头读",
		EN: "the cursor is no nextCursor of such a read of this page; leave it out to read from the start",
	})
}

func staleCursor() error {
	return refuse(tools.CodeConflict, reasonCursorStale, tools.Text{
		ZH: "给出这个 cursor 之后页面变了；请去掉 cursor 从头读",
		EN: "the page changed since this cursor was given; leave it out to read from the start",
	})
}
