package tools

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Name is a tool's dotted name, such as mnote.page.get: the word mnote and one
// or more segments of lower-case letters, digits and underscores.
type Name string

// MaxWireName is the longest wire name in bytes. Clients prefix names, as in
// mcp__mnote__…, and many stop at 64.
const MaxWireName = 52

// segmentLetters are those of a name's segments.
const segmentLetters = "abcdefghijklmnopqrstuvwxyz0123456789_"

// ParseName reads a dotted name; anything that is not one is an error.
func ParseName(s string) (Name, error) {
	segments, ok := strings.CutPrefix(s, "mnote.")
	for segment := range strings.SplitSeq(segments, ".") {
		ok = ok && segment != "" && strings.Trim(segment, segmentLetters) == ""
	}
	if !ok {
		return "", fmt.Errorf("tool name %q is not mnote.<segment>(.<segment>)* in lower case", s)
	}
	return Name(s), nil
}

// WireName gives the name a model sees: dots become underscores, and a name of
// more than MaxWireName bytes is cut and ends in a hash of the whole. The way
// back is a look-up in a snapshot, never string surgery: mnote.a_b and
// mnote.a.b share one wire name.
func WireName(n Name) string {
	wire := strings.ReplaceAll(string(n), ".", "_")
	if len(wire) <= MaxWireName {
		return wire
	}
	sum := sha256.Sum256([]byte(n))
	mark := "_" + hex.EncodeToString(sum[:4])
	return wire[:MaxWireName-len(mark)] + mark
}
