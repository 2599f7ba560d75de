package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/tools"
)

// TestDecodeReads: what is JSON is read, digit for digit.
func TestDecodeReads(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"a 23-digit number":      `{"n":12345678901234567890123}`,
		"digits behind the dot":  `[1.000000000000000000001,-0.5,1E5,2e-7,0]`,
		"escapes":                `{"s":"a\n\t\"\\é"}`,
		"a pair of surrogates":   `{"s":"🗒️"}`,
		"an escaped backslash u": `{"s":"\\ud83d"}`,
		"empty things":           `{"a":{},"b":[],"c":"","d":null}`,
		"eighteen keys":          `{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1,"m":1,"n":1,"o":1,"p":1,"q":1,"r":1}`,
		"the same key elsewhere": `{"a":{"x":1},"x":{"a":1}}`,
		"blanks":                 " \r\n\t{ \"a\" : [ 1 , 2 ] } \n",
	}
	for name, in := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, ordered := range []bool{false, true} {
				v, err := decode([]byte(in), ordered, nil)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(reference(t, in), string(Canonical(plain(v)))); diff != "" {
					t.Errorf("ordered %v (-encoding/json +ours):\n%s", ordered, diff)
				}
			}
		})
	}
}

// reference reads with encoding/json and writes it with sorted keys.
func reference(tb testing.TB, in string) string {
	tb.Helper()
	d := json.NewDecoder(strings.NewReader(in))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		tb.Fatal(err)
	}
	return string(encode(v))
}

// TestDecodeRefuses: what two readers could take differently is not read.
func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in, path, problem string
		code              tools.Code
	}{
		"a key twice":                   {`{"a":1,"b":2,"a":3}`, "/a", "given twice", tools.CodeInvalidArgs},
		"a key twice, deep":             {`{"a":[{"b":1,"b":1}]}`, "/a/0/b", "given twice", tools.CodeInvalidArgs},
		"a key twice, escaped":          {`{"a":1,"\u0061":2}`, "/a", "given twice", tools.CodeInvalidArgs},
		"case variants":                 {`{"documentId":1,"DOCUMENTID":2}`, "/DOCUMENTID", `differs from "documentId" in case only`, tools.CodeInvalidArgs},
		"case variants, Kelvin":         {`{"key":1,"Key":2}`, "/Key", `differs from "key" in case only`, tools.CodeInvalidArgs},
		"case variants, long s":         {`{"title":1,"s":1,"ſ":2}`, "/ſ", `differs from "s" in case only`, tools.CodeInvalidArgs},
		"case variants among many keys": {`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1,"h":1,"i":1,"j":1,"k":1,"l":1,"m":1,"n":1,"o":1,"p":1,"q":1,"r":1,"S":1,"s":1}`, "/s", `differs from "S" in case only`, tools.CodeInvalidArgs},
		"a slash in a path":             {`{"a/b~":{"c":1,"c":1}}`, "/a~1b~0/c", "given twice", tools.CodeInvalidArgs},
		"half a character":              {`{"s":"\ud83d"}`, "/s", "text that is not Unicode", tools.CodeInvalidArgs},
		"the other half":                {`["\udcdd"]`, "/0", "text that is not Unicode", tools.CodeInvalidArgs},
		"two first halves":              {`["\ud83d\ud83d"]`, "/0", "text that is not Unicode", tools.CodeInvalidArgs},
		"bytes that are no UTF-8":       {"{\"s\":\"\xff\"}", "", "text that is not Unicode", tools.CodeInvalidArgs},
		"a long number":                 {`[` + strings.Repeat("1", maxNumber+1) + `]`, "/0", "too long a number", tools.CodeInvalidArgs},
		"a number of a million digits":  {`{"n":1e1000000}`, "/n", "too long a number", tools.CodeInvalidArgs},
		"a number that is none":         {`{"n":01}`, "/n", "not JSON at byte 5", tools.CodeInvalidArgs},
		"cut short":                     {`{"a":[1,`, "/a/1", "JSON that ends too early", tools.CodeInvalidArgs},
		"something behind":              {`{} {}`, "", "not JSON at byte 3", tools.CodeInvalidArgs},
		"a comma too many":              {`[1,]`, "/1", "not JSON at byte 3", tools.CodeInvalidArgs},
		"a raw line end in text":        {"[\"a\nb\"]", "/0", "not JSON at byte 3", tools.CodeInvalidArgs},
		"an unknown escape":             {`["\x"]`, "/0", "not JSON at byte 5", tools.CodeInvalidArgs},
		"a NUL":                         {"[\x00]", "/0", "not JSON at byte 1", tools.CodeInvalidArgs},
		"too deep":                      {strings.Repeat("[", MaxDepth+1), "", "", tools.CodePayloadTooLarge},
		"too many values":               {"[" + strings.Repeat("0,", MaxValues) + "0]", "", "", tools.CodePayloadTooLarge},
		"too long":                      {`"` + strings.Repeat("x", MaxBytes) + `"`, "", "", tools.CodePayloadTooLarge},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := decode([]byte(tt.in), false, nil)
			e, ok := errors.AsType[*tools.Error](err)
			if !ok || e.Code != tt.code {
				t.Fatalf("got %v, want %s", err, tt.code)
			}
			if tt.code == tools.CodePayloadTooLarge {
				if e.Details["limit"] == nil {
					t.Error("the limit is not said")
				}
				return
			}
			v := e.Details["violations"].([]Violation)
			if v[0].Path != tt.path || v[0].Problem != tt.problem {
				t.Errorf("got %+v", v)
			}
		})
	}
}

// FuzzDecode: bytes are read as encoding/json reads them, or refused; and what
// is written again is read again as the same.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"a":1,"b":[true,null,"x"]}`, `{"a":1,"A":2}`, `"\ud83d\udcdd"`, `[1e5,-0.0]`, `{`, `[1,]`, "\"\u2028\""} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		v, err := decode(raw, false, nil)
		if err != nil {
			if _, coded := errors.AsType[*tools.Error](err); !coded {
				t.Fatalf("an error without a code: %v", err)
			}
			return
		}
		if !json.Valid(raw) {
			t.Fatalf("read what is no JSON: %q", raw)
		}
		if want := reference(t, string(raw)); want != string(Canonical(v)) {
			t.Fatalf("got %s, encoding/json reads %s", Canonical(v), want)
		}
		again, err := decode(Canonical(v), true, nil)
		if err != nil || !bytes.Equal(Canonical(plain(again)), Canonical(v)) {
			t.Fatalf("not the same again: %v %s", err, Canonical(v))
		}
	})
}
