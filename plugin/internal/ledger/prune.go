package ledger

import (
	"context"
	"database/sql"
	"time"
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
	err := l.file.Normal(ctx, func(tx *sql.Tx) error {
		full = false
		var last int64
		if err := tx.QueryRow("SELECT coalesce(max(pruned_at), 0) FROM chain").Scan(&last); err != nil {
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
func pruneClaims(tx *sql.Tx, now time.Time) (int64, error) {
	old, n, err := oldClaims(tx, now.Add(-keepAnswers).UnixMicro())
	if err != nil {
		return 0, err
	}
	if n > 0 {
		if _, err := tx.Exec(`UPDATE claim SET answer = NULL, open = 0 WHERE answer IS NOT NULL
			AND row > (SELECT answers_upto FROM chain) AND row <= ?`, old); err != nil {
			return 0, err
		}
		if _, err := tx.Exec("UPDATE chain SET answers_upto = ?", old); err != nil {
			return 0, err
		}
	}
	gone, err := tx.Exec(`DELETE FROM claim WHERE at < ? AND row IN
		(SELECT row FROM claim ORDER BY row LIMIT ?)`, now.Add(-keepHashes).UnixMicro(), pruneRows)
	if err != nil {
		return 0, err
	}
	m, err := gone.RowsAffected()
	if err != nil || m == 0 {
		return n, err
	}
	// Numbers of dropped rows may come again.
	_, err = tx.Exec("UPDATE chain SET answers_upto = min(answers_upto, (SELECT coalesce(max(row), 0) FROM claim))")
	return max(n, m), err
}

// oldClaims gives the last of the next rows that are all older than the limit,
// and how many they are.
func oldClaims(tx *sql.Tx, limit int64) (last, n int64, err error) {
	rows, err := tx.Query(`SELECT row, at FROM claim
		WHERE row > (SELECT answers_upto FROM chain) ORDER BY row LIMIT ?`, pruneRows)
	if err != nil {
		return 0, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var id, at int64
		if err := rows.Scan(&id, &at); err != nil {
			return 0, 0, err
		}
		if at >= limit {
			return last, n, nil
		}
		last, n = id, n+1
	}
	return last, n, rows.Err()
}

// prunePlans drops plans and approvals a month after their time, and question
// and preview, which hold what is to be written, as soon as they are of no more
// use.
func prunePlans(tx *sql.Tx, now time.Time) error {
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
func pruneAudit(tx *sql.Tx, now time.Time) (n int64, err error) {
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
func oldRows(tx *sql.Tx, limit int64) (last mark, n int64, err error) {
	rows, err := tx.Query(`SELECT seq, hash, at FROM audit
		WHERE seq < (SELECT max(seq) FROM audit) ORDER BY seq LIMIT ?`, pruneRows)
	if err != nil {
		return mark{}, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var m mark
		var at int64
		if err := rows.Scan(&m.seq, &m.hash, &at); err != nil {
			return mark{}, 0, err
		}
		if at >= limit {
			return last, n, nil
		}
		last, n = m, n+1
	}
	return last, n, rows.Err()
}
