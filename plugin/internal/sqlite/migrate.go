package sqlite

import (
	"context"
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
func migrate(ctx context.Context, d *DB, steps []string) (newer *NewerError, err error) {
	have := 0
	err = d.View(ctx, func(tx *Tx) (err error) { have, err = version(tx); return err })
	if err != nil || have == len(steps) {
		return nil, err
	}
	if have > len(steps) {
		return &NewerError{Path: d.path, Have: have, Known: len(steps)}, nil
	}
	return nil, d.Full(ctx, func(tx *Tx) error {
		// What a large file takes may be longer than the call has that opens it, and
		// undone it would be begun anew by each. Only the wait for the lock ends.
		tx.ctx = context.WithoutCancel(ctx)
		// Another process may have been first: look again under the lock.
		have, err := version(tx)
		for n := have; err == nil && n < len(steps); n++ {
			if _, err = tx.Exec(steps[n]); err != nil {
				return fmt.Errorf("migrate to version %d: %w", n+1, err)
			}
			_, err = tx.Exec(fmt.Sprintf("PRAGMA user_version = %d", n+1))
		}
		return err
	})
}

func version(tx *Tx) (n int, err error) {
	err = tx.Row("PRAGMA user_version").Scan(&n)
	return n, err
}
