package stdio

import (
	"fmt"
	"io"
)

// DefaultMaxLine is the longest line that Frames takes when nothing else is said.
const DefaultMaxLine = 16 << 20

// FramesConfig says where lines come from and go to. The zero MaxLine means
// DefaultMaxLine; In or Out may be nil when only the other one is used.
type FramesConfig struct {
	In      io.Reader
	Out     io.Writer
	MaxLine int
}

// TooLongError reports a line above the cap. The line was skipped whole: the
// next read gives the next line.
type TooLongError struct {
	Limit int   // the cap, in bytes
	Size  int64 // what the line had
	// Head and Tail are the first and last bytes of the line, enough to find out
	// whose it was; they do not overlap.
	Head, Tail []byte
}

// Error says how long the line was and what is allowed.
func (e *TooLongError) Error() string {
	return fmt.Sprintf("a line of %d bytes is longer than the limit of %d", e.Size, e.Limit)
}

// Look is the start of a line that was not read yet.
type Look struct {
	// Head holds the first bytes of the line; with Whole the whole line as sent,
	// line end included (the last line may have none). It is valid until the
	// next call on the Frames.
	Head  []byte
	Whole bool
}
