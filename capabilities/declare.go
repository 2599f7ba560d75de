package capabilities

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/mnote-dev/mnote-host/tools"
)

// tool reads one declaration of a tool, or skips it with a warning.
func (r *reader) tool(v gjson.Result) {
	if !v.IsObject() {
		r.warn("a tool that is not an object was skipped")
		return
	}
	o := &r.entry
	o.fill("tool", v)
	word := o.text("", "name")
	name, err := tools.ParseName(word)
	if err != nil {
		r.warn("the tool %s was skipped: its name is not mnote.<segment>(.<segment>)*", short(word))
		return
	}
	wire := tools.WireName(name)
	if i, taken := r.byWire[wire]; taken {
		r.warn("the tool %s was skipped: %s has its wire name %s already", name, r.m.Tools[i].Name, wire)
		return
	}
	o.what = "tool " + string(name)
	r.byWire[wire] = len(r.m.Tools)
	r.m.Tools = append(r.m.Tools, r.declared(name, o))
}

func (r *reader) declared(name tools.Name, o *object) tools.Tool {
	t := tools.Tool{
		Name:                    name,
		Title:                   o.text("", "title"),
		Description:             o.text("", "description"),
		Status:                  tools.Status(o.text(string(tools.StatusAvailable), "status")),
		Enabled:                 o.flag(true, "enabled"),
		RequiresWritePermission: o.flag(false, "requiresWritePermission"),
		InputSchema:             o.raw("inputSchema", "input_schema", "parameters", "schema"),
		OutputSchema:            o.raw("outputSchema"),
		Command:                 o.text("", "command"),
		Aliases:                 o.list("aliases"),
		ConfirmWhen:             confirmWhen(o),
		UseInstead:              tools.Name(o.text("", "useInstead")),
	}
	for _, w := range o.list("capabilityScope") {
		t.Scopes = append(t.Scopes, tools.Scope(w))
	}
	t.Kind = kind(o, t.Scopes)
	t.PackIDs = packIDs(o)
	if v, ok := o.get("annotations"); ok && v.IsObject() {
		a := newObject(o.what, v, o.warn)
		t.Annotations = tools.Annotations{Destructive: a.hint("destructive"), Idempotent: a.hint("idempotent"), OpenWorld: a.hint("openWorld")}
	}
	r.complete(&t)
	return t
}

// complete fills in from our own manifest what a bare declaration leaves out
// (seed 7-47 §3.3), and marks the names that have retired for good.
func (r *reader) complete(t *tools.Tool) {
	if use, ok := retired(string(t.Name)); ok {
		if t.Status != tools.StatusRetired {
			r.warn("the tool %s is retired whatever the kernel says; %s replaces it", t.Name, use)
		}
		t.Status, t.UseInstead = tools.StatusRetired, cmp.Or(t.UseInstead, use)
	}
	if t.InputSchema == nil || t.Title == "" || t.Description == "" {
		ours, _ := r.shipped().tool(t.Name)
		if t.InputSchema == nil {
			t.InputSchema = ours.InputSchema
		}
		t.Title = cmp.Or(t.Title, ours.Title, string(t.Name))
		t.Description = cmp.Or(t.Description, ours.Description, t.Title)
	}
}

// packIDs gives the capabilityId first, then the capabilityIds.
func packIDs(o *object) []string {
	ids := o.list("capabilityIds")
	if first := o.text("", "capabilityId"); first != "" {
		ids = append([]string{first}, slices.DeleteFunc(ids, func(id string) bool { return id == first })...)
	}
	return ids
}

// confirmWhen keeps the schema as it is. One that is no schema confirms every
// call: the kernel asked for care, and that is what it gets.
func confirmWhen(o *object) json.RawMessage {
	v, ok := o.get("confirmWhen")
	switch {
	case !ok:
		return nil
	case v.IsObject() || v.IsBool():
		return json.RawMessage(v.Raw)
	}
	o.warn("%s: confirmWhen is no schema, so every call is confirmed", o.what)
	return json.RawMessage("true")
}

// packID reports what an id may be: it stands in URIs, paths and commands.
func packID(id string) bool {
	const first = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	return id != "" && len(id) <= 64 && strings.IndexByte(first, id[0]) >= 0 && strings.Trim(id, first+"._-") == ""
}

// pack reads one capability, or skips it with a warning. What a bare one
// leaves out is filled in from ours of that id.
func (r *reader) pack(v gjson.Result) {
	if !v.IsObject() {
		r.warn("a capability that is not an object was skipped")
		return
	}
	o := &r.entry
	o.fill("capability", v)
	id := o.text("", "id")
	if !packID(id) {
		r.warn("the capability %s was skipped: its id is not letters, digits, dots and dashes", short(id))
		return
	}
	if slices.ContainsFunc(r.m.Packs, func(p Pack) bool { return p.ID == id }) {
		r.warn("the second capability %s was skipped", id)
		return
	}
	o.what = "capability " + id
	r.m.Packs = append(r.m.Packs, declaredPack(id, o, r.ours(id, o)))
}

// ours gives what a bare capability leaves out: our own pack of that id, or
// that of a stranger.
func (r *reader) ours(id string, o *object) Pack {
	stranger := Pack{Title: id, Category: "other", UIKind: "capability"}
	if o.has("title", "description", "skillId", "aliases", "category", "uiKind", "readOnly", "requiresContextRefs") {
		return stranger
	}
	if p, ok := r.shipped().pack(id); ok && p.ID == id {
		return p
	}
	return stranger
}

func declaredPack(id string, o *object, ours Pack) Pack {
	return Pack{
		ID:               id,
		Title:            o.text(ours.Title, "title"),
		Subtitle:         o.text(ours.Subtitle, "subtitle"),
		Description:      o.text(ours.Description, "description"),
		SkillID:          o.text(ours.SkillID, "skillId"),
		Aliases:          orList(o.list("aliases"), ours.Aliases),
		AgentIDs:         o.list("agentIds"),
		Category:         strings.ToLower(o.text(ours.Category, "category")),
		UIKind:           strings.ToLower(o.text(ours.UIKind, "uiKind")),
		Public:           o.flag(true, "public"),
		ReadOnly:         o.flag(ours.ReadOnly, "readOnly"),
		Enabled:          o.flag(true, "enabled"),
		Toggleable:       o.flag(true, "toggleable"),
		Lost:             o.text("", "offReason") == ReasonLost,
		RequiresRefs:     orList(o.list("requiresContextRefs"), ours.RequiresRefs),
		NativeAgentTools: o.flag(ours.NativeAgentTools, "nativeAgentTools", "native_agent_tools"),
		ToolNames:        o.list("toolNames"),
	}
}

// orList gives the list that the document has, else ours.
func orList(list, ours []string) []string {
	if list == nil {
		return ours
	}
	return list
}
