package store

import (
	"context"
	"embed"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
)

//go:embed state/*.sql switches/*.sql
var migrations embed.FS

func steps(dir string) fs.FS {
	sub, _ := fs.Sub(migrations, dir) // embedded: cannot fail
	return sub
}

// Config says where a State lies and how it behaves.
type Config struct {
	// Dir is the workspace's folder in the state folder.
	Dir string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Keep is how many revisions of a document are kept at least; 0 is 200.
	// Those of the last 30 days are kept beside, and the one before them.
	Keep int
	// FirstRevision gives the revision of the first document seen in a fresh
	// file: after a loss it must lie above all that were ever told. nil is 1.
	FirstRevision func() int64
	// Log gets a warning when a damaged file is set aside.
	Log zerolog.Logger
}

// State is one workspace's state.db. It is safe for concurrent use.
type State struct {
	config Config
	writer *sqlite.File
	reader *sqlite.File // a connection of its own: no reader waits for a writer
}

// NewState gives a state that opens with its first transaction.
func NewState(c Config) *State {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Keep <= 0 {
		c.Keep = 200
	}
	file := sqlite.Config{Path: filepath.Join(c.Dir, "state.db"), Migrations: steps("state"), Now: c.Now, Log: c.Log}
	return &State{config: c, writer: &sqlite.File{Config: file}, reader: &sqlite.File{Config: file}}
}

// Close lets the database go; a later use opens it again.
func (s *State) Close() error { return errors.Join(s.reader.Close(), s.writer.Close()) }

// Tx is one transaction on the state, at one instant of the clock.
type Tx struct {
	tx  *sqlite.Tx
	s   *State
	now time.Time
}

// Now gives the transaction's instant.
func (t *Tx) Now() time.Time { return t.now }

// View runs f on one view of the state; it waits for no writer.
func (s *State) View(ctx context.Context, f func(*Tx) error) error {
	return s.reader.View(ctx, s.bind(f))
}

// Update runs f alone among all processes and commits when f gives nil. f may
// run twice. A power cut may lose it.
func (s *State) Update(ctx context.Context, f func(*Tx) error) error {
	return s.writer.Normal(ctx, s.bind(f))
}

// Durable is Update whose commit is on the disk when it returns.
func (s *State) Durable(ctx context.Context, f func(*Tx) error) error {
	return s.writer.Full(ctx, s.bind(f))
}

func (s *State) bind(f func(*Tx) error) func(*sqlite.Tx) error {
	return func(tx *sqlite.Tx) error { return f(&Tx{tx: tx, s: s, now: s.config.Now()}) }
}

func (t *Tx) exec(query string, args ...any) error {
	_, err := t.tx.Exec(query, args...)
	return err
}

// one scans one row; found is false when there is none.
func (t *Tx) one(query string, args []any, into ...any) (found bool, err error) {
	err = t.tx.Row(query, args...).Scan(into...)
	if errors.Is(err, sqlite.ErrNoRow) {
		return false, nil
	}
	return err == nil, err
}

// each scans every row into a fresh value.
func each[T any](t *Tx, scan func(sqlite.Row, *T) error, query string, args ...any) ([]T, error) {
	var list []T
	for row := range t.tx.Rows(query, args...) {
		var v T
		if err := scan(row, &v); err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

func micros(t time.Time) int64 { return t.UnixMicro() }

func fromMicros(n int64) time.Time { return time.UnixMicro(n).UTC() }
