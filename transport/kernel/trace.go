package kernel

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
)

// validTraceParent reports whether s is a W3C traceparent of a known form, such as
// 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01; only such a one goes into
// a header. It is asked at every call, where a pattern cost as much as the rest of
// the headers.
func validTraceParent(s string) bool {
	if len(s) != 55 || s[2] != '-' || s[35] != '-' || s[52] != '-' || s[:2] == "ff" {
		return false
	}
	trace, span := s[3:35], s[36:52]
	return isHex(s[:2]) && isHex(trace) && isHex(span) && isHex(s[53:]) &&
		strings.Trim(trace, "0") != "" && strings.Trim(span, "0") != ""
}

// isHex reports whether s is lower-case hexadecimal.
func isHex(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}

func randomTraceParent() string {
	var id [24]byte
	rand.Read(id[:]) // never fails (crypto/rand)
	return "00-" + hex.EncodeToString(id[:16]) + "-" + hex.EncodeToString(id[16:]) + "-01"
}
