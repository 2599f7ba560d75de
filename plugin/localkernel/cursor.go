package localkernel

import (
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"github.com/mnote-dev/mnote-host/tools"
)

// A cursor of a list about one page says whose it is, where the list goes on,
// and of which page it is, with cursorSeparator between.
const cursorSeparator = "."

// cursorMark is a short hash of a document's name.
func cursorMark(key string) string {
	sum := sha256.Sum256([]byte(key))
	return base64.RawURLEncoding.EncodeToString(sum[:6])
}

var textOtherPage = tools.Text{
	ZH: "这个 cursor 是另一个页面给出的；请用这个页面自己的 nextCursor，或去掉 cursor 从头读",
	EN: "the cursor is another page's; send this page's own nextCursor, or none to read from the start",
}

// placeCursor makes the cursor of a page's list; place holds no separator.
func placeCursor(list, place, key string) string {
	return strings.Join([]string{list, place, cursorMark(key)}, cursorSeparator)
}

// readPlaceCursor gives the place of a cursor that is this list's and this
// page's, as valid says.
func readPlaceCursor(list, cursor, key string, valid func(place string) bool) (string, error) {
	parts := strings.Split(cursor, cursorSeparator)
	mark := cursorMark(key)
	switch {
	case len(parts) != 3 || parts[0] != list || len(parts[2]) != len(mark) || !valid(parts[1]):
		return "", badCursor()
	case parts[2] != mark:
		return "", tools.Errorf(tools.CodeInvalidArgs, textOtherPage).With("reason", "cursor_other_page")
	}
	return parts[1], nil
}

// badCursor refuses a cursor that no list of ours gave.
func badCursor() error {
	return tools.Errorf(tools.CodeInvalidArgs, textCursor).With("reason", "cursor_invalid")
}
