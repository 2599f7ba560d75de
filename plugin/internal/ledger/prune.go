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
		if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(pruned_at), 0) FROM chain").Scan(&last); err != nil {
			return err
		}
		if age := now.UnixMicro() - last; age >= 0 && age < pruneEvery.Microseconds() {
			return nil // another process was here
		}
		n, err := pruneClaims(ctx, tx, now)
		if err != nil {
			return err
		}
		m, err := pruneAudit(ctx, tx, now)
		if full = max(n, m) >= pruneRows; err != nil || full {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE chain SET pruned_at = ?", now.UnixMicro())
		return err
	})
	if err == nil && !full {
		l.pruned = now
	}
	return err
}

// pruneClaims drops old answers, then old writes altogether. A write without
// its answer can no longer serve a retry. It looks at the rows made first, for
// want of an index that every write would pay for.
func pruneClaims(ctx context.Context, tx *sql.Tx, now time.Time) (int64, error) {
	answers, err := affected(tx.ExecContext(ctx, `UPDATE claim SET answer = NULL, open = 0 WHERE rowid IN
		(SELECT rowid FROM claim WHERE answer IS NOT NULL AND at < ? LIMIT ?)`, now.Add(-keepAnswers).UnixMicro(), pruneRows))
	if err != nil {
		return 0, err
	}
	writes, err := affected(tx.ExecContext(ctx, `DELETE FROM claim WHERE at < ? AND rowid IN
		(SELECT rowid FROM claim ORDER BY rowid LIMIT ?)`, now.Add(-keepHashes).UnixMicro(), pruneRows))
	return max(answers, writes), err
}

// pruneAudit drops the oldest rows and notes the last of them as the chain's
// start. The newest row always stays.
func pruneAudit(ctx context.Context, tx *sql.Tx, now time.Time) (n int64, err error) {
	start, n, err := oldRows(ctx, tx, now.Add(-keepAudit).UnixMicro())
	if err != nil || n == 0 {
		return 0, err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM audit WHERE seq <= ?", start.seq); err != nil {
		return 0, err
	}
	_, err = tx.ExecContext(ctx, "UPDATE chain SET seq = ?, hash = ?, why = ?", start.seq, start.hash, string(StartPruned))
	return n, err
}

// oldRows gives the last of the first rows that are all older than the limit,
// and how many they are.
func oldRows(ctx context.Context, tx *sql.Tx, limit int64) (last mark, n int64, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT seq, hash, at FROM audit
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

func affected(r sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return r.RowsAffected()
}
