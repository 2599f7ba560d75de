package console

import (
	"net/http"
	"time"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
)

// A page of the timeline has so many rows, looked for among so many.
const (
	rowsPerPage = 100
	rowsSeen    = 5000
)

// timeline shows 记录: the audit by session, newest first.
func (c *Console) timeline(w http.ResponseWriter, r *http.Request) {
	f := filterOf(r)
	v := timelineView{Filter: f, Spans: spanNames(), Outcomes: []outcome{outcomeWrite, outcomeDryRun, outcomeRead, outcomeRefused}}
	titles := c.titles(r)
	rows, next, err := c.look(r, f)
	if err != nil {
		v.Fault = c.failed(c.langOf(r), err).Text
	}
	v.Sessions = c.bySession(f, rows, titles)
	c.markUndone(r, v.Sessions)
	if next > 0 {
		v.Older = f.address(func(f *filter) { f.After = next })
	}
	if f.After > 0 {
		v.Newest = f.address(func(f *filter) { f.After = 0 })
	}
	c.render(w, r, http.StatusOK, "records", v)
}

type timelineView struct {
	Filter        filter
	Spans         []string
	Outcomes      []outcome
	Fault         string
	Sessions      []session
	Older, Newest address
}

func spanNames() []string {
	var names []string
	for _, s := range spans {
		names = append(names, s.Name)
	}
	return names
}

// session is one conversation's part of the timeline.
type session struct {
	ID, Actor, Agent, Profile string
	Only                      address // the timeline of this session alone
	From, Until               string
	Writes, Refused           int
	Rows                      []line
}

// Folds gives the session's lines with reads of one page that follow one another
// as one.
func (s session) Folds() (folds [][]line) {
	for _, l := range s.Rows {
		if last := len(folds) - 1; last >= 0 && l.foldsWith(folds[last][0]) {
			folds[last] = append(folds[last], l)
		} else {
			folds = append(folds, []line{l})
		}
	}
	return folds
}

func (l line) foldsWith(other line) bool {
	return l.Outcome == outcomeRead && other.Outcome == outcomeRead && l.Document == other.Document
}

// line is one call as the timeline shows it.
type line struct {
	plugin.AuditRow
	Title   string
	At      string
	Machine string // the time for a machine
	Outcome outcome
	Only    address // the timeline of this page of notes alone
	// Undoable says that the write is of this workspace and can be asked to be
	// taken back.
	Undoable bool
	// UndoneBy is the undo of the write that stands, "" where there is none.
	UndoneBy string
}

// look reads one page of rows; next continues behind it, 0 where nothing does.
func (c *Console) look(r *http.Request, f filter) (rows []plugin.AuditRow, next int64, err error) {
	seen := 0
	for row, err := range c.cfg.Records.Audit(r.Context(), f.query(c.cfg.Now())) {
		if err != nil {
			return rows, 0, err
		}
		if len(rows) == rowsPerPage || seen == rowsSeen {
			return rows, next, nil
		}
		seen++
		next = row.Seq
		if f.wants(row, c.cfg.WorkspaceID) {
			rows = append(rows, row)
		}
	}
	return rows, 0, nil
}

// bySession gathers rows by session, the one that was active last first.
func (c *Console) bySession(f filter, rows []plugin.AuditRow, titles map[string]string) []session {
	var list []session
	at := map[string]int{}
	for _, row := range rows {
		i, known := at[row.Session]
		if !known {
			i = len(list)
			at[row.Session] = i
			list = append(list, session{
				ID: row.Session, Actor: row.Actor, Agent: row.Agent, Profile: row.Profile, Until: c.when(row.Time),
				Only: f.address(func(f *filter) { f.Session, f.After = row.Session, 0 }),
			})
		}
		l := c.lineOf(f, row, titles)
		s := &list[i]
		s.Rows = append(s.Rows, l)
		s.From = c.clock(row.Time, time.DateTime)
		switch l.Outcome {
		case outcomeWrite:
			s.Writes++
		case outcomeRefused:
			s.Refused++
		}
	}
	return list
}

// markUndone says of the writes on the page which are undone: they are told so,
// and not undone again.
func (c *Console) markUndone(r *http.Request, sessions []session) {
	var commands []string
	for _, s := range sessions {
		for _, l := range s.Rows {
			if l.Undoable {
				commands = append(commands, l.CommandID)
			}
		}
	}
	undone, err := c.cfg.Records.Undone(r.Context(), commands)
	if err != nil {
		c.cfg.Log.Warn().Err(err).Msg("the page cannot tell which writes are undone")
	}
	for _, s := range sessions {
		for i := range s.Rows {
			s.Rows[i].UndoneBy = undone[s.Rows[i].CommandID]
		}
	}
}

// when is a moment for people, with the zone that it is told in.
func (c *Console) when(t time.Time) string { return c.clock(t, time.DateTime+" UTC-07:00") }

func (c *Console) clock(t time.Time, layout string) string { return t.In(c.cfg.Zone).Format(layout) }

func (c *Console) lineOf(f filter, row plugin.AuditRow, titles map[string]string) line {
	here := c.cfg.WorkspaceID == "" || row.Workspace == c.cfg.WorkspaceID
	if row.Document == "" && len(row.Changed) > 0 { // an undo names no page, and changes one
		row.Document = row.Changed[0].Path
	}
	return line{
		AuditRow: row, Title: titles[row.Tool], At: c.clock(row.Time, time.TimeOnly), Machine: row.Time.UTC().Format(time.RFC3339),
		Outcome: outcomeOf(row), Only: f.address(func(f *filter) { f.Document, f.After = row.Document, 0 }),
		Undoable: here && outcomeOf(row) == outcomeWrite && row.CommandID != "" && !row.Replayed,
	}
}

// titles names the tools for people.
func (c *Console) titles(r *http.Request) map[string]string {
	names := map[string]string{
		capabilities.SwitchedOn: "打开", capabilities.SwitchedOff: "关闭", capabilities.SwitchesReset: "所有开关恢复成出厂的样子",
	}
	list, _ := c.cfg.Records.Packs(r.Context()) // a row without a title shows its name
	for _, category := range list {
		for _, p := range category.Packs {
			for _, t := range p.Tools {
				names[string(t.Name)] = t.Title
			}
		}
	}
	return names
}

// undo takes one write back. It is a call like any other: what the guards or
// the kernel say of it is told as it is.
func (c *Console) undo(w http.ResponseWriter, r *http.Request) {
	lang := c.langOf(r)
	command := r.PostForm.Get("command")
	env := c.cfg.Records.Undo(r.Context(), command, lang)
	n := done(lang, "undone", command)
	if !env.OK && env.Error != nil {
		n = c.failed(lang, env.Error)
	}
	c.back(w, r, "/records", r.PostForm.Get("at"), n)
}
