package console

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// outcome is what came of a call, in one word.
type outcome string

const (
	outcomeRead    outcome = "read"
	outcomeWrite   outcome = "write"
	outcomeDryRun  outcome = "dry_run"
	outcomeRefused outcome = "refused"
)

func outcomeOf(r plugin.AuditRow) outcome {
	switch {
	case r.Code != "":
		return outcomeRefused
	case r.Effect == tools.EffectWrite:
		return outcomeWrite
	case r.Effect == tools.EffectDryRun:
		return outcomeDryRun
	}
	return outcomeRead
}

// filter is what a person wants of the timeline, as the form sends it.
type filter struct {
	Session, Document, Tool string
	Outcome                 outcome
	// Since is one of the spans.
	Since string
	// Everywhere takes in the calls of other workspaces.
	Everywhere bool
	// After continues behind the row of that number.
	After int64
}

var spans = []struct {
	Name string
	Time time.Duration
}{{"", 0}, {"1h", time.Hour}, {"24h", 24 * time.Hour}, {"7d", 7 * 24 * time.Hour}, {"30d", 30 * 24 * time.Hour}}

func filterOf(r *http.Request) filter {
	q := r.URL.Query()
	f := filter{
		Session: q.Get("session"), Document: q.Get("document"), Tool: q.Get("tool"), Outcome: outcome(q.Get("outcome")),
		Since: q.Get("since"), Everywhere: q.Get("where") == "all",
	}
	f.After, _ = strconv.ParseInt(q.Get("after"), 10, 64) // what is no number is the beginning
	return f
}

// query is the filter for the audit; newest first.
func (f filter) query(now time.Time) plugin.AuditFilter {
	q := plugin.AuditFilter{Session: f.Session, Document: f.Document, Tool: f.Tool, Newest: true, After: max(f.After, 0)}
	for _, s := range spans {
		if s.Name == f.Since && s.Time > 0 {
			q.Since = now.Add(-s.Time)
		}
	}
	return q
}

// wants reports whether the row is asked for, in what the audit cannot tell.
func (f filter) wants(r plugin.AuditRow, workspaceID string) bool {
	here := f.Everywhere || workspaceID == "" || r.Workspace == workspaceID || r.Workspace == ""
	return here && (f.Outcome == "" || outcomeOf(r) == f.Outcome)
}

// address is the timeline with the filter, changed by set.
func (f filter) address(set func(*filter)) address {
	set(&f)
	q := url.Values{}
	where := ""
	if f.Everywhere {
		where = "all"
	}
	for name, value := range map[string]string{
		"session": f.Session, "document": f.Document, "tool": f.Tool, "outcome": string(f.Outcome), "since": f.Since, "where": where,
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if f.After > 0 {
		q.Set("after", strconv.FormatInt(f.After, 10))
	}
	return address((&url.URL{Path: "/records", RawQuery: q.Encode()}).String())
}
