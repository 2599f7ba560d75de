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
	"testing/synctest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
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

// L11, and case B17: with outputSchema on, every structuredContent is valid
// against it, a refusal's too; the text alone always holds the same.
func TestL11OutputSchema(t *testing.T) {
	t.Parallel()
	doc := strings.Replace(smallManifest, `"capabilityScope": ["page.read"],`,
		`"capabilityScope": ["page.read"], "outputSchema": {"type":"object","required":["revision"],"properties":{"revision":{"type":"integer"}}},`, 1)
	refuse := func(code tools.Code) tools.Envelope {
		return tools.Refuse(tools.Call{ToolName: "mnote.page.get", Lang: tools.EN}, tools.Errorf(code, tools.Text{ZH: "不", EN: "no"}).With("reason", "x"))
	}
	partial := says(`{"revision":7,"nextCursor":"c"}`).call(t.Context(), "mnote.page.get", nil, plugin.Meta{})
	dry := partial
	dry.Audit.Effect = tools.EffectDryRun
	long := partial
	long.Result = json.RawMessage(`{"revision":7,"body":"` + strings.Repeat("x", 20000) + `"}`)
	longDry := long
	longDry.Audit.Effect = tools.EffectDryRun
	for name, env := range map[string]tools.Envelope{
		"partial": partial, "dry run": dry, "refused": refuse(tools.CodeConflict), "failed": refuse(tools.CodeTimeout),
		"too long": long, "shortened": longDry,
	} {
		for _, client := range []string{"", "generic", "reasonix"} {
			session := fake{call: func(context.Context, string, json.RawMessage, plugin.Meta) tools.Envelope { return env }}
			cfg := mcp.Config{Session: session, Registry: still(t, doc), OutputSchema: true}
			if client != "" {
				cfg.Client, _ = clients.Named(client)
			}
			p := probe(t, cfg, mcp.ProbeConfig{})
			raw, err := p.Request(t.Context(), "tools/list", nil)
			if err != nil {
				t.Fatal(err)
			}
			var list struct {
				Tools []struct {
					Name         string          `json:"name"`
					OutputSchema json.RawMessage `json:"outputSchema"`
				} `json:"tools"`
			}
			if err := json.Unmarshal(raw, &list); err != nil {
				t.Fatal(err)
			}
			schema := compile(t, list.Tools[1].OutputSchema)
			got, err := p.Call(t.Context(), "mnote_page_get", nil)
			if err != nil {
				t.Fatal(err)
			}
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(got.Structured))
			if err != nil {
				t.Fatalf("%s: structuredContent %q: %v", name, got.Structured, err)
			}
			if err := schema.Validate(value); err != nil {
				t.Errorf("%s, %s: %v", name, client, err)
			}
			if client != "reasonix" && got.Text != string(got.Structured) {
				t.Errorf("%s: the text is not the structuredContent:\n%s\n%s", name, got.Text, got.Structured)
			}
		}
	}
}

// B17: the text alone is enough: without outputSchema too, for every client.
func TestB17TextAlone(t *testing.T) {
	t.Parallel()
	for _, name := range clients.Names() {
		c, err := clients.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		p := probe(t, mcp.Config{Session: says(`{"revision":7}`), Registry: still(t, smallManifest), Client: c}, mcp.ProbeConfig{})
		got, err := p.Call(t.Context(), "mnote_page_get", nil)
		if err != nil || got.Envelope == nil || string(got.Envelope.Result) != `{"revision":7}` {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if (got.Structured != nil) != c.Results.Structured {
			t.Errorf("%s: structuredContent %q", name, got.Structured)
		}
	}
}

// M5, M6, M7: every modern result says that it is complete and whose it is; what
// can be kept says how long. A legacy one says none of it.
func TestM5M6M7Stamps(t *testing.T) {
	t.Parallel()
	methods := map[string]struct {
		params string
		cached bool
	}{
		"server/discover":          {``, true},
		"tools/list":               {``, true},
		"prompts/list":             {``, true},
		"resources/list":           {``, true},
		"resources/templates/list": {``, true},
		"resources/read":           {`"uri":"mnote://page/plan.md",`, true},
		"prompts/get":              {`"name":"mnote-current-page",`, false},
		"tools/call":               {`"name":"mnote_page_get","arguments":{},`, false},
		"completion/complete":      {`"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"x","value":""},`, false},
		"subscriptions/listen":     {`"notifications":{"unheardOf":true},`, false},
	}
	for method, m := range methods {
		t.Run(strings.ReplaceAll(method, "/", "_"), func(t *testing.T) {
			t.Parallel()
			cfg := mcp.Config{Session: says(`{"body":"x","content":"x"}`), Registry: still(t, smallManifest), Version: "9"}
			got := stampsOf(t, cfg, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s%s}}`, method, m.params, modern))
			if got.Type != "complete" || got.Meta.Server.Name != "mnote-host" || got.Meta.Server.Version != "9" {
				t.Errorf("resultType %q, serverInfo %+v", got.Type, got.Meta.Server)
			}
			if m.cached != (got.TTL != nil && *got.TTL >= 0 && got.Scope == "private") {
				t.Errorf("ttlMs %v, cacheScope %q", got.TTL, got.Scope)
			}
			if method == "server/discover" || method == "subscriptions/listen" {
				return
			}
			got = stampsOf(t, cfg, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s"_meta":{}}}`, method, m.params))
			if got.Type != "" || got.TTL != nil || got.Scope != "" || got.Meta.Server.Name != "" {
				t.Errorf("a legacy result is stamped: %+v", got)
			}
		})
	}
}

// stamps is what the modern era adds to a result.
type stamps struct {
	Type  string `json:"resultType"`
	TTL   *int   `json:"ttlMs"`
	Scope string `json:"cacheScope"`
	Meta  struct {
		Server mcp.ServerIdentity `json:"io.modelcontextprotocol/serverInfo"`
	} `json:"_meta"`
}

// stampsOf sends one request and reads the answer to it; a notification that
// comes before is passed over.
func stampsOf(t *testing.T, cfg mcp.Config, frame string) stamps {
	t.Helper()
	in, client := io.Pipe()
	back, out := io.Pipe()
	go func() {
		_ = mcp.New(cfg).Run(context.Background(), in, out)
		out.Close()
	}()
	if _, err := io.WriteString(client, frame+"\n"); err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	dec := json.NewDecoder(back)
	for {
		var answer struct {
			Method string          `json:"method"`
			Result *stamps         `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if err := dec.Decode(&answer); err != nil || answer.Error != nil {
			t.Fatalf("%v, %s", err, answer.Error)
		}
		if answer.Method == "" {
			return *answer.Result
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

// A write's answer is called delivered once its bytes are out, and a dropped one
// never: an equal write is then its retry.
func TestDelivered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		var delivered []string
		session := says(`{}`)
		inner := session.call
		session.call = func(ctx context.Context, name string, raw json.RawMessage, meta plugin.Meta) tools.Envelope {
			if meta.ToolCallID == "cancelled" {
				<-hold
			}
			return inner(ctx, name, raw, meta)
		}
		session.delivered = func(id string) { delivered = append(delivered, id) }
		in, client := io.Pipe()
		back, out := io.Pipe()
		go func() {
			_ = mcp.New(mcp.Config{Session: session, Registry: still(t, smallManifest)}).Run(context.Background(), in, out)
			out.Close()
		}()
		r := bufio.NewReader(back)
		send := func(frame string) {
			if _, err := io.WriteString(client, frame+"\n"); err != nil {
				t.Error(err)
			}
			synctest.Wait()
		}
		send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","_meta":{"mnote/toolCallId":"answered"}}}`)
		if len(delivered) != 0 {
			t.Errorf("%v is called delivered before anybody read it", delivered)
		}
		if _, err := r.ReadString('\n'); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x","_meta":{"mnote/toolCallId":"cancelled"}}}`)
		send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
		close(hold)
		synctest.Wait()
		client.Close()
		_, _ = io.Copy(io.Discard, r)
		if want := []string{"answered"}; !slices.Equal(delivered, want) {
			t.Errorf("delivered %v, want %v", delivered, want)
		}
	})
}
