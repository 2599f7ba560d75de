package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin/clients"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/mcp"
)

// ask sends frames to a new face and gives its answer to each, raw. Every frame
// must be a request, and is answered before the next is sent.
func ask(t *testing.T, cfg mcp.Config, frames ...string) []string {
	t.Helper()
	in, client := io.Pipe()
	back, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- mcp.New(cfg).Run(context.Background(), in, out)
		out.Close()
	}()
	r := bufio.NewReader(back)
	var answers []string
	for _, frame := range frames {
		if _, err := io.WriteString(client, frame+"\n"); err != nil {
			t.Fatal(err)
		}
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, line)
	}
	client.Close()
	if rest, err := io.ReadAll(r); err != nil || len(rest) > 0 {
		t.Errorf("after the answers came %q, %v", rest, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	return answers
}

const modern = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`

// manifests are the documents that a host of this build can start from.
func manifests(t *testing.T) map[string]capabilities.Manifest {
	t.Helper()
	return map[string]capabilities.Manifest{
		"small": manifest(t, smallManifest), "fallback": capabilities.Fallback(), "local": localManifest(t),
	}
}

// localManifest is the local kernel's own, read as a document: a face does not
// know that kernel.
//
// What is planned in it counts as built: it is to fit when it is.
func localManifest(t *testing.T) capabilities.Manifest {
	t.Helper()
	doc, err := os.ReadFile("../../plugin/localkernel/manifest.json")
	if err != nil {
		t.Fatal(err)
	}
	m := manifest(t, strings.ReplaceAll(string(doc), `"planned"`, `"available"`))
	m.Tools = slices.DeleteFunc(m.Tools, func(t tools.Tool) bool { return t.Name == "mnote.onlyoffice.status" }) // compat, when built
	return m
}

// listed gives the tools of a manifest as a client sees them.
func listed(t *testing.T, m capabilities.Manifest, cfg mcp.Config) []mcp.ProbedTool {
	t.Helper()
	cfg.Session, cfg.Registry = says(`{}`), capabilities.NewRegistry(capabilities.Config{First: m})
	list, _, err := probe(t, cfg, mcp.ProbeConfig{}).Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		t.Fatal("no tools")
	}
	return list
}

// L1: one message a line, UTF-8, whatever the kernel gave.
func TestL1OneLine(t *testing.T) {
	t.Parallel()
	for name, result := range map[string]string{
		"pretty":    "{\n  \"a\": \"b\\nc\",\r\n\t\"d\": [1,\n2]\n}",
		"no UTF-8":  "{\"a\":\"\xff\xfe\"}",
		"separator": "{\"a\":\"\u2028\u2029\"}",
		"surrogate": `{"a":"\ud800"}`,
	} {
		for era, params := range map[string]string{"legacy": "", "modern": "," + modern} {
			answers := ask(t, mcp.Config{Session: says(result), Registry: still(t, smallManifest)},
				`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mnote_page_get","arguments":{}`+params+`}}`)
			if line := answers[0]; !utf8.ValidString(line) || !json.Valid([]byte(line)) || strings.Contains(line, "\r") {
				t.Errorf("%s, %s: %q", name, era, line)
			}
		}
	}
}

// L9, and the face's part of case B27: each schema is a JSON Schema of an object,
// and one that the strictest client takes.
func TestL9Schemas(t *testing.T) {
	t.Parallel()
	for name, m := range manifests(t) {
		for _, tool := range listed(t, m, mcp.Config{}) {
			for _, client := range clients.Names() {
				c, err := clients.Named(client)
				if err != nil {
					t.Fatal(err)
				}
				for _, fault := range c.Dialect.Faults(tool.InputSchema) {
					t.Errorf("%s, %s, for %s: %s", name, tool.Name, client, fault)
				}
			}
			compile(t, tool.InputSchema)
		}
	}
}

func compile(t *testing.T, schema []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:/schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("mem:/schema.json")
	if err != nil {
		t.Fatalf("%v in %s", err, schema)
	}
	return s
}

// L10: names are of the allowed letters, unique, and short enough for every
// client's own way to show them.
func TestL10Names(t *testing.T) {
	t.Parallel()
	for name, m := range manifests(t) {
		seen := map[string]bool{}
		for _, tool := range listed(t, m, mcp.Config{}) {
			if seen[tool.Name] || strings.Trim(tool.Name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
				t.Errorf("%s: %q is taken or has other letters", name, tool.Name)
			}
			seen[tool.Name] = true
			if tool.Title == "" || tool.Description == "" {
				t.Errorf("%s: %s lacks a title or a description", name, tool.Name)
			}
			for _, client := range clients.Names() {
				c, err := clients.Named(client)
				if err != nil {
					t.Fatal(err)
				}
				if shown := c.Shows("mnote", tool.Name); len(shown) > c.Limits.ToolName {
					t.Errorf("%s shows %s, %d bytes of %d", client, shown, len(shown), c.Limits.ToolName)
				}
			}
		}
	}
}

// M13, and case B30: the list is the same bytes for every start, language, grant
// and clientInfo, the same tools in both eras, in the manifest's order.
func TestM13ListsDoNotVary(t *testing.T) {
	t.Parallel()
	for name, m := range manifests(t) {
		registry := func() mcp.Registry { return capabilities.NewRegistry(capabilities.Config{First: m}) }
		list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
		hello := func(who, version string) string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":%q,"clientInfo":{"name":%q,"version":"1"},"capabilities":{}}}`, version, who)
		}
		plain := ask(t, mcp.Config{Session: says(`{}`), Registry: registry()}, hello("a", "2025-11-25"), list)[1]
		for other, answers := range map[string][]string{
			"again":            ask(t, mcp.Config{Session: says(`{}`), Registry: registry()}, hello("a", "2025-11-25"), list),
			"reasonix":         ask(t, mcp.Config{Session: says(`{}`), Registry: registry()}, hello("reasonix", "2024-11-05"), list),
			"read only":        ask(t, mcp.Config{Session: fake{readOnly: true}, Registry: registry()}, hello("a", "2025-11-25"), list),
			"Chinese":          ask(t, mcp.Config{Session: chinese{}, Registry: registry()}, hello("a", "2025-11-25"), list),
			"before the hello": ask(t, mcp.Config{Session: says(`{}`), Registry: registry()}, list, list),
		} {
			if answers[1] != plain {
				t.Errorf("%s, %s: another list:\n%s%s", name, other, plain, answers[1])
			}
		}
		new := ask(t, mcp.Config{Session: says(`{}`), Registry: registry()}, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+modern+`}}`)[0]
		if diff := cmp.Diff(toolsIn(t, plain), toolsIn(t, new)); diff != "" {
			t.Errorf("%s: the eras differ:\n%s", name, diff)
		}
		var order []string
		for _, tool := range registry().Snapshot().Tools() {
			order = append(order, tools.WireName(tool.Name))
		}
		var got []string
		for _, tool := range toolsIn(t, plain) {
			got = append(got, tool["name"].(string))
		}
		if diff := cmp.Diff(order, got); diff != "" {
			t.Errorf("%s: not the manifest's order:\n%s", name, diff)
		}
	}
}

// Agents of ACP show their model the tools alone: there each says which skill to
// read first, and names none that is off.
func TestDescriptionsNameTheSkill(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		m    capabilities.Manifest
		want map[string]string // what a tool's description ends with
	}{
		"on": {localManifest(t), map[string]string{
			"mnote_page_get":   " First read mnote_skill_read skillId=mnote-current-page.",
			"mnote_skill_read": "safely.",
		}},
		"off": {manifest(t, strings.Replace(smallManifest, `"name": "mnote.page.get",`, `"name": "mnote.page.get", "enabled": false,`, 1)), nil},
	} {
		registry := capabilities.NewRegistry(capabilities.Config{First: tt.m})
		list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
		plain := toolsIn(t, ask(t, mcp.Config{Session: says(`{}`), Registry: registry}, list)[0])
		named := toolsIn(t, ask(t, mcp.Config{Session: says(`{}`), Registry: registry, NameSkills: true}, list)[0])
		if len(plain) != len(named) {
			t.Fatalf("%s: %d and %d tools", name, len(plain), len(named))
		}
		for i, tool := range named {
			text := tool["description"].(string)
			if !strings.HasPrefix(text, plain[i]["description"].(string)) {
				t.Errorf("%s: %v became %q", name, tool["name"], text)
			}
			if want := tt.want[tool["name"].(string)]; !strings.HasSuffix(text, want) {
				t.Errorf("%s: %v ends otherwise than %q: %q", name, tool["name"], want, text)
			}
		}
	}
}

// chinese is a session in Chinese.
type chinese struct{ fake }

func (chinese) Lang() tools.Lang { return tools.ZH }

func toolsIn(t *testing.T, line string) []map[string]any {
	t.Helper()
	var answer struct {
		Result struct {
			Tools []map[string]any `json:"tools"`
		} `json:"result"`
	}
	if err := json.Unmarshal([]byte(line), &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Result.Tools
}

// The whole catalogue fits where clients cut: 16 KiB, and 32 tools.
func TestListFitsItsBudget(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"2025-11-25", "2026-07-28"} {
		registry := capabilities.NewRegistry(capabilities.Config{First: localManifest(t)})
		p := probe(t, mcp.Config{Session: says(`{}`), Registry: registry, Version: "1.0.0"}, mcp.ProbeConfig{Protocol: protocol})
		list, size, err := p.Tools(t.Context())
		if err != nil || size > 16<<10 || len(list) > 32 {
			t.Errorf("%s: %d tools in %d bytes, %v", protocol, len(list), size, err)
		}
	}
}

// The hints are true to the tool, all four of them.
func TestHints(t *testing.T) {
	t.Parallel()
	doc := strings.Replace(smallManifest, `"status": "planned",`, ``, 1)
	line := ask(t, mcp.Config{Session: says(`{}`), Registry: still(t, doc)}, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)[0]
	got := map[string]any{}
	for _, tool := range toolsIn(t, line) {
		got[tool["name"].(string)] = tool["annotations"]
	}
	hint := func(readOnly, destructive, idempotent, openWorld bool) map[string]any {
		return map[string]any{"readOnlyHint": readOnly, "destructiveHint": destructive, "idempotentHint": idempotent, "openWorldHint": openWorld}
	}
	want := map[string]any{
		"mnote_skill_read": hint(true, false, true, false), "mnote_page_get": hint(true, false, true, false),
		"mnote_page_save": hint(false, true, false, false), "mnote_doc_list": hint(true, false, true, false),
		"mnote_web_clip": hint(false, true, false, true),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// M17: a schema that points into the network is shown without its $ref, and
// nobody goes there.
func TestM17NoNetworkRefs(t *testing.T) {
	t.Parallel()
	doc := `{"ok":true,"tools":[{"name":"mnote.page.get","kind":"read","description":"d","inputSchema":
		{"type":"object","properties":{"a":{"$ref":"http://127.0.0.1:1/x.json"},"b":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}}}}}}]}`
	for _, tool := range listed(t, manifest(t, doc), mcp.Config{}) {
		if bytes.Contains(tool.InputSchema, []byte("$ref")) || bytes.Contains(tool.InputSchema, []byte("http")) {
			t.Errorf("%s", tool.InputSchema)
		}
	}
}

// M19: whoever a client says it is, it is offered what any client is: the
// answer to its handshake is the same, byte for byte.
func TestM19SameHandshake(t *testing.T) {
	t.Parallel()
	cfg := mcp.Config{Session: says(`{}`), Registry: still(t, smallManifest)}
	hello := func(who string) string {
		return ask(t, cfg, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"`+who+`","version":"1"},"capabilities":{}}}`)[0]
	}
	for _, who := range []string{"reasonix", "mnote-hermes-plugin", ""} {
		if got := hello(who); got != hello("test") {
			t.Errorf("%q is told %s", who, got)
		}
	}
}

// Prompts and resources come in the manifest's order, which was chosen for people,
// in both eras.
func TestListsKeepTheManifestsOrder(t *testing.T) {
	t.Parallel()
	const doc = `{"ok": true, "capabilities": [
	  {"id": "p2", "title": "二", "skillId": "z", "enabled": true, "toolNames": ["mnote.skill.read"]},
	  {"id": "p3", "title": "三", "skillId": "m", "enabled": true, "toolNames": ["mnote.skill.read"]},
	  {"id": "p0", "title": "零", "skillId": "z", "enabled": true, "toolNames": ["mnote.skill.read"]},
	  {"id": "p1", "title": "一", "skillId": "a", "enabled": true, "toolNames": ["mnote.skill.read"]}],
	 "tools": [{"name": "mnote.skill.read", "kind": "read", "capabilityId": "p2", "capabilityIds": ["p2", "p3", "p0", "p1"],
	   "inputSchema": {"type": "object", "properties": {"skillId": {"type": "string"}}}}]}`
	want := map[string][]string{"prompts": {"p2", "p3", "p0", "p1"}, "resources": {"z", "m", "a"}}
	for era, params := range map[string]string{"legacy": ``, "modern": modern} {
		for list, names := range want {
			answer := ask(t, mcp.Config{Session: says(`{}`), Registry: still(t, doc)},
				`{"jsonrpc":"2.0","id":1,"method":"`+list+`/list","params":{`+params+`}}`)[0]
			var r struct {
				Result map[string]json.RawMessage `json:"result"`
			}
			var got, rows = []string{}, []struct{ Name string }{}
			if err := json.Unmarshal([]byte(answer), &r); err != nil || json.Unmarshal(r.Result[list], &rows) != nil {
				t.Fatalf("%s %s: %v in %s", era, list, err, answer)
			}
			for _, row := range rows {
				got = append(got, row.Name)
			}
			if diff := cmp.Diff(names, got); diff != "" {
				t.Errorf("%s %s: %s", era, list, diff)
			}
		}
	}
}
