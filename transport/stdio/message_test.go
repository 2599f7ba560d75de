package stdio

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestIDOfCut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ head, tail, want string }{
		"first":                    {`{"jsonrpc":"2.0","id":7,"method":"x","params":{"a":"bbb`, `bbb"}}`, `7`},
		"first, after an object":   {`{"params":{"id":1},"id" : "x" ,"more":`, `"b"}`, `"x"`},
		"last":                     {`{"method":"x","params":{"a":"bbb`, `bbb"},"jsonrpc":"2.0","id":-1.5}`, `-1.5`},
		"last, a text":             {`{"params":["`, `"],"id": "a b" } `, `"a b"`},
		"in the params only":       {`{"params":{"id":1`, `1,"id":5}}`, ``},
		"in a text of the params":  {`{"params":"`, `\"id\":5}`, ``},
		"cut inside the id":        {`{"id":12`, `34,"a":1}`, ``},
		"null":                     {`{"id":null,"a":"`, `"}`, ``},
		"an object":                {`{"id":{"a":1},"a":"`, `"}`, ``},
		"not JSON":                 {`{"id":1x2,"a":"`, `"}`, ``},
		"not UTF-8":                {"{\"id\":\"\xff\",\"a\":\"", `"}`, ``},
		"neither":                  {`{"a":"`, `"}`, ``},
		"no object":                {`xxxxxxxx`, `xxxxxx`, ``},
		"nothing":                  {``, ``, ``},
		"only the key":             {`{`, `"id":}`, ``},
		"the key without its mark": {`{`, `,"id"}`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := idOfCut([]byte(c.head), []byte(c.tail)); string(got) != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 200)
	got := map[string]string{}
	for name, f := range map[string]*Fault{
		"parse": ParseFault("x"), "request": RequestFault("x"), "method": MethodFault("x"), "long method": MethodFault(long),
		"params": ParamsFault("x"), "internal": InternalFault(),
		"data":        {Code: 5, Message: "<m>", Data: json.RawMessage(`{"a":"<"}`)},
		"broken data": {Code: 5, Message: "m", Data: json.RawMessage(`{`)},
	} {
		got[name] = string(f.encode())
	}
	want := map[string]string{
		"parse":       `{"code":-32700,"message":"Parse error: x"}`,
		"request":     `{"code":-32600,"message":"Invalid request: x"}`,
		"method":      `{"code":-32601,"message":"Method not found: x"}`,
		"long method": `{"code":-32601,"message":"Method not found: ` + long[:200] + `…"}`,
		"params":      `{"code":-32602,"message":"Invalid params: x"}`,
		"internal":    `{"code":-32603,"message":"Internal error"}`,
		"data":        `{"code":5,"message":"<m>","data":{"a":"<"}}`,
		"broken data": `{"code":5,"message":"m"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("faults differ (-want +got):\n%s", diff)
	}
	if clipped := clip("x" + long); !strings.HasSuffix(clipped, "é…") {
		t.Errorf("clip cuts inside a code point: %q", clipped)
	}
}

// FuzzMembers holds the walker against encoding/json on what is valid, and lets
// it loose on what is not: it must end, inside its bytes.
func FuzzMembers(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"a","params":{"b":["}",{"c":"\"]"}]}}`, ` { "a" : [ ] , "b" :-1.5e3} `,
		`{"a":"\\","b":{}}`, `{}`, `{"a":1,}`, `{"a`, `[1,[2],"]",{}]`, `{"a":tru`, `{"\u0061":null}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got := map[string]string{}
		whole := members(b, func(key, value []byte) bool {
			got[unquote(key)] = string(value)
			return true
		})
		_ = lastID(b)
		if !json.Valid(b) || !utf8.Valid(b) {
			return // no such line gets this far
		}
		var array []json.RawMessage
		if json.Unmarshal(b, &array) == nil && array != nil {
			var walked []json.RawMessage
			elements(b[skipSpace(b, 0):], func(v []byte) { walked = append(walked, v) })
			if diff := cmp.Diff(asTexts(array), asTexts(walked)); diff != "" {
				t.Errorf("elements differ (-json +walked):\n%s", diff)
			}
			return
		}
		var object map[string]json.RawMessage
		isObject := json.Unmarshal(b, &object) == nil && object != nil
		if whole != isObject {
			t.Fatalf("members = %v for %q", whole, b)
		}
		if !isObject {
			return
		}
		want := map[string]string{}
		for k, v := range object {
			want[k] = string(v)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("members differ (-json +walked):\n%s", diff)
		}
	})
}

func asTexts(raw []json.RawMessage) []string {
	texts := []string{}
	for _, r := range raw {
		texts = append(texts, string(r))
	}
	return texts
}

// A string is walked in one go, however much of it is escaped: a page of many
// lines must not take minutes.
func TestSkipString(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		in   string
		want int
	}{
		{`"" x`, 2}, {`"a" x`, 3}, {`"a\"b" x`, 6}, {`"\\" x`, 4}, {`"\\\"" x`, 6}, {`"a`, 2}, {`"a\`, 3}, {`"a\"`, 4}, {`"\"\"\\\"a" "b"`, 11},
	} {
		if got := skipString([]byte(tt.in), 0); got != tt.want {
			t.Errorf("skipString(%s) is %d, want %d", tt.in, got, tt.want)
		}
	}
	long := `"` + strings.Repeat(`\n`, 8<<20) + `"`
	if got := skipString([]byte(long), 0); got != len(long) {
		t.Errorf("a long one ends at %d of %d", got, len(long))
	}
}
