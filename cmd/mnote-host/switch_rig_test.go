package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/skills"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/tools/schema"
	"github.com/mnote-dev/mnote-host/transport/mcp"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// bare is a remote kernel that has switches and cares for nothing else: it
// offers every tool of the fallback manifest, runs what is on without effect,
// and hands out skills whole, whatever tools are off.
type bare struct {
	mu  sync.Mutex
	off map[string]bool // packs and tools
	gen int
	// manifest is the document as read at the generation before the next turn.
	manifest *capabilities.Manifest
	// more are tools that its manifest gained.
	more []map[string]any
}

func (k *bare) turn(id string, on bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.off[id] = !on
	k.changed()
}

// changed makes a new generation; k is locked.
func (k *bare) changed() { k.gen, k.manifest = k.gen+1, nil }

// now reads the manifest as it stands; k is locked.
func (k *bare) now() capabilities.Manifest {
	if k.manifest == nil {
		m, err := capabilities.Read(k.document())
		if err != nil {
			panic(err) // ours
		}
		m.ETag = fmt.Sprint(k.gen)
		k.manifest = &m
	}
	return *k.manifest
}

// document is the fallback manifest with the switches in it.
func (k *bare) document() []byte {
	var doc struct {
		OK           bool             `json:"ok"`
		Capabilities []map[string]any `json:"capabilities"`
		Tools        []map[string]any `json:"tools"`
	}
	if err := json.Unmarshal(capabilities.Fallback().Raw, &doc); err != nil {
		panic(err) // embedded
	}
	for _, p := range doc.Capabilities {
		p["enabled"] = !k.off[p["id"].(string)]
	}
	doc.Tools = append(doc.Tools, k.more...)
	for _, t := range doc.Tools {
		t["enabled"] = !k.off[t["name"].(string)]
	}
	raw, _ := json.Marshal(doc) // came from JSON
	return raw
}

func (k *bare) Manifest(_ context.Context, etag string) (capabilities.Manifest, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if fmt.Sprint(k.gen) == etag {
		return capabilities.Manifest{}, capabilities.ErrNotModified
	}
	return k.now(), nil
}

func (k *bare) Call(_ context.Context, c tools.Call) (tools.Envelope, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	snap := capabilities.NewSnapshot(k.now(), c.AgentID)
	t, err := snap.Resolve(string(c.ToolName))
	if err != nil {
		return tools.Refuse(c, err), nil
	}
	if on, reason := snap.Switched(t); !on {
		return tools.Refuse(c, tools.Errorf(tools.CodeDisabled, tools.Text{ZH: "关", EN: "off"}).With("reason", reason)), nil
	}
	if c.ToolName == capabilities.ToolSkillRead {
		return k.skill(c, snap), nil
	}
	effect, command := tools.EffectRead, ""
	if t.Writes() {
		effect, command = tools.EffectWrite, "cmd_"+c.ToolCallID
	}
	if c.DryRun {
		effect, command = tools.EffectDryRun, ""
	}
	return tools.Succeed(c, effect, command, map[string]any{"revision": 1})
}

func (k *bare) skill(c tools.Call, snap *capabilities.Snapshot) tools.Envelope {
	var args struct{ SkillID string }
	_ = json.Unmarshal(c.Args, &args)
	p, ok := snap.Pack(args.SkillID)
	s, has := skills.Read(p.SkillID)
	switch {
	case !ok || !has:
		return tools.Refuse(c, tools.Errorf(tools.CodeInvalidArgs, tools.Text{ZH: "没有", EN: "none"}))
	case !p.Enabled:
		return tools.Refuse(c, tools.Errorf(tools.CodeDisabled, tools.Text{ZH: "关", EN: "off"}).With("reason", "capability"))
	}
	env, err := tools.Succeed(c, tools.EffectRead, "", map[string]any{"skillId": s.ID, "title": s.Title, "content": s.Body})
	if err != nil {
		return tools.Refuse(c, err)
	}
	return env
}

// aProgram is this program with settings, silent.
func aProgram(t *testing.T, settings map[string]string) *program {
	t.Helper()
	p := &program{streams: stdio.Streams{Out: io.Discard, Err: io.Discard}, lang: tools.EN, log: zerolog.Nop()}
	p.values = resolve(settings, nil)
	return p
}

// over puts a host together over a kernel of the test's.
func (p *program) over(k plugin.Kernel) *parts {
	w := &parts{registry: capabilities.NewRegistry(capabilities.Config{First: capabilities.Fallback(), Source: k, AgentID: "mcp"})}
	w.host = plugin.New(plugin.Config{Kernel: k, Registry: w.registry, StateDir: p.values.get("state"), KernelID: "bare"})
	w.session = w.host.Session(plugin.SessionConfig{
		WorkspaceID: "ws_1", DocumentID: "a.md", ActorID: "owner", Profile: "default", AgentID: "mcp", RootURI: "file:///notes", LocalRoot: true, Lang: tools.EN,
	})
	return w
}

// client is an MCP client of a host over a pair of pipes.
func (p *program) connectTo(t *testing.T, w *parts) *mcp.Probe {
	t.Helper()
	probe, done, err := p.ownFace(t.Context(), w)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(done)
	return probe
}

// sight is what a client that lists everything sees and reads.
type sight struct {
	tools, prompts, resources []string
	// texts are every text for a model, by where it came from.
	texts map[string]string
}

// look lists and reads all that the server offers.
func look(t *testing.T, c *mcp.Probe) sight {
	t.Helper()
	s := sight{texts: map[string]string{"instructions": c.Instructions}}
	list, _, err := c.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list {
		s.tools = append(s.tools, tool.Name)
		s.texts["description of "+tool.Name] = tool.Description
	}
	var prompts struct {
		Prompts []struct{ Name, Description string }
	}
	ask(t, c, "prompts/list", nil, &prompts)
	for _, p := range prompts.Prompts {
		s.prompts = append(s.prompts, p.Name)
		var got struct {
			Messages []struct{ Content struct{ Text string } }
		}
		ask(t, c, "prompts/get", map[string]any{"name": p.Name}, &got)
		s.texts["prompt "+p.Name] = got.Messages[0].Content.Text
	}
	var resources struct{ Resources []struct{ URI string } }
	ask(t, c, "resources/list", nil, &resources)
	for _, r := range resources.Resources {
		id, isSkill := strings.CutPrefix(r.URI, "mnote://skill/")
		if !isSkill {
			continue
		}
		s.resources = append(s.resources, id)
		var got struct{ Contents []struct{ Text string } }
		ask(t, c, "resources/read", map[string]any{"uri": r.URI}, &got)
		s.texts["resource "+id] = got.Contents[0].Text
	}
	return s
}

func ask(t *testing.T, c *mcp.Probe, method string, params map[string]any, into any) {
	t.Helper()
	if params == nil {
		params = map[string]any{}
	}
	raw, err := c.Request(t.Context(), method, params)
	if err != nil {
		t.Fatalf("%s %v: %v", method, params, err)
	}
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

// outcomeOf runs a tool and gives "" or the refusal's code and reason.
func outcomeOf(t *testing.T, c *mcp.Probe, tool string, args any) (string, tools.Envelope) {
	t.Helper()
	r, err := c.Call(t.Context(), tool, args)
	if err != nil {
		t.Fatal(err)
	}
	if r.Envelope == nil {
		t.Fatalf("%s answered %q", tool, r.Text)
	}
	if r.Envelope.Error == nil {
		return "", *r.Envelope
	}
	reason, _ := r.Envelope.Error.Details["reason"].(string)
	return string(r.Envelope.Error.Code) + " " + reason, *r.Envelope
}

// dangling finds the names of tools in a text that are none of those offered.
func dangling(text string, all []tools.Tool, offered []string) []string {
	var names []string
	for _, t := range all {
		wire := tools.WireName(t.Name)
		if slices.Contains(offered, wire) {
			continue
		}
		for _, name := range []string{string(t.Name), wire} {
			if containsName(text, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// containsName reports whether the name stands in the text by itself.
func containsName(text, name string) bool {
	for rest := text; ; {
		i := strings.Index(rest, name)
		if i < 0 {
			return false
		}
		rest = rest[i+len(name):]
		if rest == "" || !strings.ContainsRune("abcdefghijklmnopqrstuvwxyz0123456789_", rune(rest[0])) {
			return true
		}
	}
}

// anyArgs fills in what a tool's shown schema requires, so that nothing but the
// switches can be in the way; a write is a dry run.
func anyArgs(t *testing.T, tool tools.Tool) any {
	t.Helper()
	narrow, err := schema.Narrow(tool)
	if err != nil {
		t.Fatal(err)
	}
	var s map[string]any
	if err := json.Unmarshal(narrow, &s); err != nil {
		t.Fatal(err)
	}
	return anyValue(s)
}

func anyValue(s map[string]any) any {
	if enum, ok := s["enum"].([]any); ok {
		return enum[0]
	}
	switch s["type"] {
	case "object":
		o := map[string]any{}
		properties, _ := s["properties"].(map[string]any)
		required, _ := s["required"].([]any)
		for _, name := range required {
			o[name.(string)] = anyValue(properties[name.(string)].(map[string]any))
		}
		return o
	case "array":
		items, _ := s["items"].(map[string]any)
		return []any{anyValue(items)}
	case "boolean":
		return true
	case "integer", "number":
		return 1
	}
	return "x"
}
