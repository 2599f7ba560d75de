package localkernel

import (
	"strings"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/store"
)

// How much of a diff an answer carries, in bytes, and how many changed blocks.
const (
	maxDiff        = 4000
	maxPlanDiff    = 8000
	maxChangedRows = 40
	// maxWholeDiff bounds a diff for a person, who is shown all of it.
	maxWholeDiff = 1 << 20
)

// written is a write's result (7-6 §4 and tool-catalogue).
type written struct {
	CommandName      string        `json:"commandName"`
	Revision         int64         `json:"revision"`
	ContentHash      string        `json:"contentHash"`
	PreviousRevision int64         `json:"previousRevision"`
	Changed          []page.Change `json:"changed"`
	ChangedTotal     int           `json:"changedTotal,omitempty"`
	diff
	Warnings []warning `json:"warnings,omitempty"`
	extra
}

// planned is a dry run's result.
type planned struct {
	DryRun         bool      `json:"dryRun"`
	Diff           []page.Op `json:"diff"`
	PlanID         string    `json:"planId,omitempty"`
	ExpiresAt      string    `json:"expiresAt,omitempty"`
	BaseRevision   int64     `json:"baseRevision"`
	ResultRevision int64     `json:"resultRevision"`
	ResultHash     string    `json:"resultHash"`
	diff
	Warnings []warning `json:"warnings"`
	extra
}

// diff tells a difference in lines.
type diff struct {
	Unified   string   `json:"unifiedDiff"`
	Truncated bool     `json:"unifiedDiffTruncated,omitempty"`
	Whole     string   `json:"wholeDiff,omitempty"`
	Stat      diffStat `json:"diffStat"`
}

// diffStat is a difference's size in lines.
type diffStat struct {
	Added   int `json:"added"`
	Removed int `json:"removed"`
}

func diffOf(old, new *page.Page, limit int) diff {
	full := page.Diff(old, new)
	d := diff{Unified: full}
	inHunk := false
	for line := range strings.Lines(full) {
		switch {
		case strings.HasPrefix(line, "@@"):
			inHunk = true
		case inHunk && line[0] == '+':
			d.Stat.Added++
		case inHunk && line[0] == '-':
			d.Stat.Removed++
		}
	}
	if len(full) > limit {
		d.Unified, d.Truncated = page.BoundedDiff(old, new, limit)
	}
	return d
}

// plannedDiff tells what a dry run would change; to a person, who asks for the
// whole, all of it, unless even that is too long.
func plannedDiff(c *call, old, new *page.Page) diff {
	d := diffOf(old, new, maxPlanDiff)
	if !c.WholeDiff || !d.Truncated {
		return d
	}
	if whole, cut := page.BoundedDiff(old, new, maxWholeDiff); !cut {
		d.Whole = whole
	}
	return d
}

// pages gives a change's two sides, parsed once.
func (k *Kernel) pages(ch *change) (old, new *page.Page) {
	if ch.old == nil {
		ch.old = k.recent.parse(hashOrNone(ch.before), ch.before)
	}
	if ch.new == nil {
		ch.new = k.recent.parse(hashOrNone(ch.after), ch.after)
	}
	return ch.old, ch.new
}

func (k *Kernel) writtenResult(c *call, ch *change, i store.Intent) written {
	old, new := k.pages(ch)
	w := written{
		CommandName: c.Command, Revision: i.Command.Revision, ContentHash: i.After, PreviousRevision: ch.base.Revision,
		Changed: page.Changes(old, new), diff: diffOf(old, new, maxDiff), Warnings: ch.warnings, extra: ch.more,
	}
	if w.Changed == nil {
		w.Changed = []page.Change{}
	}
	ch.changed = w.Changed
	if n := len(w.Changed); n > maxChangedRows {
		w.Changed, w.ChangedTotal = w.Changed[:maxChangedRows], n
	}
	return w
}

func (k *Kernel) plannedResult(c *call, ch *change, p store.Plan, resultRevision int64) planned {
	old, new := k.pages(ch)
	r := planned{
		DryRun: true, Diff: ch.ops, BaseRevision: ch.base.Revision, ResultRevision: resultRevision,
		ResultHash: hashOrNone(ch.after), diff: plannedDiff(c, old, new), Warnings: ch.warnings, extra: ch.more,
	}
	if r.Diff == nil {
		r.Diff = []page.Op{}
	}
	if r.Warnings == nil {
		r.Warnings = []warning{}
	}
	if p.ID != "" {
		r.PlanID, r.ExpiresAt = p.ID, p.Expires.UTC().Format(time.RFC3339)
	}
	return r
}
