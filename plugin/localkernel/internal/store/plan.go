package store

import "time"

// Plan is what a dry run promised: a write that names it does exactly that.
type Plan struct {
	ID      string
	Session string
	Actor   string
	Tool    string
	// Path is the document's.
	Path string
	// Body is the hash of the document and the arguments.
	Body string
	// BaseRevision and BaseHash are what the plan was made on.
	BaseRevision int64
	BaseHash     string
	// ResultHash is of the bytes that the write gives, kept as content.
	ResultHash string
	// Rest is what the tool needs besides, as JSON.
	Rest    []byte
	Expires time.Time
	// Used is zero while the plan can be used.
	Used time.Time
}

// plansKept is how long a plan is known after it expired, so that its caller is
// told the truth.
const plansKept = 24 * time.Hour

// AddPlan keeps a plan, and forgets those past their time.
func (t *Tx) AddPlan(p Plan) error {
	if err := t.prunePlans(); err != nil {
		return err
	}
	return t.exec(`INSERT INTO plan (id, session, actor, tool, path, body, base_revision, base_hash, result_hash, rest, expires, used)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`, p.ID, p.Session, p.Actor, p.Tool, p.Path, p.Body, p.BaseRevision,
		p.BaseHash, p.ResultHash, nonNil(p.Rest), micros(p.Expires))
}

// Plan finds a plan by its id.
func (t *Tx) Plan(id string) (p Plan, found bool, err error) {
	var expires, used int64
	p.ID = id
	found, err = t.one(`SELECT session, actor, tool, path, body, base_revision, base_hash, result_hash, rest, expires, used FROM plan WHERE id = ?`,
		[]any{id}, &p.Session, &p.Actor, &p.Tool, &p.Path, &p.Body, &p.BaseRevision, &p.BaseHash, &p.ResultHash, &p.Rest, &expires, &used)
	p.Expires = fromMicros(expires)
	if used != 0 {
		p.Used = fromMicros(used)
	}
	return p, found, err
}

// UsePlan spends a plan.
func (t *Tx) UsePlan(id string) error {
	return t.exec(`UPDATE plan SET used = ? WHERE id = ?`, micros(t.now), id)
}

func (t *Tx) prunePlans() error {
	old, err := each(t, scanString, `DELETE FROM plan WHERE expires < ? RETURNING result_hash`, micros(t.now.Add(-plansKept)))
	if err != nil {
		return err
	}
	for _, hash := range old {
		if err := t.dropContent(hash); err != nil {
			return err
		}
	}
	return nil
}
