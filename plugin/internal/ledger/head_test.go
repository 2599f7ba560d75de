package ledger_test

import (
	"fmt"
	"testing"

	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
)

// Whatever reads as a head is exactly what would be written for it.
func FuzzParseHead(f *testing.F) {
	f.Add(fmt.Sprintf("mnote-audit v1 %020d %064x\n", 7, 8))
	f.Add("mnote-audit v1 -0000000000000000007 " + fmt.Sprintf("%064X\n", 255))
	f.Add("")
	f.Fuzz(func(t *testing.T, s string) {
		seq, hash, err := ledger.ParseHead(s)
		if err == nil && (len(hash) != 32 || fmt.Sprintf("mnote-audit v1 %020d %x\n", seq, hash) != s) {
			t.Errorf("%q was read as %d %x", s, seq, hash)
		}
	})
}
