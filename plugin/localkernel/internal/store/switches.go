package store

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin/internal/file"
	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
	"github.com/mnote-dev/mnote-host/tools"
)

// Switches is switches.db, one for each user. It is safe for concurrent use.
//
// A file that is gone, emptied, damaged or older than the last turn has lost what
// a person switched off. Nobody can tell what that was, so that then nothing is on
// until a person says so again.
type Switches struct {
	path  string
	file  *sqlite.File
	turns turns
	log   zerolog.Logger
	// marked is the last generation that was counted, or could not be.
	marked atomic.Int64
}

// NewSwitches gives the switches of a state folder. The file is made with the
// first switch that is turned.
func NewSwitches(stateDir string, c Config) *Switches {
	path := filepath.Join(stateDir, "switches.db")
	return &Switches{path: path, turns: turns{stateDir}, log: c.Log, file: &sqlite.File{
		Config: sqlite.Config{Path: path, Migrations: steps("switches"), Now: c.Now, Log: c.Log, Alone: true},
	}}
}

// Close lets the database go.
func (s *Switches) Close() error { return s.file.Close() }

// Switched is the state of the switches for one profile.
type Switched struct {
	// Generation grows with every turn of any switch.
	Generation int64
	// Lost says that what was switched before is not known any more: what no
	// person turned since is off.
	Lost bool
	// Packs holds the packs that a person turned, by id.
	Packs map[string]bool
	// ToolsOff holds the tools that are off by themselves in this profile.
	ToolsOff map[string]bool
}

// Load reads the switches of a profile; where none was ever turned there is no
// file.
func (s *Switches) Load(ctx context.Context, profile string) (Switched, error) {
	count, even := s.turns.read() // before the file is read: it may only be behind it
	out, err := Switched{}, error(nil)
	if !s.gone() {
		if out, err = s.read(ctx, profile); err != nil {
			return out, err
		}
	}
	if s.lost(out.Generation, count) {
		out = Switched{Generation: max(count, 1), Lost: true} // 1: a file set aside before there was a count
	}
	if out.Generation > count || !even {
		s.mark(out.Generation)
	}
	return out, nil
}

// lost reports whether a file of this generation is not the one whose turns were
// counted.
func (s *Switches) lost(generation, count int64) bool {
	return generation < count || generation == 0 && s.setAside()
}

func (s *Switches) setAside() bool {
	old, err := filepath.Glob(s.path + ".corrupt-*")
	return err == nil && len(old) > 0
}

// gone reports whether there is no file, or nothing in it.
func (s *Switches) gone() bool {
	info, err := os.Stat(s.path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	}
	return info.Mode().IsRegular() && info.Size() == 0
}

// mark keeps the count of turns. Where it cannot be kept the switches still
// hold, and only their loss would not be noticed; that is said once.
func (s *Switches) mark(generation int64) {
	before := s.marked.Swap(generation)
	if err := s.turns.keep(generation); err != nil && before != generation {
		s.log.Warn().Err(err).Msg("the count of switches turned cannot be kept")
	}
}

func (s *Switches) read(ctx context.Context, profile string) (Switched, error) {
	var out Switched
	err := s.file.View(ctx, func(tx *sqlite.Tx) error {
		out = Switched{Packs: map[string]bool{}, ToolsOff: map[string]bool{}}
		t := &Tx{tx: tx}
		if err := t.meta(&out); err != nil {
			return err
		}
		return t.loadSwitches(profile, &out)
	})
	return out, unread(err)
}

// meta reads what is true of all profiles.
func (t *Tx) meta(out *Switched) error {
	var lost int64
	_, err := t.one(`SELECT value FROM meta WHERE name = 'generation'`, nil, &out.Generation)
	if err == nil {
		_, err = t.one(`SELECT value FROM meta WHERE name = 'lost'`, nil, &lost)
	}
	out.Lost = lost != 0
	return err
}

// unread says of a file that cannot be used what follows from it; one that is
// only held by another process says so itself.
func unread(err error) error {
	coded, ok := errors.AsType[*tools.Error](err)
	if !ok || coded.Code != tools.CodeKernelUnavailable || coded.Details["reason"] != "no_state" {
		return err
	}
	return capabilities.Unread().Because(err)
}

const preferenceHead, preferenceTail = "ai.agent.mnote_builtin.skill.", ".enabled"

func (t *Tx) loadSwitches(profile string, out *Switched) error {
	type preference struct{ name, value string }
	list, err := each(t, func(row sqlite.Row, p *preference) error { return row.Scan(&p.name, &p.value) },
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

// turn makes one change; only a real one makes a generation. After a loss all
// begins anew, with nothing on.
func (s *Switches) turn(ctx context.Context, query string, args ...any) error {
	return s.write(ctx, func(t *Tx, lost bool) (bool, error) {
		if lost {
			if err := t.clearSwitches(); err != nil {
				return false, err
			}
			if err := t.exec(`INSERT INTO meta (name, value) VALUES ('lost', 1)`); err != nil {
				return false, err
			}
		}
		n, err := t.tx.Exec(query, args...)
		return n > 0 || lost, err
	})
}

// Reset puts every switch of every profile back to what the manifest says, and
// ends a loss.
func (s *Switches) Reset(ctx context.Context) error {
	return s.write(ctx, func(t *Tx, _ bool) (bool, error) { return true, t.clearSwitches() })
}

// clearSwitches takes out all that was turned.
func (t *Tx) clearSwitches() error {
	return cmp.Or(
		t.exec(`DELETE FROM preference`), t.exec(`DELETE FROM disabled_tool`), t.exec(`DELETE FROM meta WHERE name = 'lost'`),
	)
}

// turnPatience bounds the wait for another process that turns a switch.
const turnPatience = 10 * time.Second

// alone takes the turn among all processes that turn a switch: of a file that is
// gone only one may make the next.
func (s *Switches) alone(ctx context.Context) (unlock func(), err error) {
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, turnPatience)
	defer cancel()
	return file.Lock(ctx, s.turns.lock())
}

// write makes a change that is durable when it returns, and counts it. The
// generation goes on from the count, so that after a loss it is a new one.
func (s *Switches) write(ctx context.Context, change func(t *Tx, lost bool) (bool, error)) error {
	unlock, err := s.alone(ctx)
	if err != nil {
		return unread(sqlite.Coded(err))
	}
	defer unlock()
	count, made := s.turns.count(), int64(0)
	if count > 0 && s.gone() {
		// An emptied file is made anew under its name: who has it open may hold
		// pages that the new ones cannot be told from.
		_ = errors.Join(s.file.Close(), os.Remove(s.path))
	}
	err = s.file.Full(ctx, func(tx *sqlite.Tx) error {
		t, now := &Tx{tx: tx}, Switched{}
		made = 0
		if err := t.meta(&now); err != nil {
			return err
		}
		changed, err := change(t, s.lost(now.Generation, count))
		if err != nil || !changed {
			return err
		}
		made = max(now.Generation, count) + 1
		return t.exec(`INSERT INTO meta (name, value) VALUES ('generation', ?) ON CONFLICT DO UPDATE SET value = excluded.value`, made)
	})
	if err == nil && made > 0 {
		s.mark(made)
	}
	return unread(err)
}
