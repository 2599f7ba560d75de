package console

import "github.com/mnote-dev/mnote-host/plugin"

func (plansView) title(p *pen) string { return p.t("nav_plans") }

func (v plansView) main(p *pen, page view) {
	p.put(`<p class="lead">%s</p>
<div id="live" data-live="plans">
`, p.t("plans_lead"))
	p.notes(page.Notes)
	p.bad(v.Fault)
	if len(v.Open) == 0 {
		p.put(`<p>%s</p>
`, p.t("plans_none"))
	}
	for _, row := range v.Open {
		p.plan(row, "")
	}
	if len(v.Over) > 0 {
		p.put(`<details id="over"><summary>%s (%s)</summary>
`, p.t("plans_over"), len(v.Over))
		for _, row := range v.Over {
			p.plan(row, " over")
		}
		p.put(`</details>
`)
	}
	p.put(`</div>`)
}

// plan writes one plan: who asks for what, what it would do, and the answer that
// can still be given.
func (p *pen) plan(row planRow, over markup) {
	p.put(`<article class="plan%s" id="plan-%s" aria-labelledby="plan-%s-title">
<h2 id="plan-%s-title">%s</h2>
`, over, row.ID, row.ID, row.ID, row.Title)
	if over != "" {
		p.put(`<p><span class="badge">%s</span></p>
`, p.t("plan_"+row.State))
	}
	p.put(`<p class="facts"><code>%s</code> · %s <code>%s</code> · %s`, plugin.Visible(string(row.Tool)), p.t("session"), row.Session, row.Actor)
	if row.Agent != "" {
		p.put(` · %s`, row.Agent)
	}
	p.put(` · %s %s · %s %s</p>
`, p.t("asked"), row.AskedAt, p.t("expires"), row.Until)
	if over == "" || row.Open {
		p.change(row)
		p.answer(row)
	}
	p.put(`</article>
`)
}

// change is what the plan's write would do.
func (p *pen) change(row planRow) {
	if len(row.Lines) > 0 {
		p.diff(row.Lines)
	}
	p.put(`
`)
	if row.Args != "" {
		p.put(`<p>%s</p><pre class="args" tabindex="0">%s</pre>
`, p.t("arguments"), row.Args)
	}
	for _, remark := range row.Remarks {
		p.bad(remark)
	}
}

// answer is the form of a yes or no.
func (p *pen) answer(row planRow) {
	p.put(`<form class="answer" method="post" action="%s" data-inline><input type="hidden" name="form" value="%s">
<button class="yes" name="answer" value="yes" id="yes-%s" aria-label="%s">%s</button>
<button name="answer" value="no" id="no-%s" aria-label="%s">%s</button></form>
`, under("/plans/", row.ID), p.form, row.ID, p.t("approve_of", row.Title), p.t("approve"), row.ID, p.t("decline_of", row.Title), p.t("decline"))
}
