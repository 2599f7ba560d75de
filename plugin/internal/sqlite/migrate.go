package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// readMigrations gives the SQL of each step, the first at index 0.
func readMigrations(f fs.FS) ([]string, error) {
	if f == nil {
		return nil, nil
	}
	names, err := fs.Glob(f, "*.sql") // sorted by name
	if err != nil {
		return nil, err
	}
	steps := make([]string, 0, len(names))
	for i, name := range names {
		number, _, _ := strings.Cut(name, "_")
		if n, err := strconv.Atoi(number); err != nil || n != i+1 {
			return nil, fmt.Errorf("migration %s should begin with %04d_", name, i+1)
		}
		text, err := fs.ReadFile(f, name)
		if err != nil {
			return nil, err
		}
		steps = append(steps, string(text))
	}
	return steps, nil
}

// migrate brings the file to the newest version, or tells that it is newer
// than that.
func migrate(ctx context.Context, d *DB, steps []string) (*NewerError, error) {
	have, err := version(ctx, d.DB)
	if err != nil || have == len(steps) {
		return nil, err
	}
	if have > len(steps) {
		return &NewerError{Path: d.path, Have: have, Known: len(steps)}, nil
	}
	return nil, d.Full(ctx, func(tx *sql.Tx) error {
		// Another process may have been first: look again under the lock.
		have, err := version(ctx, tx)
		for n := have; err == nil && n < len(steps); n++ {
			if _, err = tx.ExecContext(ctx, steps[n]); err != nil {
				return fmt.Errorf("migrate to version %d: %w", n+1, err)
			}
			_, err = tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", n+1))
		}
		return err
	})
}

func version(ctx context.Context, q interface {
	QueryRowContext(context.Context, string, ...any) *sql.Row
}) (n int, err error) {
	err = q.QueryRowContext(ctx, "PRAGMA user_version").Scan(&n)
	return n, err
}
