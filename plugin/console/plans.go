package console

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// byConsole is how a person spoke who decides here.
const byConsole = "console"

// maxOver is how many decided plans are shown.
const maxOver = 50

// plans shows 计划: what waits for a yes, with what it would do, and what had its
// answer.
func (c *Console) plans(w http.ResponseWriter, r *http.Request) {
	all, err := c.cfg.Records.Plans(r.Context(), plugin.PlanFilter{Over: true})
	v := plansView{}
	if err != nil {
		v.Fault = c.failed(c.langOf(r), err).Text
	}
	titles := c.titles(r)
	for _, p := range slices.Backward(all) {
		waits := c.planState(p) == planWaiting
		if !waits && len(v.Over) == maxOver {
			continue
		}
		row := c.planRow(r, p, titles)
		if row.State == planWaiting {
			v.Open = append(v.Open, row)
		} else {
			v.Over = append(v.Over, row)
		}
	}
	slices.Reverse(v.Open) // the oldest first, as in the terminal: a new one moves none
	slices.Reverse(v.Over)
	c.render(w, r, http.StatusOK, "plans", v)
}

type plansView struct {
	Fault      string
	Open, Over []planRow
}

// show puts what the write would do on the row. Where the diff is cut or there
// is none, the arguments say what is written; what is not shown is counted.
func (p *planRow) show(lang tools.Lang, raw json.RawMessage) {
	change, ok := plugin.ChangeOf(raw)
	if !ok {
		p.Remarks = []string{say(lang, "change_gone")}
		return
	}
	p.Made = change.Document
	lines, shown := diffLines(change.Diff)
	p.Lines, p.Args = lines, indented(change.Args)
	if change.Diff == "" && p.Args == "" {
		p.Args = indented(change.Ops)
	}
	if change.Cut || len(shown) < len(change.Diff) {
		p.Cut = change.HiddenText(shown).In(lang)
	}
	if change.Warnings != nil {
		p.Remarks = append(p.Remarks, say(lang, "warnings", plugin.Visible(string(change.Warnings))))
	}
	if len(change.LeftOut) > 0 {
		p.Remarks = append(p.Remarks, say(lang, "left_out", plugin.Visible(strings.Join(change.LeftOut, ", "))))
	}
}

// indented writes JSON for people.
func indented(raw json.RawMessage) string {
	var b bytes.Buffer
	if len(raw) == 0 || json.Indent(&b, raw, "", "  ") != nil {
		return ""
	}
	return plugin.Visible(b.String())
}

// Where a plan stands, as a word of ours.
const (
	planWaiting  = "waiting"
	planApproved = "approved"
	planDeclined = "declined"
)

// planRow is a plan as the page shows it.
type planRow struct {
	plugin.Plan
	// Title says for people what would be done where. The question that the agent's
	// client would have put is not shown: all of it stands here, and it is in the
	// language of the agent's session.
	Title          string
	AskedAt, Until string
	Lines          []diffLine
	// Cut says how much of the diff is not shown, "" where it is whole.
	Cut string
	// Args are shown where the diff does not say it all.
	Args string
	// Made is the page that the write would make or change, where the plan itself
	// names none.
	Made string
	// Remarks are warnings, and what is not shown.
	Remarks []string
	// State is waiting, approved, declined, used, void, expired or ended; Open says
	// that the person may still say yes or no, to what Shown stands for.
	State string
	Open  bool
	Shown string
}

func (c *Console) planRow(r *http.Request, p plugin.Plan, titles map[string]string) planRow {
	lang := c.langOf(r)
	row := planRow{Plan: p, AskedAt: c.when(p.Asked), Until: c.when(p.Expires), State: c.planState(p)}
	row.Open = c.answerable(row.State)
	if row.Open && c.cfg.Records.Outdated(r.Context(), p) {
		row.State, row.Open = "void", false
	}
	if row.Open {
		whole, err := c.cfg.Records.Plan(r.Context(), p.ID)
		if err == nil { // else it was decided or dropped meanwhile
			row.Shown = whole.Digest()
			row.show(lang, whole.Preview)
		}
	}
	row.Title = plugin.Visible(titled(lang, p, titles) + " · " + cmp.Or(row.Made, p.Document, say(lang, "no_page")))
	return row
}

// titled names the plan's tool for people: the manifest's titles are Chinese.
func titled(lang tools.Lang, p plugin.Plan, titles map[string]string) string {
	if lang == tools.ZH {
		return cmp.Or(titles[string(p.Tool)], string(p.Tool))
	}
	return tools.WireName(p.Tool)
}

func (c *Console) answerable(state string) bool {
	return state == planWaiting || state == planApproved || state == planDeclined
}

func (c *Console) planState(p plugin.Plan) string {
	switch {
	case p.Void:
		return "void"
	case p.Used:
		return "used"
	case !c.cfg.Now().Before(p.Expires):
		return "expired"
	case p.Ended:
		return "ended"
	case p.Decision == plugin.PlanDeclined:
		return planDeclined
	case p.Decision == plugin.PlanApproved:
		return planApproved
	}
	return planWaiting
}

// decide is a person's yes or no to a plan, of which the form says what was
// shown.
func (c *Console) decide(w http.ResponseWriter, r *http.Request) {
	lang, id := c.langOf(r), r.PathValue("id")
	said := plugin.PlanAnswer{Yes: r.PostForm.Get("answer") == "yes", By: byConsole, Shown: r.PostForm.Get("shown")}
	n, err := note{}, error(nil)
	if answer := r.PostForm.Get("answer"); answer != "yes" && answer != "no" || said.Shown == "" {
		err = tools.Errorf(tools.CodeInvalidArgs, tools.Text{ZH: "回答只能是 yes 或 no，并带上看到的是什么", EN: "the answer is yes or no, with what was shown"})
	} else if _, err = c.cfg.Records.Answer(r.Context(), id, said); err == nil {
		n = c.answered(r, id, said.Yes)
	}
	if err != nil {
		n = c.failed(lang, err)
	}
	c.back(w, r, "/plans", "", n)
}

// answered tells what a person just said, of which plan, and offers to take it
// back.
func (c *Console) answered(r *http.Request, id string, yes bool) note {
	n, title := note{}, id
	if p, err := c.cfg.Records.Plan(r.Context(), id); err == nil {
		row := c.planRow(r, p, c.titles(r))
		title = row.Title
		if row.Open {
			n.Plan, n.Shown, n.Back = id, row.Shown, !yes
		}
	}
	n.Text = say(c.langOf(r), "plan_no", title)
	if yes {
		n.Text = say(c.langOf(r), "plan_yes", title)
	}
	return n
}

// waiting counts the plans that wait for a yes, as the page of plans shows them:
// one that is out of date waits for nobody.
func (c *Console) waiting(r *http.Request) (n int) {
	list, _ := c.cfg.Records.Plans(r.Context(), plugin.PlanFilter{}) // the page of plans tells what is wrong
	for _, p := range list {
		if c.planState(p) == planWaiting && !c.cfg.Records.Outdated(r.Context(), p) {
			n++
		}
	}
	return n
}
