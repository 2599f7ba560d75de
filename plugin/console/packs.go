package console

import (
	"net/http"
	"strings"

	"github.com/mnote-dev/mnote-host/tools"
)

// packs shows 能力: every pack with its switch.
func (c *Console) packs(w http.ResponseWriter, r *http.Request) {
	list, err := c.cfg.Records.Packs(r.Context())
	v := packsView{}
	if err != nil {
		v.Fault = c.failed(c.langOf(r), err).Text
	}
	for _, category := range list {
		g := packGroup{Name: category.Name, Title: category.Title}
		for _, p := range category.Packs {
			g.Packs = append(g.Packs, rowOf(c.langOf(r), p))
		}
		v.Groups = append(v.Groups, g)
	}
	c.render(w, r, http.StatusOK, "packs", v)
}

type packsView struct {
	Fault  string
	Groups []packGroup
}

type packGroup struct {
	Name, Title string
	Packs       []packRow
}

// packRow is one pack as the page shows it (seed 7-47 §4.1).
type packRow struct {
	Pack
	// Anchor is the row's id on the page.
	Anchor string
	// About is what the pack is for, in a sentence, where no fact says it.
	About string
	// Facts stand below the title: what it is for, how many tools, what it needs.
	Facts []string
	// Locked says why there is no switch, as a word of ours; "" where there is
	// one.
	Locked string
	Rows   []toolRow
}

type toolRow struct {
	tools.Tool
	Anchor string
	// State is on, tool (off by itself), capability (off with its packs) or the
	// status of a tool that is not there to be switched.
	State string
}

func rowOf(lang tools.Lang, p Pack) packRow {
	row := packRow{Pack: p, Anchor: "pack-" + p.ID}
	if lang == tools.ZH && p.Subtitle != "" {
		row.Facts = append(row.Facts, p.Subtitle)
	} else {
		row.About = p.Description // manifests describe in English
	}
	if len(p.Tools) > 0 {
		row.Facts = append(row.Facts, say(lang, "n_tools", len(p.Tools)))
	}
	if len(p.RequiresRefs) > 0 {
		row.Facts = append(row.Facts, say(lang, "needs", strings.Join(p.RequiresRefs, ", ")))
	}
	switch {
	case p.Planned:
		row.Locked = "locked_planned"
	case !p.Toggleable:
		row.Locked = "locked_fixed"
	}
	for _, t := range p.Tools {
		row.Rows = append(row.Rows, toolRow{Tool: t, Anchor: row.Anchor + "-" + tools.WireName(t.Name), State: stateOf(t)})
	}
	return row
}

func stateOf(t tools.Tool) string {
	switch {
	case t.Status == tools.StatusDisabledByPack:
		return "capability"
	case t.Status == tools.StatusDisabled || !t.Enabled:
		return "tool"
	case t.Status == tools.StatusAvailable || t.Status == tools.StatusCompat:
		return "on"
	}
	return string(t.Status)
}

// Switchable reports whether the tool has a switch of its own now.
func (t toolRow) Switchable() bool { return t.State == "on" || t.State == "tool" }

func (c *Console) switchPack(w http.ResponseWriter, r *http.Request) {
	id, on := r.PathValue("id"), r.PostForm.Get("on") == "true"
	n := done(c.langOf(r), onOff("pack_", on), c.packTitle(r, id))
	if err := c.cfg.Records.SwitchPack(r.Context(), id, on, c.langOf(r)); err != nil {
		n = c.failed(c.langOf(r), err)
	}
	c.back(w, r, "/", "pack-"+id, n)
}

func (c *Console) switchTool(w http.ResponseWriter, r *http.Request) {
	name, on := r.PathValue("name"), r.PostForm.Get("on") == "true"
	n := done(c.langOf(r), onOff("tool_", on), name)
	if err := c.cfg.Records.SwitchTool(r.Context(), tools.Name(name), on, c.langOf(r)); err != nil {
		n = c.failed(c.langOf(r), err)
	}
	c.back(w, r, "/", r.PostForm.Get("at"), n)
}

func onOff(what string, on bool) string {
	if on {
		return what + "on"
	}
	return what + "off"
}

// packTitle is the pack's name for people, its id where it has none.
func (c *Console) packTitle(r *http.Request, id string) string {
	list, _ := c.cfg.Records.Packs(r.Context()) // the switch itself tells what is wrong
	for _, category := range list {
		for _, p := range category.Packs {
			if p.ID == id {
				return p.Title
			}
		}
	}
	return id
}
