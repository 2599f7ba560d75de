package store

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
)

// Switches is switches.db, one for each user. It is safe for concurrent use.
type Switches struct {
	path string
	file *sqlite.File
}

// NewSwitches gives the switches of a state folder. The file is made with the
// first switch that is turned.
func NewSwitches(stateDir string, c Config) *Switches {
	path := filepath.Join(stateDir, "switches.db")
	return &Switches{path: path, file: &sqlite.File{
		Config: sqlite.Config{Path: path, Migrations: steps("switches"), Now: c.Now, Log: c.Log},
	}}
}

// Close lets the database go.
func (s *Switches) Close() error { return s.file.Close() }

// Switched is the state of the switches for one profile.
type Switched struct {
	// Generation grows with every turn of any switch.
	Generation int64
	// Packs holds the packs that a person turned, by id.
	Packs map[string]bool
	// ToolsOff holds the tools that are off by themselves in this profile.
	ToolsOff map[string]bool
}

// Load reads the switches of a profile; without a file nothing was turned.
func (s *Switches) Load(ctx context.Context, profile string) (Switched, error) {
	out := Switched{}
	if _, err := os.Stat(s.path); errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return out, nil
	}
	err := s.file.View(ctx, func(tx *sql.Tx) error {
		out = Switched{Packs: map[string]bool{}, ToolsOff: map[string]bool{}}
		t := &Tx{ctx: ctx, tx: tx}
		if _, err := t.one(`SELECT value FROM meta WHERE name = 'generation'`, nil, &out.Generation); err != nil {
			return err
		}
		return t.loadSwitches(profile, &out)
	})
	return out, err
}

const preferenceHead, preferenceTail = "ai.agent.mnote_builtin.skill.", ".enabled"

func (t *Tx) loadSwitches(profile string, out *Switched) error {
	type preference struct{ name, value string }
	list, err := each(t, func(rows *sql.Rows, p *preference) error { return rows.Scan(&p.name, &p.value) },
		`SELECT name, value FROM preference`)
	if err != nil {
		return err
	}
	for _, p := range list {
		if len(p.name) > len(preferenceHead)+len(preferenceTail) {
			out.Packs[p.name[len(preferenceHead):len(p.name)-len(preferenceTail)]] = p.value == "true"
		}
	}
	off, err := each(t, scanString, `SELECT tool FROM disabled_tool WHERE profile = ?`, profile)
	for _, tool := range off {
		out.ToolsOff[tool] = true
	}
	return err
}

// SetPack turns a pack on or off for the user.
func (s *Switches) SetPack(ctx context.Context, id string, on bool) error {
	value := "false"
	if on {
		value = "true"
	}
	return s.turn(ctx, `INSERT INTO preference (name, value) VALUES (?, ?)
		ON CONFLICT DO UPDATE SET value = excluded.value WHERE value <> excluded.value`, preferenceHead+id+preferenceTail, value)
}

// SetTool turns one tool on or off in a profile.
func (s *Switches) SetTool(ctx context.Context, profile, tool string, on bool) error {
	if on {
		return s.turn(ctx, `DELETE FROM disabled_tool WHERE profile = ? AND tool = ?`, profile, tool)
	}
	return s.turn(ctx, `INSERT INTO disabled_tool (profile, tool) VALUES (?, ?) ON CONFLICT DO NOTHING`, profile, tool)
}

// turn makes one change; only a real one makes a generation.
func (s *Switches) turn(ctx context.Context, query string, args ...any) error {
	return s.file.Full(ctx, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, query, args...)
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); n == 0 || err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `UPDATE meta SET value = value + 1 WHERE name = 'generation'`)
		return err
	})
}
