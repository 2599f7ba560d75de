package kernel

import (
	"crypto/rand"
	"encoding/hex"
	"regexp"
	"sync"
)

var (
	traceParentForm = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$`)
	})
	traceParentVoid = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ff|-0{32}-|-0{16}-`) })
)

// validTraceParent reports whether s is a W3C traceparent of a known form; only
// such a one goes into a header.
func validTraceParent(s string) bool {
	return traceParentForm().MatchString(s) && !traceParentVoid().MatchString(s)
}

func randomTraceParent() string {
	var id [24]byte
	rand.Read(id[:]) // never fails (crypto/rand)
	return "00-" + hex.EncodeToString(id[:16]) + "-" + hex.EncodeToString(id[16:]) + "-01"
}
