package console

import (
	"cmp"
	"net/url"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

func (timelineView) title(p *pen) string { return p.t("nav_records") }

func (v timelineView) main(p *pen, page view) {
	p.put(`<p class="lead">%s</p>
`, p.t("records_lead"))
	v.filter(p)
	p.put(`<div id="live" data-live="records">
`)
	p.notes(page.Notes)
	p.bad(v.Fault)
	if len(v.Sessions) == 0 {
		p.put(`<p>%s</p>
`, p.t("records_none"))
	}
	for n, s := range v.Sessions {
		p.session(n, s)
	}
	p.put(`<p class="pager">`)
	if v.Newest != "" {
		p.put(`<a href="%s">%s</a> `, v.Newest, p.t("newest"))
	}
	if v.Older != "" {
		p.put(`<a href="%s" rel="next">%s</a>`, v.Older, p.t("older"))
	}
	p.put(`</p>
</div>`)
}

// filter is the form that says what is wanted of the timeline.
func (v timelineView) filter(p *pen) {
	f := v.Filter
	p.put(`<form class="filter" method="get" action="/records" aria-label="%s">
<label>%s <input name="session" value="%s" autocomplete="off"></label>
<label>%s <input name="document" value="%s" autocomplete="off"></label>
<label>%s <input name="tool" value="%s" autocomplete="off"></label>
<label>%s <select name="outcome"><option value="">%s</option>
`, p.t("filter"), p.t("session"), f.Session, p.t("page"), f.Document, p.t("tool"), f.Tool, p.t("outcome"), p.t("any"))
	for _, o := range v.Outcomes {
		p.option(string(o), o == f.Outcome, "outcome_")
	}
	p.put(`</select></label>
<label>%s <select name="since">`, p.t("since"))
	for _, span := range v.Spans {
		p.option(span, span == f.Since, "since_")
	}
	p.put(`</select></label>
<label class="check"><input type="checkbox" name="where" value="all"%s> %s</label>
<button>%s</button> <a href="/records">%s</a>
</form>
`, when(f.Everywhere, " checked"), p.t("everywhere"), p.t("filter"), p.t("clear"))
}

// option is one of a choice; its text is the word that begins so.
func (p *pen) option(value string, picked bool, word string) {
	p.put(`<option value="%s"%s>%s</option>`, value, when(picked, " selected"), p.t(word+value))
}

// session writes one conversation's part of the timeline.
func (p *pen) session(n int, s session) {
	p.put(`<section class="session" aria-labelledby="session-%s">
<h2 id="session-%s">%s <a href="%s"><code>%s</code></a></h2>
<p class="facts">%s: %s`, n, n, p.t("session"), s.Only, cmp.Or(s.ID, p.t("nobody")), p.t("who"), cmp.Or(s.Actor, p.t("nobody")))
	for _, more := range []string{s.Agent, s.Profile} {
		if more != "" {
			p.put(` · %s`, more)
		}
	}
	p.put(` · %s – %s`, s.From, s.Until)
	if s.Writes > 0 {
		p.put(` · %s`, p.t("n_writes", s.Writes))
	}
	if s.Refused > 0 {
		p.put(` · %s`, p.t("n_refused", s.Refused))
	}
	p.put(`</p>
<ol class="rows">
`)
	for _, fold := range s.Folds() {
		p.fold(fold)
	}
	p.put(`</ol></section>
`)
}

// fold writes one call, or several reads of one page as one line that opens.
func (p *pen) fold(lines []line) {
	if len(lines) == 1 {
		p.line(lines[0])
		return
	}
	first, last := lines[len(lines)-1], lines[0]
	p.put(`<li class="row outcome-read fold"><details id="fold-%s"><summary><time datetime="%s">%s</time> – <time datetime="%s">%s</time> <span class="badge">%s</span> %s`,
		first.Seq, first.Machine, first.At, last.Machine, last.At, p.t("outcome_read"), p.t("n_reads", len(lines)))
	if last.Document != "" {
		p.put(` · <span title="%s">%s</span>`, plugin.Visible(last.Document), short(plugin.Visible(last.Document)))
	}
	p.put(`</summary>
<ol class="rows">
`)
	for _, l := range lines {
		p.line(l)
	}
	p.put(`</ol></details></li>
`)
}

// A longer path than longestPath is cut in its middle: how it begins and ends
// tells it from others.
const longestPath = 64

func short(path string) string {
	r := []rune(path)
	if len(r) <= longestPath {
		return path
	}
	return string(r[:longestPath/2-1]) + "…" + string(r[len(r)-longestPath/2:])
}

// line writes one call.
func (p *pen) line(l line) {
	tool, document := plugin.Visible(l.Tool), plugin.Visible(l.Document)
	p.put(`<li class="row outcome-%s" id="row-%s">
<div class="what"><time datetime="%s">%s</time> <span class="badge">%s</span> <strong>`, l.Outcome, l.Seq, l.Machine, l.At, p.t("outcome_"+l.said()))
	if l.Title != "" && p.lang == tools.ZH {
		p.put(`<span lang="zh-Hans">%s</span>`, l.Title)
	} else {
		p.put(`%s`, tool)
	}
	p.put(`</strong>
`)
	if l.Document != "" {
		p.put(` <a class="page" href="%s" title="%s">%s</a>`, l.Only, document, short(document))
	}
	if l.Replayed {
		p.put(` <span class="badge">%s</span>`, p.t("replayed"))
	}
	if word := l.spoken(); word != "" {
		p.put(` <span class="badge">%s</span>`, p.t(word))
	}
	if l.Code != "" {
		p.put(` <code class="code" title="%s">%s</code>`, l.Code, sayCode(p.lang, l.Code))
	}
	p.put(`</div>
<div class="acts">`)
	if l.Undoable && l.UndoneBy == "" {
		p.put(`<form method="post" action="/records/undo" data-inline data-calm><input type="hidden" name="form" value="%s"><input type="hidden" name="command" value="%s"><input type="hidden" name="at" value="row-%s">
<button id="undo-%s" aria-label="%s">%s</button></form>`, p.form, l.CommandID, l.Seq, l.Seq, p.t("undo_of", tool, document), p.t("undo"))
	}
	p.put(`</div>
`)
	if l.Undoable {
		diff := address("/records/diff?command=" + url.QueryEscape(l.CommandID))
		p.put(`<details class="lazy" id="diff-%s" data-src="%s"><summary>%s</summary><p><a href="%s">%s</a></p></details>`, l.Seq, diff, p.t("diff"), diff, p.t("open_diff"))
	}
	p.put(`
`)
	p.details(l)
	p.put(`
</li>
`)
}

// said is what came of the call, as a word of ours.
func (l line) said() string {
	if l.UndoneBy != "" {
		return "undone"
	}
	return string(l.Outcome)
}

// spoken is how a person spoke of the call, as a word of ours.
func (l line) spoken() string {
	switch {
	case l.Agreed == "":
		return ""
	case l.Code == tools.CodeConfirmationDeclined:
		return "declined_" + l.Agreed
	}
	return "agreed_" + l.Agreed
}

// details are the call's ids, and what it touched.
func (p *pen) details(l line) {
	p.put(`<details id="details-%s"><summary>%s</summary><dl>
<dt>%s</dt><dd><code>%s</code></dd>
<dt>%s</dt><dd>%s · %s · %s</dd>
<dt>%s</dt><dd><code>%s</code></dd><dt>%s</dt><dd><code>%s</code></dd><dt>%s</dt><dd><code>%s</code></dd>
`, l.Seq, p.t("details"), p.t("tool"), plugin.Visible(l.Tool), p.t("who"), l.Actor, l.Agent, l.Profile,
		p.t("run"), l.Run, p.t("call"), l.ToolCallID, p.t("trace"), l.TraceID)
	if l.CommandID != "" {
		p.put(`<dt>%s</dt><dd><code>%s</code></dd>
`, p.t("command"), l.CommandID)
	}
	if l.UndoneBy != "" {
		p.put(`<dt>%s</dt><dd><code>%s</code></dd>
`, p.t("undone_by"), l.UndoneBy)
	}
	if len(l.Scopes) > 0 {
		p.put(`<dt>%s</dt><dd>`, p.t("scopes"))
		for _, s := range l.Scopes {
			p.put(`<code>%s</code> `, s)
		}
		p.put(`</dd>
`)
	}
	if len(l.Changed) > 0 {
		p.put(`<dt>%s</dt><dd>`, p.t("changed"))
		for _, c := range l.Changed {
			p.put(`<code>%s</code> `, plugin.Visible(cmp.Or(c.Path, c.Resource)))
		}
		p.put(`</dd>
`)
	}
	p.put(`<dt>%s</dt><dd>%s</dd></dl></details>`, p.t("took"), l.Duration)
}
