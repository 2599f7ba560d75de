package localkernel

import (
	"strings"
	"testing"
)

// TestReasonWords: every reason that the folder gives is said in words, in both
// languages.
func TestReasonWords(t *testing.T) {
	t.Parallel()
	const denied = "empty encoding nul control bidi space tilde absolute unc drive uri backslash percent dot parent reserved too_long link"
	const readOnly = "mode folder hard_link open_for_writing"
	for _, reason := range strings.Fields(denied + " " + readOnly) {
		if w := reasonWord(reason); w.EN == reason || w.ZH == w.EN {
			t.Errorf("%s is said as %q", reason, w)
		}
	}
	if w := reasonWord("new_one"); w != alike("new_one") {
		t.Errorf("a reason without words is said as %q", w)
	}
}
