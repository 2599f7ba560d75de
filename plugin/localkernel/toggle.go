package localkernel

import (
	"cmp"
	"encoding/json"
	"net/http"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/tools"
)

// toggle is the body of the three switch endpoints.
type toggle struct {
	Runtime string `json:"runtime"`
	Scope   string `json:"scope"`
	Profile string `json:"profile"`
	ID      string `json:"id"`
	Name    string `json:"name"`
	Enabled *bool  `json:"enabled"`
}

var toggleMembers = []string{"runtime", "scope", "profile", "agentId", "id", "name", "enabled"}

// turned is the state of one tool after a switch.
type turned struct {
	Name    tools.Name   `json:"name"`
	Enabled bool         `json:"enabled"`
	Status  tools.Status `json:"status"`
}

var (
	textToggle = tools.Text{
		ZH: "请求体不对（%s）；需要 enabled（布尔）和要开关的 id 或 name",
		EN: "the body is not right (%s); it needs enabled (a boolean) and the id or name to switch",
	}
	textNoSuchSwitch = tools.Text{ZH: "没有这个能力或工具", EN: "there is no such capability or tool"}
	textFixed        = tools.Text{ZH: "能力 %s 不能开关", EN: "the capability %s cannot be switched"}
	textNotBuilt     = tools.Text{
		ZH: "能力 %s 的工具还没有实现，它没有开关",
		EN: "the tools of the capability %s are planned and not built yet, so it has no switch",
	}
	textToolNotBuilt = tools.Text{
		ZH: "工具 %s 还没有实现，它没有开关",
		EN: "the tool %s is planned and not built yet, so it has no switch",
	}
)

// textLostTools is what a person must know who switches a pack on after a loss.
var textLostTools = tools.Text{
	ZH: "开关的记录丢失过：这个能力里以前单独关掉的工具，现在也打开了；要关的请重新关",
	EN: "the record of the switches was lost: tools of this capability that were off by themselves are on now too; switch them off anew",
}

// named finds a tool by its name, dotted or as clients write it.
func (c *catalogue) named(name string) *entry {
	if e := c.byName[tools.Name(name)]; e != nil {
		return e
	}
	for _, e := range c.tools {
		if tools.WireName(e.Name) == name {
			return e
		}
	}
	return nil
}

func (k *Kernel) turnPack(w http.ResponseWriter, r *http.Request)  { k.turn(w, r, k.applyPack) }
func (k *Kernel) turnSkill(w http.ResponseWriter, r *http.Request) { k.turn(w, r, k.applyPack) }
func (k *Kernel) turnTool(w http.ResponseWriter, r *http.Request)  { k.turn(w, r, k.applyTool) }

// switchFault is a refusal with its HTTP status.
type switchFault struct {
	status int
	err    error
}

// turn reads a switch's body, applies it, and answers what it touched.
func (k *Kernel) turn(w http.ResponseWriter, r *http.Request, apply func(*http.Request, toggle) (any, *switchFault)) {
	t, err := readToggle(r)
	if err != nil {
		k.refuse(w, r, http.StatusBadRequest, err)
		return
	}
	answer, fault := apply(r, t)
	if fault != nil {
		k.refuse(w, r, fault.status, fault.err)
		return
	}
	k.send(w, http.StatusOK, answer)
}

func readToggle(r *http.Request) (toggle, error) {
	var t toggle
	body, err := readBody(r)
	if err != nil {
		return t, err
	}
	if _, err := strictMembers(body, toggleMembers); err != nil {
		return t, errorIn(tools.CodeInvalidArgs, textToggle, saidOf(err))
	}
	if err := json.Unmarshal(body, &t); err != nil {
		return t, errorIn(tools.CodeInvalidArgs, textToggle, saidOf(err))
	}
	if t.Enabled == nil {
		return t, tools.Errorf(tools.CodeInvalidArgs, textToggle, "enabled")
	}
	if t.Runtime != "" && t.Runtime != runtimeName || t.Scope != "" && t.Scope != runtimeName {
		return t, tools.Errorf(tools.CodeInvalidArgs, textRuntime, "runtime/scope")
	}
	return t, nil
}

// applyPack switches a pack for the user.
func (k *Kernel) applyPack(r *http.Request, t toggle) (any, *switchFault) {
	p, ok := ownCatalogue().pack(t.ID)
	if !ok {
		return nil, unknownSwitch()
	}
	if fault := k.turnable(p); fault != nil {
		return nil, fault
	}
	if err := k.switches.SetPack(r.Context(), p.ID, *t.Enabled); err != nil {
		return nil, &switchFault{http.StatusServiceUnavailable, err}
	}
	doorOf(r.Context()).heard(r.Context(), Turn{What: p.ID, On: *t.Enabled})
	v, err := k.view(r.Context(), t.Profile)
	if err != nil {
		return nil, &switchFault{http.StatusServiceUnavailable, err}
	}
	lines := []turned{}
	for _, e := range v.toolsOf(p) {
		on, status := v.state(e.Tool)
		lines = append(lines, turned{e.Name, on, status})
	}
	answer := map[string]any{"ok": true, "id": p.ID, "enabled": v.packOn(p), "tools": lines}
	if v.Lost && *t.Enabled {
		answer["warnings"] = []string{textLostTools.In(langOf(r))}
	}
	return answer, nil
}

// turnable refuses the switch of a pack that has none.
func (k *Kernel) turnable(p capabilities.Pack) *switchFault {
	switch {
	case !p.Toggleable:
		return &switchFault{http.StatusConflict, tools.Errorf(tools.CodeConflict, textFixed, p.ID).With("reason", "not_toggleable")}
	case ownCatalogue().planned(p):
		return &switchFault{http.StatusConflict, tools.Errorf(tools.CodeConflict, textNotBuilt, p.ID).With("reason", "planned")}
	case k.switches == nil:
		return &switchFault{http.StatusServiceUnavailable, noState()}
	}
	return nil
}

// applyTool switches one tool in a profile.
func (k *Kernel) applyTool(r *http.Request, t toggle) (any, *switchFault) {
	e := ownCatalogue().named(t.Name)
	switch {
	case e == nil:
		return nil, unknownSwitch()
	case e.Status == tools.StatusPlanned:
		return nil, &switchFault{http.StatusConflict, tools.Errorf(tools.CodeConflict, textToolNotBuilt, e.Name).With("reason", "planned")}
	case k.switches == nil:
		return nil, &switchFault{http.StatusServiceUnavailable, noState()}
	}
	profile := cmp.Or(t.Profile, defaultProfile)
	if err := k.switches.SetTool(r.Context(), profile, string(e.Name), *t.Enabled); err != nil {
		return nil, &switchFault{http.StatusServiceUnavailable, err}
	}
	doorOf(r.Context()).heard(r.Context(), Turn{What: string(e.Name), On: *t.Enabled, Profile: profile})
	v, err := k.view(r.Context(), t.Profile)
	if err != nil {
		return nil, &switchFault{http.StatusServiceUnavailable, err}
	}
	on, status := v.state(e.Tool)
	return map[string]any{"ok": true, "name": e.Name, "enabled": on, "profile": profile, "tools": []turned{{e.Name, on, status}}}, nil
}

// reset puts every switch of every profile back to what the manifest says. It is
// also what a person says after the switches were lost.
func (k *Kernel) reset(w http.ResponseWriter, r *http.Request) {
	if k.switches == nil {
		k.refuse(w, r, http.StatusServiceUnavailable, noState())
		return
	}
	if err := k.switches.Reset(r.Context()); err != nil {
		k.refuse(w, r, http.StatusServiceUnavailable, err)
		return
	}
	doorOf(r.Context()).heard(r.Context(), Turn{On: true})
	k.send(w, http.StatusOK, map[string]any{"ok": true})
}

func unknownSwitch() *switchFault {
	return &switchFault{http.StatusNotFound, tools.Errorf(tools.CodeNotFound, textNoSuchSwitch)}
}
