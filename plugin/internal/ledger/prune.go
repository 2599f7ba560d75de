package ledger

import (
	"context"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
)

const (
	// keepAnswers, keepHashes and keepAudit say how long the file remembers.
	keepAnswers = 7 * 24 * time.Hour
	keepHashes  = 90 * 24 * time.Hour
	keepAudit   = 400 * 24 * time.Hour
	// keepPlans is for those that are over.
	keepPlans = 30 * 24 * time.Hour
	// pruneEvery is how often all processes together look for what is old, and
	// pruneRows how much of each kind one look drops.
	pruneEvery = time.Hour
	pruneRows  = 500
)

// prune drops what is past its time, a bounded part in each look. It runs
// behind a flush, so a ledger that records nothing prunes nothing.
func (l *Ledger) prune(ctx context.Context) error {
	now := l.now()
	if !l.file.Opened() || now.Sub(l.pruned) < pruneEvery {
		return nil
	}
	full := false
	err := l.file.Normal(ctx, func(tx *sqlite.Tx) error {
		full = false
		var last int64
		if err := tx.Row("SELECT coalesce(max(pruned_at), 0) FROM chain").Scan(&last); err != nil {
			return err
		}
		if age := now.UnixMicro() - last; age >= 0 && age < pruneEvery.Microseconds() {
			return nil // another process was here
		}
		n, err := pruneClaims(tx, now)
		if err != nil {
			return err
		}
		m, err := pruneAudit(tx, now)
		if err == nil {
			err = prunePlans(tx, now)
		}
		if full = max(n, m) >= pruneRows; err != nil || full {
			return err
		}
		_, err = tx.Exec("UPDATE chain SET pruned_at = ?", now.UnixMicro())
		return err
	})
	if err == nil && !full {
		l.pruned = now
	}
	return err
}

// pruneClaims drops old answers, then old writes altogether. A write without
// its answer can no longer serve a retry. Rows lie in the order they were made,
// so the age needs no index that every write would pay for.
func pruneClaims(tx *sqlite.Tx, now time.Time) (int64, error) {
	old, n, err := oldClaims(tx, now.Add(-keepAnswers).UnixMicro())
	if err != nil {
		return 0, err
	}
	if n > 0 {
		if err := dropAnswers(tx, old); err != nil {
			return 0, err
		}
	}
	limit := now.Add(-keepHashes).UnixMicro()
	if _, err := tx.Exec("DELETE FROM answer WHERE claim IN (SELECT row FROM ("+firstClaims+") WHERE at < ?)", pruneRows, limit); err != nil {
		return 0, err
	}
	m, err := tx.Exec("DELETE FROM claim WHERE row IN (SELECT row FROM ("+firstClaims+") WHERE at < ?)", pruneRows, limit)
	if err != nil || m == 0 {
		return n, err
	}
	// Numbers of dropped rows may come again.
	_, err = tx.Exec("UPDATE chain SET answers_upto = min(answers_upto, (SELECT coalesce(max(row), 0) FROM claim))")
	return max(n, m), err
}

// firstClaims are the ones made first, old or not.
const firstClaims = "SELECT row, at FROM claim ORDER BY row LIMIT ?"

// dropAnswers drops the answers up to that of a claim.
func dropAnswers(tx *sqlite.Tx, upto int64) error {
	for _, s := range []string{
		"UPDATE claim SET answer = NULL, open = 0 WHERE row > (SELECT answers_upto FROM chain) AND row <= ?1 AND state = 3", // finished
		"DELETE FROM answer WHERE claim > (SELECT answers_upto FROM chain) AND claim <= ?1",
		"UPDATE chain SET answers_upto = ?1",
	} {
		if _, err := tx.Exec(s, upto); err != nil {
			return err
		}
	}
	return nil
}

// oldClaims gives the last of the next rows that are all older than the limit,
// and how many they are.
func oldClaims(tx *sqlite.Tx, limit int64) (last, n int64, err error) {
	for row := range tx.Rows(`SELECT row, at FROM claim
		WHERE row > (SELECT answers_upto FROM chain) ORDER BY row LIMIT ?`, pruneRows) {
		var id, at int64
		if err := row.Scan(&id, &at); err != nil {
			return 0, 0, err
		}
		if at >= limit {
			return last, n, nil
		}
		last, n = id, n+1
	}
	return last, n, nil
}

// prunePlans drops plans and approvals a month after their time, and question
// and preview, which hold what is to be written, as soon as they are of no more
// use.
func prunePlans(tx *sqlite.Tx, now time.Time) error {
	for _, s := range []string{"DELETE FROM plan WHERE expires < ?", "DELETE FROM approval WHERE expires < ?"} {
		if _, err := tx.Exec(s, now.Add(-keepPlans).UnixMicro()); err != nil {
			return err
		}
	}
	_, err := tx.Exec("UPDATE approval SET preview = NULL, question = '' WHERE preview IS NOT NULL AND (expires < ? OR spent_by IS NOT NULL)", now.UnixMicro())
	return err
}

// pruneAudit drops the oldest rows and notes the last of them as the chain's
// start. The newest row always stays.
func pruneAudit(tx *sqlite.Tx, now time.Time) (n int64, err error) {
	start, n, err := oldRows(tx, now.Add(-keepAudit).UnixMicro())
	if err != nil || n == 0 {
		return 0, err
	}
	if _, err := tx.Exec("DELETE FROM audit WHERE seq <= ?", start.seq); err != nil {
		return 0, err
	}
	_, err = tx.Exec("UPDATE chain SET seq = ?, hash = ?, why = ?", start.seq, start.hash, string(StartPruned))
	return n, err
}

// oldRows gives the last of the first rows that are all older than the limit,
// and how many they are.
func oldRows(tx *sqlite.Tx, limit int64) (last mark, n int64, err error) {
	for row := range tx.Rows(`SELECT seq, hash, at FROM audit
		WHERE seq < (SELECT max(seq) FROM audit) ORDER BY seq LIMIT ?`, pruneRows) {
		var m mark
		var at int64
		if err := row.Scan(&m.seq, &m.hash, &at); err != nil {
			return mark{}, 0, err
		}
		if at >= limit {
			return last, n, nil
		}
		last, n = m, n+1
	}
	return last, n, nil
}
