package mcp

import (
	"bytes"
	"unicode/utf8"
)

// result is a tools/call result before it is written.
type result struct {
	// text is the one text block.
	text []byte
	// structured is JSON that goes out as it stands, or nil.
	structured []byte
	isError    bool
}

// append writes the result's JSON behind dst. encoding/json would scan text and
// structured again, twice each, which is two thirds of the work of a large
// answer; here each byte is looked at once. stamp is what every modern result
// opens with, or "".
func (r result) append(dst []byte, stamp string) []byte {
	dst = append(dst, '{')
	if stamp != "" {
		dst = append(append(dst, stamp...), ',')
	}
	dst = append(dst, `"content":[{"type":"text","text":`...)
	dst = appendString(dst, r.text)
	dst = append(dst, `}]`...)
	if r.structured != nil {
		dst = append(append(dst, `,"structuredContent":`...), r.structured...)
	}
	if r.isError {
		dst = append(dst, `,"isError":true`...)
	}
	return append(dst, '}')
}

// size is what append will write, or a little more, so that dst is made once.
// Compact JSON has no other escapes than these two.
func (r result) size() int {
	return len(r.text) + bytes.Count(r.text, []byte{'"'}) + bytes.Count(r.text, []byte{'\\'}) + len(r.structured) + 256
}

const hex = "0123456789abcdef"

// valid gives s with U+FFFD for bytes that are not UTF-8: a kernel's may get
// through encoding/json as they are, and a line must be UTF-8 (L1).
func valid(s []byte) []byte {
	if utf8.Valid(s) {
		return s
	}
	return bytes.ToValidUTF8(s, []byte("\uFFFD"))
}

// appendString writes s, which is UTF-8, as a JSON string; < > & stay as they
// are.
func appendString(dst, s []byte) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[start:i]...)
		dst = appendEscape(dst, c)
		start = i + 1
	}
	return append(append(dst, s[start:]...), '"')
}

// appendText writes a string that may be the kernel's, so not UTF-8.
func appendText(dst []byte, s string) []byte { return appendString(dst, valid([]byte(s))) }

// appendEscape writes the escape of a quote, a backslash or a control character.
func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}
