package localkernel

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/tools"
)

const runtimeName = "mnote"

var textRuntime = tools.Text{
	ZH: "只有 %s=mnote",
	EN: "there is only %s=mnote",
}

// serveManifest answers the manifest with its switches as they stand in the
// profile; its ETag changes with every switch.
func (k *Kernel) serveManifest(w http.ResponseWriter, r *http.Request) {
	v, err := k.view(r.Context(), r.URL.Query().Get("profile"))
	if err != nil {
		k.refuse(w, r, http.StatusServiceUnavailable, err)
		return
	}
	etag := v.etag(r.URL.Query().Get("profile"))
	w.Header().Set("ETag", etag)
	if matches(r.Header.Values("If-None-Match"), etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	document, err := v.manifest()
	if err != nil {
		k.refuse(w, r, http.StatusInternalServerError, err)
		return
	}
	// This kernel serves one workspace and says which, so that a host that was
	// given nothing but its address can be its owner's.
	document["workspaceId"], _ = json.Marshal(k.WorkspaceID()) // a string always can
	k.send(w, http.StatusOK, document)
}

func (v switched) etag(profile string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%x\x00%s\x00%d %t", sha256.Sum256(manifestJSON), profile, v.Generation, v.Lost))
	return `"` + hex.EncodeToString(sum[:12]) + `"`
}

func matches(headers []string, etag string) bool {
	for _, h := range headers {
		for candidate := range strings.SplitSeq(h, ",") {
			candidate = strings.TrimPrefix(strings.TrimSpace(candidate), "W/")
			if candidate == etag || candidate == "*" {
				return true
			}
		}
	}
	return false
}

// manifest is the document with the switches in it; all else is as compiled in.
func (v switched) manifest() (map[string]json.RawMessage, error) {
	var document map[string]json.RawMessage
	if err := json.Unmarshal(manifestJSON, &document); err != nil {
		return nil, err
	}
	err := patch(document, "capabilities", func(o map[string]json.RawMessage, id string) {
		if p, ok := v.pack(id); ok {
			o["enabled"] = fmt.Append(nil, v.packOn(p))
			if v.packLost(p) {
				o["offReason"] = fmt.Appendf(nil, "%q", capabilities.ReasonLost)
			}
		}
	}, "id")
	if err != nil {
		return nil, err
	}
	return document, patch(document, "tools", func(o map[string]json.RawMessage, name string) {
		e := v.byName[tools.Name(name)]
		if e == nil {
			return
		}
		on, status := v.state(e.Tool)
		o["enabled"] = fmt.Append(nil, on)
		if status == tools.StatusDisabledByPack {
			o["status"] = fmt.Appendf(nil, "%q", status)
		}
	}, "name")
}

// patch rewrites each object of a list in the document.
func patch(document map[string]json.RawMessage, list string, edit func(map[string]json.RawMessage, string), key string) error {
	var objects []map[string]json.RawMessage
	if err := json.Unmarshal(document[list], &objects); err != nil {
		return err
	}
	for _, o := range objects {
		var id string
		if err := json.Unmarshal(o[key], &id); err != nil {
			return err
		}
		edit(o, id)
	}
	raw, err := json.Marshal(objects)
	document[list] = raw
	return err
}

// toolLine is one tool in a list for people.
type toolLine struct {
	Name                    tools.Name   `json:"name"`
	Title                   string       `json:"title,omitempty"`
	Kind                    tools.Kind   `json:"kind"`
	Status                  tools.Status `json:"status"`
	Enabled                 bool         `json:"enabled"`
	PackID                  string       `json:"capabilityId,omitempty"`
	RequiresWritePermission bool         `json:"requiresWritePermission"`
}

func (v switched) line(t tools.Tool) toolLine {
	on, status := v.state(t)
	l := toolLine{
		Name: t.Name, Title: t.Title, Kind: t.Kind, Status: status, Enabled: on, RequiresWritePermission: t.RequiresWritePermission,
	}
	if len(t.PackIDs) > 0 {
		l.PackID = t.PackIDs[0]
	}
	return l
}

// packLine is one pack in the list for people (seed 7-47 §3.1).
type packLine struct {
	ID               string     `json:"id"`
	Title            string     `json:"title"`
	Subtitle         string     `json:"subtitle,omitempty"`
	Description      string     `json:"description"`
	Enabled          bool       `json:"enabled"`
	Toggleable       bool       `json:"toggleable"`
	ReadOnly         bool       `json:"readOnly"`
	SkillID          string     `json:"skillId"`
	ToolNames        []string   `json:"toolNames"`
	Tools            []toolLine `json:"tools"`
	RequiresRefs     []string   `json:"requiresContextRefs"`
	ConfigScope      string     `json:"configScope"`
	UIKind           string     `json:"uiKind"`
	NativeAgentTools bool       `json:"nativeAgentTools"`
	// Status is planned where none of the pack's tools is built yet.
	Status string `json:"status,omitempty"`
	// OffReason is switches_lost where the pack is off for no other reason.
	OffReason string `json:"offReason,omitempty"`
}

func (v switched) packLine(p capabilities.Pack) packLine {
	l := packLine{
		ID: p.ID, Title: p.Title, Subtitle: p.Subtitle, Description: p.Description, Enabled: v.packOn(p), Toggleable: p.Toggleable,
		ReadOnly: p.ReadOnly, SkillID: p.SkillID, ToolNames: nonNil(p.ToolNames), Tools: []toolLine{}, RequiresRefs: nonNil(p.RequiresRefs),
		ConfigScope: "user_sqlite+profile_tool_policy", UIKind: p.UIKind, NativeAgentTools: p.NativeAgentTools,
	}
	if v.planned(p) {
		l.Status, l.Toggleable = "planned", false
	}
	if v.packLost(p) {
		l.OffReason = capabilities.ReasonLost
	}
	for _, e := range v.toolsOf(p) {
		l.Tools = append(l.Tools, v.line(e.Tool))
	}
	return l
}

// nonNil keeps an empty list from being null.
func nonNil(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

func (v switched) toolsOf(p capabilities.Pack) []*entry {
	var list []*entry
	for _, name := range p.ToolNames {
		if e := v.byName[tools.Name(name)]; e != nil {
			list = append(list, e)
		}
	}
	return list
}

// listed gives the packs that people of an agent are shown.
func (v switched) listed(agentID string) []capabilities.Pack {
	var list []capabilities.Pack
	for _, p := range v.packs {
		if p.Public && isFor(p, agentID) {
			list = append(list, p)
		}
	}
	return list
}

// category groups packs for people.
type category struct {
	Name  string     `json:"name"`
	Title string     `json:"title"`
	Packs []packLine `json:"capabilities"`
}

func categoryTitle(name string) string {
	switch name {
	case "mnote":
		return "MNote"
	case "office":
		return "Office"
	case "resource":
		return "资源"
	case "chat":
		return "聊天"
	}
	return name
}

func (k *Kernel) servePacks(w http.ResponseWriter, r *http.Request) {
	v, ok := k.listView(w, r, "runtime")
	if !ok {
		return
	}
	list := []category{}
	for _, p := range v.listed(r.URL.Query().Get("agentId")) {
		at := slices.IndexFunc(list, func(c category) bool { return c.Name == p.Category })
		if at < 0 {
			at, list = len(list), append(list, category{Name: p.Category, Title: categoryTitle(p.Category)})
		}
		list[at].Packs = append(list[at].Packs, v.packLine(p))
	}
	k.send(w, http.StatusOK, map[string]any{"ok": true, "runtime": runtimeName, "categories": list})
}

func (k *Kernel) serveSkills(w http.ResponseWriter, r *http.Request) {
	v, ok := k.listView(w, r, "runtime")
	if !ok {
		return
	}
	list := []map[string]any{}
	for _, p := range v.listed(r.URL.Query().Get("agentId")) {
		if p.SkillID == "" {
			continue
		}
		list = append(list, map[string]any{
			"id": p.ID, "title": p.Title, "description": p.Description, "enabled": v.packOn(p), "toolNames": nonNil(p.ToolNames),
			"requiresContextRefs": nonNil(p.RequiresRefs), "readOnly": p.ReadOnly,
		})
	}
	k.send(w, http.StatusOK, map[string]any{"ok": true, "runtime": runtimeName, "skills": list})
}

func (k *Kernel) serveTools(w http.ResponseWriter, r *http.Request) {
	v, ok := k.listView(w, r, "scope")
	if !ok {
		return
	}
	list := []toolLine{}
	for _, e := range v.tools {
		list = append(list, v.line(e.Tool))
	}
	k.send(w, http.StatusOK, map[string]any{
		"ok": true, "scope": runtimeName, "profile": r.URL.Query().Get("profile"), "tools": list,
	})
}

// listView reads the switches for a list; runtime or scope must be mnote.
func (k *Kernel) listView(w http.ResponseWriter, r *http.Request, what string) (switched, bool) {
	q := r.URL.Query()
	if got := q.Get(what); got != "" && got != runtimeName {
		k.refuse(w, r, http.StatusBadRequest, tools.Errorf(tools.CodeInvalidArgs, textRuntime, what))
		return switched{}, false
	}
	v, err := k.view(r.Context(), q.Get("profile"))
	if err != nil {
		k.refuse(w, r, http.StatusServiceUnavailable, err)
	}
	return v, err == nil
}
