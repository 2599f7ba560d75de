package console

import "github.com/mnote-dev/mnote-host/plugin"

func (plansView) title(p *pen) string { return p.t("nav_plans") }

func (v plansView) main(p *pen, page view) {
	p.put(`<p class="lead">%s</p>
<button type="button" id="fresh" class="fresh yes" data-text="%s" hidden></button>
<div id="live" data-live="plans" data-gone="%s" data-changed="%s">
`, p.t("plans_lead"), p.t("plans_fresh"), p.t("plan_gone"), p.t("plan_changed"))
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
	p.put(`<article class="plan%s" id="plan-%s" data-state="%s" data-shown="%s" aria-labelledby="plan-%s-title">
<h2 id="plan-%s-title" tabindex="-1">%s</h2>
`, over, row.ID, row.State, row.Shown, row.ID, row.ID, row.Title)
	p.put(`<p class="facts"><code>%s</code> · %s <code>%s</code> · %s`, plugin.Visible(string(row.Tool)), p.t("session"), row.Session, row.Actor)
	if row.Agent != "" {
		p.put(` · %s`, row.Agent)
	}
	p.put(` · %s %s · %s %s</p>
`, p.t("asked"), row.AskedAt, p.t("expires"), row.Until)
	if row.Open {
		p.change(row)
	}
	p.stand(row)
	p.put(`</article>
`)
}

// change is what the plan's write would do.
func (p *pen) change(row planRow) {
	if row.Cut != "" {
		p.bad(p.t("not_whole", row.Cut))
	}
	if len(row.Lines) > 0 {
		p.diff(row.Lines, p.t("diff_of", row.named()))
	}
	p.put(`
`)
	if row.Cut != "" && len(row.Lines) > 0 {
		p.put(`<p class="code">%s</p>
`, row.Cut)
	}
	if row.Args != "" {
		p.put(`<p>%s</p><pre class="args" role="region" aria-label="%s" tabindex="0">%s</pre>
`, p.t(argsWord(row)), p.t("arguments_of", row.named()), row.Args)
	}
	for _, remark := range row.Remarks {
		p.bad(remark)
	}
}

// named tells the plan from every other one, also of the same page.
func (r planRow) named() string { return r.Title + " · " + r.ID }

func argsWord(row planRow) string {
	if row.Cut != "" {
		return "arguments_cut"
	}
	return "arguments"
}

// stand says where the plan stands, with the answers that can be given now.
func (p *pen) stand(row planRow) {
	p.put(`<div class="stand" id="stand-%s">
`, row.ID)
	if row.State != planWaiting {
		p.put(`<p><span class="badge">%s</span></p>
`, p.t("plan_"+row.State))
	}
	if row.Open {
		p.put(`<form class="answer" method="post" action="%s" data-inline data-calm><input type="hidden" name="form" value="%s"><input type="hidden" name="shown" value="%s">
`, under("/plans/", row.ID), p.form, row.Shown)
		if row.State != planApproved {
			p.put(`<button class="yes" name="answer" value="yes" id="yes-%s" aria-label="%s">%s</button>
`, row.ID, p.t("approve_of", row.named()), p.t("approve"))
		}
		switch row.State {
		case planWaiting:
			p.put(`<button name="answer" value="no" id="no-%s" aria-label="%s">%s</button>
`, row.ID, p.t("decline_of", row.named()), p.t("decline"))
		case planApproved:
			p.put(`<button name="answer" value="no" id="no-%s" aria-label="%s">%s</button>
`, row.ID, p.t("take_back_of", row.named()), p.t("take_back"))
		}
		p.put(`</form>
`)
	}
	p.put(`</div>
`)
}
