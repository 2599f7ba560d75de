package console

import (
	"net/url"
	"slices"

	"github.com/mnote-dev/mnote-host/tools"
)

func (packsView) title(p *pen) string { return p.t("nav_packs") }

func (v packsView) main(p *pen, page view) {
	p.put(`<p class="lead">%s</p>
<div id="live" data-live="packs">
`, p.t("packs_lead"))
	p.notes(page.Notes)
	p.bad(v.Fault)
	v.profiles(p)
	v.lost(p)
	if v.Fault == "" && len(v.Groups) == 0 {
		p.put(`<p>%s</p>
`, p.t("packs_none"))
	}
	for _, g := range v.Groups {
		p.put(`<section aria-labelledby="group-%s">
<h2 id="group-%s">%s</h2>
<ul class="packs">
`, g.Name, g.Name, p.nameOf(g.Title, g.Name))
		for _, row := range g.Packs {
			p.pack(row, v.Profile)
		}
		p.put(`</ul></section>
`)
	}
	p.put(`</div>`)
}

// lost offers the way back from switches that nobody knows any more: all of them
// at once, beside each by its own.
func (v packsView) lost(p *pen) {
	if !v.Lost {
		return
	}
	p.put(`<form class="note bad" method="post" action="/reset" data-inline>
<p>%s</p>
<input type="hidden" name="form" value="%s"><input type="hidden" name="profile" value="%s">
<button id="reset">%s</button></form>
`, p.t("lost_lead"), p.form, v.Profile, p.t("reset"))
}

// profiles says whose single switches are shown, and leads to the others.
func (v packsView) profiles(p *pen) {
	if v.Profile == "" {
		return
	}
	p.put(`<p class="facts">%s`, p.t("one_profile", v.Profile))
	others := slices.DeleteFunc(slices.Clone(v.Profiles), func(name string) bool { return name == v.Profile })
	if len(others) > 0 {
		p.put(` %s: `, p.t("profiles"))
		each(p, others, ` · `, func(name string) {
			p.put(`<a href="%s">%s</a>`, address("/?"+url.Values{"profile": {name}}.Encode()), name)
		})
	}
	p.put(`</p>
`)
}

// pack writes one row: what it is, its switch, its tools.
func (p *pen) pack(row packRow, profile string) {
	p.put(`<li class="pack%s" id="%s">
<div class="head">
<div>
<h3 id="%s-title" lang="%s">%s</h3>
<p class="facts">`, when(!row.Enabled, " is-off"), row.Anchor, row.Anchor, langTag(p.lang), p.nameOf(row.Title, row.ID))
	each(p, row.Facts, " · ", func(fact string) { p.put("%s", fact) })
	p.put(`</p>
<p class="chips">`)
	for _, c := range row.Chips {
		p.put(`<span class="chip chip-%s">%s</span> `, c, c.In(p.lang))
	}
	p.put(`</p>
</div>
`)
	if row.Locked != "" {
		p.put(`<p class="locked">%s</p>`, p.t(row.Locked))
	} else {
		p.put(`<form method="post" action="%s" data-inline>
<input type="hidden" name="form" value="%s"><input type="hidden" name="profile" value="%s"><input type="hidden" name="on" value="%s">
`, under("/packs/", row.ID), p.form, profile, !row.Enabled)
		p.turner("", row.Enabled, row.Anchor, "title")
		p.put(`
</form>`)
	}
	p.put(`
</div>
`)
	if row.About != "" {
		p.put(`<p class="about" lang="en">%s</p>
`, row.About)
	}
	p.packTools(row, profile)
	p.put(`
</li>
`)
}

// turner is the button of a switch, named by the element whose id is the
// anchor's with the word.
func (p *pen) turner(class markup, on bool, anchor, word string) {
	state := "switch_off"
	if on {
		state = "switch_on"
	}
	p.put(`<button class="switch%s" role="switch" aria-checked="%s" aria-labelledby="%s-%s" id="%s-switch"><span aria-hidden="true">%s</span></button>`,
		class, on, anchor, word, anchor, p.t(state))
}

// packTools writes the pack's tools, or why it has none.
func (p *pen) packTools(row packRow, profile string) {
	switch {
	case len(row.Rows) > 0:
	case row.NativeAgentTools:
		p.put(`<p class="about">%s</p>`, p.t("guidance"))
		return
	case row.UIKind == "chat":
		p.put(`<p class="about">%s</p>`, p.t("mode"))
		return
	default:
		p.put(`<p class="about">%s</p>`, p.t("no_tools"))
		return
	}
	p.put(`<details id="%s-tools"><summary>%s</summary>
<table>
<thead><tr><th scope="col">%s</th><th scope="col">%s</th><th scope="col">%s</th><th scope="col">%s</th></tr></thead>
<tbody>`, row.Anchor, p.t("tools_of", row.Count), p.t("tool"), p.t("kind"), p.t("scopes"), p.t("state"))
	for _, t := range row.Rows {
		p.tool(t)
	}
	p.put(`</tbody></table>
<details class="advanced" id="%s-advanced"><summary>%s</summary>
<p class="facts">%s</p>
<ul class="singles">`, row.Anchor, p.t("advanced"), p.t("one_profile", profile))
	for _, t := range row.Rows {
		if t.Switchable() {
			p.single(row, t, profile)
		}
	}
	p.put(`</ul></details>
</details>`)
}

// tool is a line of the table of tools.
func (p *pen) tool(t toolRow) {
	p.put(`<tr class="state-%s"><th scope="row">`, t.State)
	p.toolName(t)
	p.put(`</th>
<td>%s`, p.t(kindWord(t)))
	if t.RequiresWritePermission && !t.Writes() {
		p.put(`, %s`, p.t("needs_write"))
	}
	p.put(`</td>
<td>`)
	each(p, t.Scopes, " ", func(s tools.Scope) { p.put(`<code>%s</code>`, s) })
	p.put(`</td>
<td>%s</td></tr>
`, p.t("state_"+t.State))
}

// toolName names a tool; a manifest's titles are Chinese.
func (p *pen) toolName(t toolRow) {
	if t.Title != "" && p.lang == tools.ZH {
		p.put(`<span lang="zh-Hans">%s</span> `, t.Title)
	}
	p.put(`<code>%s</code>`, t.Name)
}

// nameOf is what a thing of the manifest is called on the page: its titles are
// Chinese.
func (p *pen) nameOf(title, id string) string {
	if p.lang == tools.ZH && title != "" {
		return title
	}
	return id
}

func kindWord(t toolRow) string {
	if t.Writes() {
		return "kind_write"
	}
	return "kind_read"
}

// single is the switch of a single tool.
func (p *pen) single(row packRow, t toolRow, profile string) {
	p.put(`<li><span id="%s-name">`, t.Anchor)
	p.toolName(t)
	p.put(`</span>
<form method="post" action="%s" data-inline><input type="hidden" name="form" value="%s"><input type="hidden" name="at" value="%s"><input type="hidden" name="profile" value="%s"><input type="hidden" name="on" value="%s">
`, under("/tools/", string(t.Name)), p.form, row.Anchor, profile, t.State == "tool")
	p.turner(" small", t.State == "on", t.Anchor, "name")
	p.put(`</form></li>
`)
}
