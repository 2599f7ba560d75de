package schema

import (
	"encoding/json"
	"testing"
)

// TestCanonical: equal JSON gives equal bytes, whatever the order and blanks,
// and no digit is lost.
func TestCanonical(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in   any
		want string
	}{
		"bytes, keys out of order": {[]byte(`{"b":1,"a":{"d":1.50,"c":[2 ,3]}}`), `{"a":{"c":[2,3],"d":1.50},"b":1}`},
		"raw message":              {json.RawMessage(` [ 9007199254740993 ] `), `[9007199254740993]`},
		"a tree":                   {map[string]any{"b": json.Number("1"), "a": []any{true, nil, "<&>"}}, `{"a":[true,null,"<&>"],"b":1}`},
		"Go values":                {map[string]any{"n": 3, "s": []string{"x"}}, `{"n":3,"s":["x"]}`},
		"a struct":                 {struct{ B, A int }{1, 2}, `{"A":2,"B":1}`},
		"text with marks":          {"笔记 \"x\"\n\u2028", `"笔记 \"x\"\n\u2028"`},
		"words":                    {[]string{"b", "a"}, `["b","a"]`},
		"broken bytes":             {[]byte(`{"a":`), ""},
		"a key twice":              {[]byte(`{"a":1,"a":2}`), ""},
		"no JSON at all":           {make(chan int), ""},
		"an empty number":          {map[string]any{"n": json.Number("")}, `{"n":0}`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := string(Canonical(tt.in)); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}
