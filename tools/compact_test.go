package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestAppendCompact(t *testing.T) {
	t.Parallel()
	for doc, want := range map[string]any{
		"":                                   ErrNotJSON,
		" \n":                                ErrNotJSON,
		"\x00":                               ErrNotJSON,
		"null":                               "null",
		" true\r\n":                          "true",
		"falsehood":                          ErrNotJSON,
		"nul":                                ErrNotJSON,
		"1 2":                                ErrNotJSON,
		"-0.5e+10":                           "-0.5e+10",
		"01":                                 ErrNotJSON,
		"1.":                                 ErrNotJSON,
		"1e":                                 ErrNotJSON,
		"-":                                  ErrNotJSON,
		"+1":                                 ErrNotJSON,
		".5":                                 ErrNotJSON,
		"[ ]":                                "[]",
		"[1,]":                               ErrNotJSON,
		"[1 2]":                              ErrNotJSON,
		"[\t1 ,\n\"a b\"\r, {} ]":            `[1,"a b",{}]`,
		"[":                                  ErrNotJSON,
		`{"a" : [ 1 ] , "b":{ "c" : "d" } }`: `{"a":[1],"b":{"c":"d"}}`,
		`{"a"}`:                              ErrNotJSON,
		`{"a":}`:                             ErrNotJSON,
		`{"a":1,}`:                           ErrNotJSON,
		`{a:1}`:                              ErrNotJSON,
		`{"a":1]`:                            ErrNotJSON,
		`{} {}`:                              ErrNotJSON,
		`"\"\\\/\b\f\n\r\t\u00Af"`:           `"\"\\\/\b\f\n\r\t\u00Af"`,
		`"\x"`:                               ErrNotJSON,
		`"\u00g0"`:                           ErrNotJSON,
		`"\u00`:                              ErrNotJSON,
		`"\`:                                 ErrNotJSON,
		`"no end`:                            ErrNotJSON,
		"\"a\nb\"":                           ErrNotJSON,
		"\"12345678\x1f\"":                   ErrNotJSON,
		"\"eight at a time, 页面 and 🙂 too\"": "\"eight at a time, 页面 and 🙂 too\"",
		"\"\u2028\uFFFD\x7f\"":              "\"\u2028\uFFFD\x7f\"",
		"\"a\xff\"":                         ErrNotUTF8,
		"\"\xe9\xa1\"":                      ErrNotUTF8,
		"\"\xed\xa0\x80\"":                  ErrNotUTF8,
		"\xff":                              ErrNotJSON,
		strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth): strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth),
		strings.Repeat("[", maxDepth+1):                               ErrTooDeep,
		strings.Repeat(`{"":`, 1<<20):                                 ErrTooDeep,
	} {
		got, err := AppendCompact([]byte("before "), []byte(doc))
		switch want := want.(type) {
		case error:
			if !errors.Is(err, want) || string(got) != "before " {
				t.Errorf("%.60q: %v and %.60q, want %v", doc, err, got, want)
			}
		default:
			if diff := cmp.Diff(want, strings.TrimPrefix(string(got), "before ")); err != nil || diff != "" {
				t.Errorf("%.60q: %v %s", doc, err, diff)
			}
		}
	}
}

func TestMembers(t *testing.T) {
	t.Parallel()
	for doc, want := range map[string]any{
		`{}`:      "",
		`{"a":1}`: "a=1;",
		` { "a" : [ 1 , {"a" : 2} ] , "b":"x y" } `: `a=[ 1 , {"a" : 2} ];b="x y";`,
		`{"\u006fk":true,"ok":null}`:                "ok=true;ok=null;",
		`[]`:                                        ErrNoObject,
		`[`:                                         ErrNotJSON,
		`"a"`:                                       ErrNoObject,
		``:                                          ErrNotJSON,
		`{"a":1}}`:                                  ErrNotJSON,
		`{"a":1,"b"`:                                ErrNotJSON,
		"{\"a\":\"\xff\"}":                          ErrNotUTF8,
	} {
		var b strings.Builder
		err := Members([]byte(doc), func(name, value []byte) { b.WriteString(string(name) + "=" + string(value) + ";") })
		switch want := want.(type) {
		case error:
			if !errors.Is(err, want) || b.Len() > 0 {
				t.Errorf("%q: %v, and %q was visited; want %v", doc, err, b.String(), want)
			}
		default:
			if err != nil || b.String() != want {
				t.Errorf("%q: %v, %q; want %q", doc, err, b.String(), want)
			}
		}
	}
}

// FuzzAppendCompact: it takes what encoding/json takes, if it is UTF-8 and not too
// deep, and gives what that gives.
func FuzzAppendCompact(f *testing.F) {
	for _, doc := range []string{
		`{"a" : [1.5e3, true, null, "b\n\ud800\"c"], "页面":{}}`, "[ ]", "\"\xff\"", "[1,]", "-01", `"a`, strings.Repeat("[", 12), `{"a":1,"a":2}`,
	} {
		f.Add([]byte(doc))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		before := bytes.Clone(doc)
		got, err := AppendCompact(nil, doc)
		if errors.Is(err, ErrTooDeep) {
			return
		}
		var want bytes.Buffer
		if whole := json.Compact(&want, doc) == nil && utf8.Valid(doc); whole != (err == nil) {
			t.Fatalf("%q: %v", doc, err)
		}
		if err != nil {
			return
		}
		if diff := cmp.Diff(want.String(), string(got)); diff != "" {
			t.Fatal(diff)
		}
		again := []byte("{")
		err = Members(doc, func(name, value []byte) {
			quoted, _ := json.Marshal(string(name))
			again = append(append(append(append(again, quoted...), ':'), value...), ',')
		})
		if object := got[0] == '{'; object != (err == nil) {
			t.Fatalf("members of %q: %v", doc, err)
		}
		if err == nil {
			again = append(bytes.TrimSuffix(again, []byte(",")), '}')
			if diff := cmp.Diff(decoded(t, got), decoded(t, again)); diff != "" {
				t.Fatal(diff)
			}
		}
		if !bytes.Equal(before, doc) {
			t.Fatal("the text was changed")
		}
	})
}

func BenchmarkAppendCompact(b *testing.B) {
	text, err := json.Marshal(strings.Repeat("a line of a note, with \"quotes\"\n", 65))
	if err != nil {
		b.Fatal(err)
	}
	chinese, err := json.Marshal(strings.Repeat("一行笔记，带有“引号”。\n", 60))
	if err != nil {
		b.Fatal(err)
	}
	for name, text := range map[string][]byte{"latin": text, "chinese": chinese} {
		doc := append(append([]byte(`{"documentId":"doc_1","revision":1,"body":`), text...), '}')
		b.Run(name, func(b *testing.B) {
			out := make([]byte, 0, len(doc))
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := AppendCompact(out, doc); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
