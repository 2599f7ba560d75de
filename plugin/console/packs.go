package console

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mnote-dev/mnote-host/tools"
)

// packs shows 能力: every pack with its switch.
func (c *Console) packs(w http.ResponseWriter, r *http.Request) {
	records, profile := c.inProfile(r, r.URL.Query().Get("profile"))
	list, err := records.Packs(r.Context())
	v := packsView{Profile: profile, Profiles: c.cfg.Records.Profiles(r.Context())}
	if err != nil {
		v.Fault = c.failed(c.langOf(r), err).Text
	}
	for _, category := range list {
		g := packGroup{Name: category.Name, Title: category.Title}
		for _, p := range category.Packs {
			g.Packs = append(g.Packs, rowOf(c.langOf(r), p))
			v.Lost = v.Lost || p.Lost && !p.Enabled
		}
		v.Groups = append(v.Groups, g)
	}
	c.render(w, r, http.StatusOK, "packs", v)
}

type packsView struct {
	Fault  string
	Groups []packGroup
	// Lost says that a pack is off because nobody knows what its switch was.
	Lost bool
	// Profile is whose single switches are shown, Profiles are all that are known.
	Profile  string
	Profiles []string
}

// inProfile gives the records of the profile that a page or a form names, the
// page's own without one.
func (c *Console) inProfile(r *http.Request, named string) (Records, string) {
	if named == "" || named == c.cfg.Profile || !slices.Contains(c.cfg.Records.Profiles(r.Context()), named) {
		return c.cfg.Records, c.cfg.Profile
	}
	return c.cfg.Records.For(named), named
}

// profiled is the page of the profile.
func (c *Console) profiled(profile string) string {
	if profile == c.cfg.Profile {
		return "/"
	}
	return "/?" + url.Values{"profile": {profile}}.Encode()
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
	// Count says how many tools there are.
	Count string
	Rows  []toolRow
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
	row.Count = countOf(lang, p.Tools)
	if row.Count != "" {
		row.Facts = append(row.Facts, row.Count)
	}
	if len(p.RequiresRefs) > 0 {
		row.Facts = append(row.Facts, say(lang, "needs", refWords(lang, p.RequiresRefs)))
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

// countOf counts a pack's tools: those that are there, and those that are not
// built yet.
func countOf(lang tools.Lang, list []tools.Tool) string {
	planned := 0
	for _, t := range list {
		if t.Status == tools.StatusPlanned {
			planned++
		}
	}
	switch {
	case len(list) == 0:
		return ""
	case planned == 0:
		return say(lang, "n_tools", len(list))
	case planned == len(list):
		return say(lang, "all_planned", planned)
	}
	return say(lang, "n_tools", len(list)-planned) + say(lang, "comma") + say(lang, "n_planned", planned)
}

// refWords names what a pack needs; a kind that we have no word for stands for
// itself.
func refWords(lang tools.Lang, kinds []string) string {
	named := make([]string, len(kinds))
	for i, kind := range kinds {
		named[i] = kind
		if _, ok := words()["ref_"+kind]; ok {
			named[i] = say(lang, "ref_"+kind)
		}
	}
	return strings.Join(named, ", ")
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
	_, profile := c.inProfile(r, r.PostForm.Get("profile"))
	c.back(w, r, c.profiled(profile), "pack-"+id, n)
}

func (c *Console) switchTool(w http.ResponseWriter, r *http.Request) {
	name, on := r.PathValue("name"), r.PostForm.Get("on") == "true"
	records, profile := c.inProfile(r, r.PostForm.Get("profile"))
	n := done(c.langOf(r), onOff("tool_", on), name, profile)
	if err := records.SwitchTool(r.Context(), tools.Name(name), on, c.langOf(r)); err != nil {
		n = c.failed(c.langOf(r), err)
	}
	c.back(w, r, c.profiled(profile), r.PostForm.Get("at"), n)
}

// reset turns everything on again, where what a person had switched is lost.
func (c *Console) reset(w http.ResponseWriter, r *http.Request) {
	n := done(c.langOf(r), "reset_done")
	if err := c.cfg.Records.Reset(r.Context(), c.langOf(r)); err != nil {
		n = c.failed(c.langOf(r), err)
	}
	_, profile := c.inProfile(r, r.PostForm.Get("profile"))
	c.back(w, r, c.profiled(profile), "", n)
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
