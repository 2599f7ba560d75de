package acp

import (
	"bytes"
	"encoding/json"

	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// head is what was learned of a frame from its first bytes, or from all of them.
type head struct {
	id     []byte // raw; nil when not seen
	method []byte // decoded; nil when not seen
	// answer says that a result or an error was seen, failed that it was an error.
	answer, failed bool
}

// lookAt reads the top level of the frame that b starts with, as far as it must:
// a method with its id, or an id with the sign of an answer, is enough. Where
// methods alone count, the id behind one is not looked for.
func lookAt(b []byte, methodAlone bool) head {
	var h head
	stdio.Members(b, func(key, value []byte, whole bool) bool {
		switch string(unquoted(key)) {
		case "id":
			if whole {
				h.id = value
			}
		case "method":
			if whole && len(value) > 1 && value[0] == '"' {
				h.method = unquoted(value)
			}
		case "result":
			h.answer = true
		case "error":
			if whole && string(value) == "null" { // beside a result, from careless peers
				return true
			}
			h.answer, h.failed = true, true
		}
		if h.method != nil {
			return !methodAlone && h.id == nil
		}
		return h.id == nil || !h.answer
	})
	return h
}

// unquoted decodes a raw JSON string. PHP, for one, writes session\/new.
func unquoted(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 && len(raw) > 1 {
		return raw[1 : len(raw)-1]
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return nil
	}
	return []byte(s)
}

// key is a raw id in the one spelling that its equals share. A string is no
// number: "0" and 0 stay two.
func key(id []byte) string {
	if bytes.IndexByte(id, '\\') < 0 {
		return string(id)
	}
	return `"` + string(unquoted(id)) + `"`
}

// kindOf is the first byte of a line that means something, 0 for a blank one. A
// byte order mark before the first line is not the agent's fault to die of.
func kindOf(b []byte) byte {
	b = bytes.TrimLeft(bytes.TrimPrefix(b, []byte("\uFEFF")), " \t\r\n")
	if len(b) == 0 {
		return 0
	}
	return b[0]
}
