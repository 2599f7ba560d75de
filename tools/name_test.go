package tools

import (
	"regexp"
	"strings"
	"testing"
)

func TestParseName(t *testing.T) {
	t.Parallel()
	for in, ok := range map[string]bool{
		"mnote.page.get": true, "mnote.a": true, "mnote.knowledge_rag.open_reference": true, "mnote.1.2": true,
		"": false, "mnote": false, "mnote.": false, "mnote..a": false, "mnote.a.": false, "page.get": false, "Mnote.page": false,
		"mnote.Page": false, "mnote.a-b": false, "mnote.a b": false, "mnote.页": false, "mnote.a\n": false, "xmnote.a": false, "mnote_page_get": false,
	} {
		n, err := ParseName(in)
		if (err == nil) != ok || ok && string(n) != in {
			t.Errorf("%q: %q, %v", in, n, err)
		}
	}
}

func TestWireName(t *testing.T) {
	t.Parallel()
	long := Name("mnote." + strings.Repeat("a", 60) + ".b")
	tests := map[Name]string{
		"mnote.page.get":                         "mnote_page_get",
		"mnote.knowledge_rag.open_reference":     "mnote_knowledge_rag_open_reference",
		Name("mnote." + strings.Repeat("a", 46)): "mnote_" + strings.Repeat("a", 46), // exactly as long as may be
		long:                                     "mnote_" + strings.Repeat("a", 37) + "_8db94b36",
	}
	for in, want := range tests {
		if got := WireName(in); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
	if WireName(long) == WireName(Name(strings.TrimSuffix(string(long), "b")+"c")) {
		t.Error("two long names share a wire name")
	}
}

// FuzzWireName: every name has a wire name that any client takes, always the
// same, and two names share one only by the dots that it cannot show.
func FuzzWireName(f *testing.F) {
	for _, s := range []string{"mnote.page.get", "mnote.a_b", "mnote.a.b", "mnote." + strings.Repeat("x.", 40) + "y", "mnote.a\n", "nope"} {
		f.Add(s, s+"x")
	}
	form := regexp.MustCompile(`^[a-zA-Z0-9_]{1,52}$`)
	f.Fuzz(func(t *testing.T, a, b string) {
		n, err := ParseName(a)
		if err != nil {
			return
		}
		wire := WireName(n)
		if !form.MatchString(wire) || wire != WireName(n) {
			t.Fatalf("%s has the wire name %q", n, wire)
		}
		m, err := ParseName(b)
		if err == nil && WireName(m) == wire && strings.ReplaceAll(a, ".", "_") != strings.ReplaceAll(b, ".", "_") {
			t.Fatalf("%s and %s share %s", n, m, wire)
		}
	})
}
