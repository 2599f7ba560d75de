package mcp

import "encoding/json"

// appendCompacted writes valid JSON without the white space between its tokens.
func appendCompacted(dst []byte, raw json.RawMessage) []byte {
	start := 0
	for i := 0; i < len(raw); {
		switch raw[i] {
		case '"':
			i = afterString(raw, i)
		case ' ', '\t', '\n', '\r':
			dst = append(dst, raw[start:i]...)
			for i < len(raw) && (raw[i] == ' ' || raw[i] == '\t' || raw[i] == '\n' || raw[i] == '\r') {
				i++
			}
			start = i
		default:
			i++
		}
	}
	return append(dst, raw[start:]...)
}

// afterString gives the place behind the string that begins at i.
func afterString(raw []byte, i int) int {
	for i++; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return i
}
