package mcp

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestAppendString(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                   `""`,
		"plain <b>&":         `"plain <b>&"`,
		`{"a":"b\"c"}`:       `"{\"a\":\"b\\\"c\"}"`,
		"页 🗒️\n\t\r\x00\x1f": `"页 🗒️\n\t\r\u0000\u001f"`,
		"\u2028":             "\"\u2028\"",
	} {
		if got := string(appendString(nil, []byte(in))); got != want {
			t.Errorf("%q became %s, want %s", in, got, want)
		}
	}
}

func TestResultAppend(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]result{
		`{"content":[{"type":"text","text":"{}"}]}`:                                              {text: []byte("{}")},
		`{"content":[{"type":"text","text":"{}"}],"structuredContent":{},"isError":true}`:        {text: []byte("{}"), structured: []byte("{}"), isError: true},
		`{"resultType":"complete","content":[{"type":"text","text":"x"}],"structuredContent":1}`: {text: []byte("x"), structured: []byte("1")},
	} {
		stamp := ""
		if bytes.Contains([]byte(want), []byte("resultType")) {
			stamp = `"resultType":"complete"`
		}
		if got := string(r.append(nil, stamp)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// What goes out is one line of valid UTF-8 that decodes to what went in.
func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "a\"b\\", "页\n\x00", "\xff\xfe", "\xed\xa0\x80", "\u2028\u2029\ufeff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		out := appendString(nil, valid(in))
		if !utf8.Valid(out) || bytes.ContainsAny(out, "\n\r") {
			t.Fatalf("%q is no line of UTF-8", out)
		}
		var got string
		if err := json.Unmarshal(out, &got); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		if diff := cmp.Diff(string(bytes.ToValidUTF8(in, []byte("\uFFFD"))), got); diff != "" {
			t.Error(diff)
		}
	})
}
