package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/plugin/clients"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// shelf is a session with skills, a folder and pages; what is called locked it
// refuses.
type shelf struct{ mute }

func (shelf) KnownDocuments() []string { return []string{"plan.md", "笔记/a b.md"} }

func (shelf) Call(_ context.Context, name string, raw json.RawMessage, _ plugin.Meta) tools.Envelope {
	if bytes.Contains(raw, []byte("locked")) {
		err := tools.Errorf(tools.CodeDisabled, tools.Text{ZH: "关了", EN: "session expired: it is off"})
		return tools.Envelope{ToolName: tools.Name(name), Error: err.In(tools.EN)}
	}
	env := enveloped(tools.EffectRead, `{"content":"How it is \"used\" <b>&</b> 笔记.\n","body":"# A\n"}`)
	if tools.Name(name) == capabilities.ToolDocList {
		env.Result = json.RawMessage(`{"entries":[{"documentId":"笔记","kind":"folder"},{"documentId":"plan.md","kind":"page"},{"documentId":"p%#.md"}],"nextCursor":"c"}`)
	}
	return env
}

// shelved is a manifest whose packs are not in the order of their names, two of
// them with one skill; one is off, one planned, one without a skill.
const shelved = `{"ok": true, "capabilities": [
  {"id": "p2", "title": "二 <&>", "description": "Two.", "skillId": "z", "enabled": true, "toolNames": ["mnote.skill.read"]},
  {"id": "p3", "title": "三", "skillId": "m/1 %", "enabled": true, "toolNames": ["mnote.skill.read"]},
  {"id": "p0", "title": "零", "description": "None.", "skillId": "z", "enabled": true, "toolNames": ["mnote.skill.read"]},
  {"id": "p1", "title": "一", "skillId": "locked", "enabled": true, "toolNames": ["mnote.skill.read"]},
  {"id": "off", "title": "关", "skillId": "locked too", "enabled": false, "toolNames": ["mnote.skill.read"]},
  {"id": "later", "title": "后", "skillId": "later", "status": "planned", "toolNames": ["mnote.skill.read"]},
  {"id": "bare", "title": "空", "enabled": true, "toolNames": ["mnote.page.get"]}],
 "tools": [
  {"name": "mnote.skill.read", "kind": "read", "inputSchema": {"type": "object", "properties": {"skillId": {"type": "string"}}}},
  {"name": "mnote.doc.list", "kind": "read", "inputSchema": {"type": "object", "properties": {"folder": {"type": "string"}}}},
  {"name": "mnote.page.get", "kind": "read", "inputSchema": {"type": "object", "properties": {"documentId": {"type": "string"}}}}]}`

// bothWays makes a face and the reference of its like, for a client by name.
func bothWays(t testing.TB, doc, client string) (handler, *reference) {
	t.Helper()
	m, err := capabilities.Read([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Session: shelf{}, Registry: capabilities.NewRegistry(capabilities.Config{First: m}), Version: "1.2.3"}
	if client != "" {
		if cfg.Client, err = clients.Named(client); err != nil {
			t.Fatal(err)
		}
	}
	return handler{New(cfg)}, newReference(New(cfg))
}

func saysModern(abilities string) string {
	return `"_meta":{"` + mcp.MetaKeyProtocolVersion + `":"2026-07-28","` + mcp.MetaKeyClientCapabilities + `":` + abilities + `}`
}

func saysVersion(version string) string {
	return `"_meta":{"` + mcp.MetaKeyProtocolVersion + `":` + version + `,"` + mcp.MetaKeyClientCapabilities + `":{}}`
}

// metas are the ways to say, or not to say, of which era a request is.
var metas = []string{
	``, `"_meta":{}`, `"_meta":null`, `"_meta":"2026-07-28"`, `"_meta":{"progressToken":7,"example.org/x":[1]}`,
	saysModern(`{}`), saysModern(`{"elicitation":{},"roots":{"listChanged":true},"example":1}`), saysModern(`null`), saysModern(`[]`),
	`"_meta":{"` + mcp.MetaKeyProtocolVersion + `":"2026-07-28"}`,
	`"_meta":{"` + mcp.MetaKeyProtocolVersion + `":"2026-07-28","` + mcp.MetaKeyClientCapabilities + `":{},"` + mcp.MetaKeyClientInfo +
		`":{"name":"hermes","version":"1"},"` + mcp.MetaKeyLogLevel + `":"debug","progressToken":"t","traceparent":"00-1-2-03"}`,
	`"_meta":{"` + mcp.MetaKeyProtocolVersion + `":"2026-07-28","` + mcp.MetaKeyClientCapabilities + `":{},"` + mcp.MetaKeyClientInfo + `":7}`,
	saysVersion(`"2025-11-25"`), saysVersion(`"2024-11-05"`), saysVersion(`""`), saysVersion(`"1900-01-01"`), saysVersion(`"2026-07-29"`),
	saysVersion(`"draft"`), saysVersion(`20260728`), saysVersion(`null`),
}

// requests are each method's params, without the _meta.
var requests = map[mcp.MCPMethod][]string{
	mcp.MethodInitialize: {
		``, `"protocolVersion":"2025-11-25","clientInfo":{"name":"a","version":"1"},"capabilities":{}`,
		`"protocolVersion":"2025-06-18"`, `"protocolVersion":"2025-03-26"`, `"protocolVersion":"2024-11-05"`, `"protocolVersion":"2026-07-28"`,
		`"protocolVersion":"2999-01-01"`, `"protocolVersion":"1900-01-01"`, `"protocolVersion":""`, `"protocolVersion":null,"clientInfo":null,"capabilities":null`,
		`"protocolVersion":20251125`, `"protocolVersion":"2025-11-25","capabilities":[]`, `"protocolVersion":"2025-11-25","clientInfo":"a"`,
		`"protocolVersion":"2025-11-25","clientInfo":{},"capabilities":{"example":{"a":1},"elicitation":{}},"trace":[{}]`,
		`"protocolVersion":"2025-11-25","capabilities":7`, `"protocolVersion":"2025-11-25","clientInfo":false`,
	},
	mcp.MethodServerDiscover: {``, `"cursor":5`, `"x":null`},
	mcp.MethodPing:           {``, `"x":{"y":[1,2]}`},
	mcp.MethodSetLogLevel: {
		``, `"level":"debug"`, `"level":"info"`, `"level":"notice"`, `"level":"warning"`, `"level":"error"`, `"level":"critical"`, `"level":"alert"`,
		`"level":"emergency"`, `"level":"emergency","x":1`, `"level":"loud"`, `"level":"DEBUG"`, `"level":""`, `"level":null`, `"level":3`, `"level":{}`,
		`"level":"session expired <&> \u0000\"笔记"`, `"level":"` + strings.Repeat("笔", 200) + `"`,
	},
	mcp.MethodPromptsList:            {``, `"cursor":""`, `"cursor":"cDI="`, `"cursor":"!"`, `"cursor":5`, `"cursor":null`, `"name":{}`},
	mcp.MethodResourcesList:          {``, `"cursor":""`, `"cursor":"eg=="`, `"cursor":[]`, `"uri":7`},
	mcp.MethodResourcesTemplatesList: {``, `"cursor":""`, `"cursor":"cGFnZQ=="`, `"x":true`},
	mcp.MethodPromptsGet: {
		`"name":"p2"`, `"name":"p0"`, `"name":"p3","arguments":{}`, `"name":"p3","arguments":{"a":"b"}`, `"name":"p2","arguments":null`,
		`"name":"p1"`, `"name":"off"`, `"name":"bare"`, `"name":"nothing"`, `"name":"no <&> \"such\" 笔记"`, `"name":"` + strings.Repeat("笔", 100) + `"`,
		`"name":5`, `"name":["p2"]`, `"name":"p2","arguments":[]`, `"name":"p2","arguments":{"a":1}`, `"name":"p2","requestState":"x","inputResponses":{}`,
	},
	mcp.MethodCompletionComplete: {
		``, `"ref":null`, `"ref":5`, `"ref":{}`, `"ref":{"type":"ref/other"}`, `"ref":{"type":5}`,
		`"ref":{"type":"ref/prompt","name":"p2"},"argument":{"name":"a","value":"b"}`, `"ref":{"type":"ref/prompt","name":7}`, `"ref":{"type":"ref/prompt"}`,
		`"ref":{"type":"ref/resource","uri":"mnote://page/{+documentId}"},"argument":{"name":"documentId","value":""}`,
		`"ref":{"type":"ref/resource","uri":"mnote://page/{+documentId}"},"argument":{"name":"documentId","value":"p"}`,
		`"ref":{"type":"ref/resource","uri":"mnote://page/{+documentId}"},"argument":{"name":"documentId","value":"locked/x"}`,
		`"ref":{"type":"ref/resource","uri":"mnote://page/{+documentId}"},"argument":{"name":"documentId","value":"%E7%AC%94"},"context":{"arguments":{"a":"b"}}`,
		`"ref":{"type":"ref/resource","uri":"mnote://page/{+documentId}"},"argument":{"name":"x","value":"p"}`,
		`"ref":{"type":"ref/resource","uri":"mnote://page/{+documentId}"}`, `"ref":{"type":"ref/resource","uri":7}`,
		`"ref":{"type":"ref/resource","uri":"mnote://page/{+documentId}"},"argument":"documentId"`,
		`"ref":{"type":"ref/resource","uri":"mnote://page/{+documentId}"},"argument":{"name":"documentId","value":7}`,
		`"ref":{"type":"ref/resource","uri":"mnote://page/{+documentId}"},"argument":{"name":"documentId","value":""},"context":{"arguments":{"a":1}}`,
		`"ref":{"type":"ref/resource","uri":"mnote://skill/{id}"},"argument":{"name":"id","value":""}`,
	},
	mcp.MethodResourcesSubscribe:   {``, `"uri":"mnote://page/plan.md"`, `"uri":""`},
	mcp.MethodResourcesUnsubscribe: {``, `"uri":"mnote://page/plan.md"`},
	"no/such":                      {``, `"x":1`},
	"":                             {``},
}

// wholes are params that are no object.
var wholes = []string{``, `null`, `[]`, `5`, `"x"`, `true`}

// TestAgreesWithMCPGo: whatever a client of either era asks, the face answers it
// byte for byte as mcp-go's dispatcher does.
func TestAgreesWithMCPGo(t *testing.T) {
	t.Parallel()
	for client, doc := range map[string]string{"": shelved, "hermes": shelved, "reasonix": `{"ok":true,"capabilities":[],"tools":[]}`} {
		ours, theirs := bothWays(t, doc, client)
		for method, variants := range requests {
			for _, whole := range wholes {
				agree(t, ours, theirs, method, whole)
			}
			for _, members := range variants {
				for _, meta := range metas {
					agree(t, ours, theirs, method, "{"+strings.Trim(members+","+meta, ",")+"}")
				}
			}
		}
	}
}

func agree(t *testing.T, ours, theirs stdio.Handler, method mcp.MCPMethod, params string) {
	t.Helper()
	got, want := both(t, ours, theirs, method, params)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s %s: not as mcp-go (-mcp-go +ours):\n%s", method, params, diff)
	}
}

// said is a reply in a form to compare: every byte of its result, or its fault.
type said struct{ Result, Fault string }

func both(t testing.TB, ours, theirs stdio.Handler, method mcp.MCPMethod, params string) (got, want said) {
	t.Helper()
	r := stdio.Request{ID: json.RawMessage("1"), Method: string(method)}
	if params != "" {
		r.Params = json.RawMessage(params)
	}
	say := func(h stdio.Handler) said {
		reply := h.Request(context.Background(), r)
		fault, err := tools.Compact(reply.Fault)
		if err != nil || reply.Fault != nil && reply.Result != nil || reply.Fault == nil && !json.Valid(reply.Result) {
			t.Fatalf("%s %s: no answer: %v %s %v", method, params, err, reply.Result, reply.Fault)
		}
		return said{string(reply.Result), string(fault)}
	}
	return say(ours), say(theirs)
}

// TestDisagreesWithMCPGo is all that the face answers otherwise than mcp-go, and
// better by the specification.
func TestDisagreesWithMCPGo(t *testing.T) {
	t.Parallel()
	ours, theirs := bothWays(t, shelved, "")
	misfit := func(method mcp.MCPMethod) string {
		return `{"code":-32602,"message":"Invalid params: they do not fit ` + string(method) + `"}`
	}
	hello, discover, ping := mcp.MethodInitialize, mcp.MethodServerDiscover, mcp.MethodPing
	for name, c := range map[string]struct {
		method       mcp.MCPMethod
		params       string
		fault, their string
	}{
		// What a client says of abilities that we have no use for is nobody's fault,
		// as it never was in tools/list and tools/call.
		"odd ability at hello":     {hello, `{"capabilities":{"roots":7}}`, ``, misfit(hello)},
		"odd name at hello":        {hello, `{"clientInfo":{"name":7}}`, ``, misfit(hello)},
		"odd ability at discovery": {discover, `{` + saysModern(`{"roots":7}`) + `}`, ``, `{"code":-32602,"message":"missing or invalid _meta field io.modelcontextprotocol/clientCapabilities"}`},
		// A number beyond a float64 is JSON, and _meta may hold any.
		"large number in _meta": {ping, `{"_meta":{"x":1e999}}`, ``, misfit(ping)},
		"large number in a modern _meta": {discover, `{` + strings.TrimSuffix(saysModern(`{}`), "}") + `,"x":1e999}}`, ``,
			`{"code":-32601,"message":"\"server/discover\" requires protocol version 2026-07-28 or later"}`},
		// A method that is not there is not there with any params.
		"subscribe with odd params": {mcp.MethodResourcesSubscribe, `{"uri":7}`,
			`{"code":-32601,"message":"resources subscribe not supported"}`, misfit(mcp.MethodResourcesSubscribe)},
	} {
		got, want := both(t, ours, theirs, c.method, c.params)
		if c.fault == "" {
			c.fault = "null"
		}
		if got.Fault != c.fault || want.Fault != c.their {
			t.Errorf("%s: %s, mcp-go %s", name, got.Fault, want.Fault)
		}
	}
}

// hot are the methods that were never mcp-go's.
var hot = map[mcp.MCPMethod]bool{
	mcp.MethodToolsCall: true, mcp.MethodToolsList: true, mcp.MethodResourcesRead: true, mcp.MethodSubscriptionsListen: true,
}

// FuzzAgreesWithMCPGo: what mcp-go answers with a result, the face answers with the
// same bytes; it faults what mcp-go faults, but for params that it does not judge.
func FuzzAgreesWithMCPGo(f *testing.F) {
	for method, variants := range requests {
		for i, members := range variants {
			f.Add(string(method), "{"+strings.Trim(members+","+metas[i%len(metas)], ",")+"}")
		}
	}
	ours, theirs := bothWays(f, shelved, "")
	f.Fuzz(func(t *testing.T, method, params string) {
		if !json.Valid([]byte(params)) || !utf8.ValidString(method) || hot[mcp.MCPMethod(method)] {
			return // no frame is such, or it is none that mcp-go would be asked
		}
		got, want := both(t, ours, theirs, mcp.MCPMethod(method), params)
		switch {
		case !sameEra(t, ours.face, method, params): // their answer is another era's
		case want.Result != "" && got != want:
			t.Errorf("%+v, mcp-go %+v", got, want)
		case want.Result == "" && got.Result != "" && !strings.Contains(want.Fault, `"code":-32602`):
			t.Errorf("%+v, mcp-go %+v", got, want)
		}
	})
}

// sameEra reports whether mcp-go takes a request to be of the era that the face
// does: it reads _meta as a map, which differs in the case of a name and fails by a
// number that is beyond a float64.
func sameEra(t *testing.T, f *Face, method, params string) bool {
	t.Helper()
	q, fault := f.read(stdio.Request{Method: method, Params: json.RawMessage(params)})
	if fault != nil {
		return true
	}
	var theirs struct {
		Meta *mcp.Meta `json:"_meta"`
	}
	return json.Unmarshal([]byte(params), &theirs) == nil && mcp.IsModernProtocol(theirs.Meta.ProtocolVersion()) == q.modern
}
