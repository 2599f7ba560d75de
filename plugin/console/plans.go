package console

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

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
	titles, now := c.titles(r), c.cfg.Now()
	for _, p := range slices.Backward(all) {
		open := p.Decision == plugin.PlanWaiting && now.Before(p.Expires)
		if !open && len(v.Over) == maxOver {
			continue
		}
		row := c.planRow(r, p, titles)
		if open {
			v.Open = append(v.Open, row)
		} else {
			v.Over = append(v.Over, row)
		}
	}
	c.render(w, r, http.StatusOK, "plans", v)
}

type plansView struct {
	Fault      string
	Open, Over []planRow
}

// preview are the parts of a plan's preview that have a form of their own.
type preview struct {
	UnifiedDiff          string
	UnifiedDiffTruncated bool
	Diff, Warnings, Args json.RawMessage
	LeftOut              []string
}

// show puts what the write would do on the row. Where the diff is cut or there
// is none, the arguments say it in full; what is not shown is named.
func (p *planRow) show(lang tools.Lang, raw json.RawMessage) {
	var v preview
	if len(raw) == 0 || json.Unmarshal(raw, &v) != nil {
		p.Remarks = []string{say(lang, "change_gone")}
		return
	}
	p.Lines, p.Args = diffLines(v.UnifiedDiff), indented(v.Args)
	if v.UnifiedDiff == "" && p.Args == "" {
		p.Args = indented(v.Diff)
	}
	if v.UnifiedDiffTruncated {
		p.Remarks = append(p.Remarks, say(lang, "diff_cut"))
	}
	if len(v.Warnings) > 0 && string(v.Warnings) != "[]" {
		p.Remarks = append(p.Remarks, say(lang, "warnings", plugin.Visible(string(v.Warnings))))
	}
	if len(v.LeftOut) > 0 {
		p.Remarks = append(p.Remarks, say(lang, "left_out", plugin.Visible(strings.Join(v.LeftOut, ", "))))
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

// planRow is one plan as the page shows it.
type planRow struct {
	plugin.Plan
	// Title is tool and page, for people; the question itself is in the language
	// of the agent's session.
	Title          string
	AskedAt, Until string
	Lines          []diffLine
	// Args are shown where the diff does not say it all.
	Args string
	// Remarks are warnings, and what is not shown.
	Remarks []string
	// State is waiting, approved, declined, used or expired; Open says that the
	// person may still say yes or no.
	State string
	Open  bool
}

func (c *Console) planRow(r *http.Request, p plugin.Plan, titles map[string]string) planRow {
	row := planRow{
		Plan: p, Title: plugin.Visible(cmp.Or(titles[string(p.Tool)], string(p.Tool)) + " · " + p.Document), AskedAt: c.clock(p.Asked, time.DateTime), Until: c.clock(p.Expires, time.DateTime),
		State: c.planState(p),
	}
	row.Open = !p.Used && c.cfg.Now().Before(p.Expires)
	if !row.Open {
		return row
	}
	whole, err := c.cfg.Records.Plan(r.Context(), p.ID)
	if err != nil {
		return row // it was decided or dropped meanwhile
	}
	row.show(c.langOf(r), whole.Preview)
	return row
}

func (c *Console) planState(p plugin.Plan) string {
	switch {
	case p.Used:
		return "used"
	case p.Decision == plugin.PlanDeclined:
		return "declined"
	case !c.cfg.Now().Before(p.Expires):
		return "expired"
	case p.Decision == plugin.PlanApproved:
		return "approved"
	}
	return "waiting"
}

// decide is a person's yes or no to a plan.
func (c *Console) decide(w http.ResponseWriter, r *http.Request) {
	lang, id := c.langOf(r), r.PathValue("id")
	var err error
	var n note
	switch r.PostForm.Get("answer") {
	case "yes":
		n = done(lang, "plan_yes")
		_, err = c.cfg.Records.Approve(r.Context(), id, byConsole)
	case "no":
		n = done(lang, "plan_no")
		_, err = c.cfg.Records.Decline(r.Context(), id, byConsole)
	default:
		err = tools.Errorf(tools.CodeInvalidArgs, tools.Text{ZH: "回答只能是 yes 或 no", EN: "the answer is yes or no"})
	}
	if err != nil {
		n = c.failed(lang, err)
	}
	c.back(w, r, "/plans", "", n)
}

// waiting counts the plans that wait for a yes.
func (c *Console) waiting(r *http.Request) int {
	list, _ := c.cfg.Records.Plans(r.Context(), plugin.PlanFilter{}) // the page of plans tells what is wrong
	return len(list)
}
