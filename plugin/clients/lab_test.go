package clients_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin/clients"
	"github.com/mnote-dev/mnote-host/plugin/localkernel"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/tools/schema"
)

// catalogues are the manifests that ship with us, with all that they offer on.
func catalogues(t *testing.T) map[string][]tools.Tool {
	t.Helper()
	local, err := capabilities.Read(localkernel.ManifestJSON())
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]tools.Tool{
		"local":    capabilities.NewSnapshot(local, "mcp").All(),
		"fallback": capabilities.NewSnapshot(capabilities.Fallback(), "mcp").All(),
	}
}

// eachClient runs a test for every client that there is.
func eachClient(t *testing.T, test func(t *testing.T, c clients.Client)) {
	t.Helper()
	for _, name := range clients.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := clients.Named(name)
			if err != nil {
				t.Fatal(err)
			}
			test(t, c)
		})
	}
}

// TestLabShows: every tool of ours reaches the model of every client, whole.
func TestLabShows(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, c clients.Client) {
		for name, list := range catalogues(t) {
			offered := slices.DeleteFunc(slices.Clone(list), func(t tools.Tool) bool { return t.Status != tools.StatusAvailable })
			for _, f := range c.Check("mnote", offered) {
				t.Errorf("%s: %s", name, f)
			}
		}
	})
}

// TestLabCalls: however a client bends the arguments, the same call arrives.
func TestLabCalls(t *testing.T) {
	t.Parallel()
	eachClient(t, func(t *testing.T, c clients.Client) {
		for _, list := range catalogues(t) {
			for _, tool := range list {
				in, err := schema.Narrow(tool)
				if err != nil {
					t.Fatal(err)
				}
				meant := sample(t, in)
				want, _, err := schema.New(tool).Decode(meant)
				if err != nil {
					t.Errorf("%s: the sample %s: %v", tool.Name, meant, err)
					continue
				}
				bent := c.Habits.Bend(in, meant)
				got, _, err := schema.New(tool).Decode(bent)
				if err != nil {
					t.Errorf("%s: %s arrived as %s: %v", tool.Name, meant, bent, err)
					continue
				}
				if diff := cmp.Diff(string(want.JSON()), string(got.JSON())); diff != "" {
					t.Errorf("%s: %s arrived as %s: %s", tool.Name, meant, bent, diff)
				}
			}
		}
	})
}

// sample makes arguments that a schema takes: every required one, and every
// other whose type could be bent.
func sample(t *testing.T, in json.RawMessage) json.RawMessage {
	t.Helper()
	var root map[string]any
	if err := json.Unmarshal(in, &root); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(sampleOf(root))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func sampleOf(s map[string]any) any {
	if words, ok := s["enum"].([]any); ok {
		return words[0]
	}
	switch s["type"] {
	case "boolean":
		return false
	case "integer", "number":
		if least, ok := s["minimum"].(float64); ok {
			return least
		}
		return 1
	case "array":
		items, _ := s["items"].(map[string]any)
		return []any{sampleOf(items)}
	case "object":
		out := map[string]any{}
		required, _ := s["required"].([]any)
		props, _ := s["properties"].(map[string]any)
		for name, p := range props {
			prop, _ := p.(map[string]any)
			if slices.Contains(required, any(name)) || prop["type"] != "string" || name == "text" {
				out[name] = sampleOf(prop)
			}
		}
		return out
	}
	if s["format"] == "date-time" {
		return "2026-06-07T10:00:00Z"
	}
	return "text"
}

func TestBend(t *testing.T) {
	t.Parallel()
	const in = `{"type":"object","properties":{"a":{},"b":{}},"required":["a"]}`
	for name, c := range map[string]struct {
		habits     clients.Habits
		args, want string
	}{
		"none":       {clients.Habits{}, `{"a":{"x":1}}`, `{"a":{"x":1}}`},
		"strings":    {clients.Habits{Strings: true}, `{"a":{"x":1},"b":[1],"c":2}`, `{"a":"{\"x\":1}","b":"[1]","c":2}`},
		"scalars":    {clients.Habits{Scalars: true}, `{"a":1.5,"b":true,"c":[1],"d":null,"e":"s"}`, `{"a":"1.5","b":"true","c":[1],"d":null,"e":"s"}`},
		"nulls":      {clients.Habits{Nulls: true}, `{"a":1}`, `{"a":1,"b":null}`},
		"no object":  {clients.Habits{Strings: true}, `[1]`, `[1]`},
		"no JSON":    {clients.Habits{Strings: true}, `{`, `{`},
		"null":       {clients.Habits{Nulls: true}, `null`, `null`},
		"no schema":  {clients.Habits{Nulls: true}, `{"a":1}`, `{"a":1,"b":null}`},
		"everything": {clients.Habits{Strings: true, Scalars: true, Nulls: true}, `{"a":[1]}`, `{"a":"[1]","b":null}`},
	} {
		if got := c.habits.Bend(json.RawMessage(in), json.RawMessage(c.args)); string(got) != c.want {
			t.Errorf("%s: %s is bent to %s, want %s", name, c.args, got, c.want)
		}
	}
}

// TestCheck: each fault is found; a check that finds nothing proves nothing.
func TestCheck(t *testing.T) {
	t.Parallel()
	c, err := clients.Named("cursor")
	if err != nil {
		t.Fatal(err)
	}
	tool := func(name, description, in string) tools.Tool {
		return tools.Tool{Name: tools.Name(name), Description: description, InputSchema: json.RawMessage(in)}
	}
	const empty = `{"type":"object","properties":{}}`
	many := slices.Repeat([]tools.Tool{tool("mnote.a", "A.", empty)}, 41)
	for name, c := range map[string]struct {
		client clients.Client
		server string
		list   []tools.Tool
		want   string
	}{
		"a long name": {c, strings.Repeat("s", 60), []tools.Tool{tool("mnote.a", "A.", empty)}, "bytes, and Cursor takes 60"},
		"a bad name":  {c, "my notes", []tools.Tool{tool("mnote.a", "A.", empty)}, "does not match"},
		"many":        {c, "mnote", many, "41 tools, and Cursor shows its model 40"},
		"twice":       {c, "mnote", many[:2], "are both shown as"},
		"no words":    {c, "mnote", []tools.Tool{tool("mnote.a", "", empty)}, "no description"},
		"no schema":   {c, "mnote", []tools.Tool{tool("mnote.a", "A.", `[`)}, "narrow the schema"},
	} {
		if got := strings.Join(c.client.Check(c.server, c.list), "\n"); !strings.Contains(got, c.want) {
			t.Errorf("%s: found %q", name, got)
		}
	}
}
