package ledger_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
)

// tamper changes the file behind the ledger's back.
func tamper(tb testing.TB, path string, statements ...string) {
	tb.Helper()
	// A folder of migrations as long as the ledger's: the version must fit.
	f := &sqlite.File{Config: sqlite.Config{Path: path, Migrations: os.DirFS("schema")}}
	defer f.Close()
	check(tb, f.Full(tb.Context(), func(tx *sqlite.Tx) error {
		for _, s := range statements {
			if _, err := tx.Exec(s); err != nil {
				return fmt.Errorf("%s: %w", s, err)
			}
		}
		return nil
	}))
}

// tenWrites leaves a closed ledger with rows 1 to 10.
func tenWrites(tb testing.TB, path string, c *clock) {
	tb.Helper()
	l := ledger.Open(ledger.Config{Path: path, Now: c.now})
	for i := range 10 {
		mustFinish(tb, mustClaim(tb, l, write(fmt.Sprint(i), c.now())), fmt.Sprint(i))
	}
	check(tb, l.Close())
}

func TestVerifyNamesTheFirstBrokenRow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   []string
		want *ledger.Break
	}{
		"nothing":                {nil, nil},
		"a claim is no audit":    {[]string{"DELETE FROM claim"}, nil},
		"session altered":        {[]string{"UPDATE audit SET session = 's_9' WHERE seq = 4"}, &ledger.Break{Seq: 4, Kind: ledger.Altered}},
		"time altered":           {[]string{"UPDATE audit SET at = at + 1 WHERE seq = 10"}, &ledger.Break{Seq: 10, Kind: ledger.Altered}},
		"hash altered":           {[]string{"UPDATE audit SET hash = zeroblob(32) WHERE seq = 2"}, &ledger.Break{Seq: 2, Kind: ledger.Altered}},
		"prev altered":           {[]string{"UPDATE audit SET prev = zeroblob(32) WHERE seq = 2"}, &ledger.Break{Seq: 2, Kind: ledger.Altered}},
		"one column to another":  {[]string{"UPDATE audit SET session = run, run = session WHERE seq = 3"}, &ledger.Break{Seq: 3, Kind: ledger.Altered}},
		"first dropped":          {[]string{"DELETE FROM audit WHERE seq = 1"}, &ledger.Break{Seq: 1, Kind: ledger.Dropped}},
		"middle dropped":         {[]string{"DELETE FROM audit WHERE seq IN (5, 6)"}, &ledger.Break{Seq: 5, Kind: ledger.Dropped}},
		"dropped and closed up":  {[]string{"DELETE FROM audit WHERE seq = 5", "UPDATE audit SET seq = -seq WHERE seq > 5", "UPDATE audit SET seq = -seq - 1 WHERE seq < 0"}, &ledger.Break{Seq: 5, Kind: ledger.Dropped}},
		"reordered":              {[]string{"UPDATE audit SET seq = 99 WHERE seq = 6", "UPDATE audit SET seq = 6 WHERE seq = 7", "UPDATE audit SET seq = 7 WHERE seq = 99"}, &ledger.Break{Seq: 6, Kind: ledger.Reordered}},
		"first moved to the end": {[]string{"UPDATE audit SET seq = 11 WHERE seq = 1", "UPDATE audit SET seq = -seq", "UPDATE audit SET seq = -seq - 1"}, &ledger.Break{Seq: 1, Kind: ledger.Reordered}},
		"last cut off":           {[]string{"DELETE FROM audit WHERE seq = 10"}, &ledger.Break{Seq: 10, Kind: ledger.Truncated}},
		"tail cut off":           {[]string{"DELETE FROM audit WHERE seq > 3"}, &ledger.Break{Seq: 4, Kind: ledger.Truncated}},
		"all cut off":            {[]string{"DELETE FROM audit"}, &ledger.Break{Seq: 1, Kind: ledger.Truncated}},
		"altered and cut off":    {[]string{"UPDATE audit SET code = 'x' WHERE seq = 2", "DELETE FROM audit WHERE seq > 8"}, &ledger.Break{Seq: 2, Kind: ledger.Altered}},
		"a yes put in":           {[]string{"UPDATE audit SET agreed = 'console' WHERE seq = 4"}, &ledger.Break{Seq: 4, Kind: ledger.Altered}},
		"start moved":            {[]string{"UPDATE chain SET seq = 2"}, &ledger.Break{Seq: 3, Kind: ledger.Reordered}},
		"a row put in":           {[]string{"INSERT INTO audit SELECT 11, at, session, run, tool_call, trace, actor, profile, agent, kernel, workspace, document, tool, kind, scopes, dry_run, effect, code, command, changed, args_hash, key_hash, duration, replayed, prev, hash, agreed, fresh FROM audit WHERE seq = 10"}, &ledger.Break{Seq: 11, Kind: ledger.Reordered}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, now := dbPath(t), newClock()
			tenWrites(t, path, now)
			tamper(t, path, c.do...)
			got, err := open(t, path, now).Verify(t.Context())
			check(t, err)
			if d := cmp.Diff(c.want, got.Broken); d != "" {
				t.Errorf("%s\n%+v", d, got)
			}
			if got.Head != 10 || got.Start != ledger.StartNew {
				t.Errorf("%+v", got)
			}
		})
	}
}

// A row that cannot be read ends the rows with an error; it is not passed over.
func TestUnreadableRowIsAnError(t *testing.T) {
	t.Parallel()
	for _, column := range []string{"scopes", "changed"} {
		path, now := dbPath(t), newClock()
		tenWrites(t, path, now)
		tamper(t, path, "UPDATE audit SET "+column+" = 'no JSON' WHERE seq = 3")
		read := 0
		var last error
		for _, err := range open(t, path, now).Rows(t.Context(), ledger.Filter{}) {
			if last = err; err == nil {
				read++
			}
		}
		if read != 2 || last == nil {
			t.Errorf("%s: %d rows, then %v", column, read, last)
		}
		if err := open(t, path, now).Export(t.Context(), io.Discard, ledger.Filter{}); err == nil {
			t.Errorf("%s: exported", column)
		}
	}
}

// Whoever rewrites the chain from some row on, hashes and all, still has
// audit.head against him.
func TestVerifyHoldsTheChainAgainstTheHead(t *testing.T) {
	t.Parallel()
	path, now := dbPath(t), newClock()
	tenWrites(t, path, now)
	other := dbPath(t)
	now.pass(time.Second)
	tenWrites(t, other, now)
	head := filepath.Join(filepath.Dir(path), "audit.head")
	text, err := os.ReadFile(head)
	check(t, err)
	check(t, os.WriteFile(filepath.Join(filepath.Dir(other), "audit.head"), text, 0o600))
	got, err := open(t, other, now).Verify(t.Context())
	check(t, err)
	if d := cmp.Diff(&ledger.Break{Seq: 10, Kind: ledger.Altered}, got.Broken); d != "" {
		t.Error(d)
	}
}

// Without audit.head nobody can tell whether the newest rows were cut off, and
// that is said: not of a chain so young that its first head may be on the way.
func TestVerifyWithoutAUsableHead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil func(string) error
		later time.Duration
		told  bool
	}{
		"gone":     {os.Remove, time.Minute, true},
		"gone now": {os.Remove, time.Second, false},
		"empty":    {func(p string) error { return os.WriteFile(p, nil, 0o600) }, 0, true},
		"garbage":  {func(p string) error { return os.WriteFile(p, []byte(strings.Repeat("x", 101)), 0o600) }, 0, true},
		"lags": {func(p string) error {
			return os.WriteFile(p, []byte(fmt.Sprintf("mnote-audit v1 %020d %064x\n", 0, 0)), 0o600)
		}, time.Hour, false},
	} {
		path, now := dbPath(t), newClock()
		tenWrites(t, path, now)
		check(t, c.spoil(filepath.Join(filepath.Dir(path), "audit.head")))
		now.pass(c.later)
		l := open(t, path, now)
		got, err := l.Verify(t.Context())
		check(t, err)
		want := ledger.Chain{Rows: 10, First: 1, Last: 10, Start: ledger.StartNew}
		if c.told {
			want.Broken = &ledger.Break{Seq: 11, Kind: ledger.Unmarked}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		mustFinish(t, mustClaim(t, l, write("next", now.now())), "next")
		check(t, l.Close())
		if got, err = open(t, path, now).Verify(t.Context()); err != nil || got.Head != 11 || got.Broken != nil {
			t.Errorf("%s: the next write does not mend it: %+v, %v", name, got, err)
		}
	}
}

// Reads alone may be without a head for two minutes; rows cut off with the head
// are told then too.
func TestVerifyOfReadsWithoutAHead(t *testing.T) {
	t.Parallel()
	path, now := dbPath(t), newClock()
	l := open(t, path, now)
	l.Record(t.Context(), read("1"))
	l.Record(t.Context(), read("2"))
	check(t, l.Close())
	check(t, os.Remove(filepath.Join(filepath.Dir(path), "audit.head")))
	tamper(t, path, "DELETE FROM audit WHERE seq = 2")
	for _, want := range []*ledger.Break{nil, {Seq: 2, Kind: ledger.Unmarked}} {
		got, err := open(t, path, now).Verify(t.Context())
		check(t, err)
		if d := cmp.Diff(want, got.Broken); d != "" {
			t.Error(d)
		}
		now.pass(3 * time.Minute)
	}
}

// A ledger that was never used is no broken one, and is not made by Verify.
func TestVerifyOfNothing(t *testing.T) {
	t.Parallel()
	path := dbPath(t)
	got, err := open(t, path, nil).Verify(t.Context())
	if d := cmp.Diff(ledger.Chain{Start: ledger.StartNew}, got); d != "" || err != nil {
		t.Errorf("%s, %v", d, err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("host.db: %v", err)
	}
}

// A process that only reads leaves its head at Close too.
func TestHeadOfReads(t *testing.T) {
	t.Parallel()
	path := dbPath(t)
	l := open(t, path, nil)
	l.Record(t.Context(), read("1"))
	calls(t, l, ledger.Filter{}) // the row is in the file now, not on the disk
	check(t, l.Close())
	got, err := open(t, path, nil).Verify(t.Context())
	if err != nil || got.Head != 1 || got.Broken != nil {
		t.Errorf("%+v, %v", got, err)
	}
}

// When the file is lost that is a break, and Verify makes no fresh one over it;
// the chain goes on from audit.head, and says so.
func TestLostFileLeavesATrace(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(path string) error{
		"deleted": os.Remove,
		"emptied": func(path string) error { return os.Truncate(path, 0) },
		"recreated": func(path string) error {
			tamper(t, path, "DELETE FROM audit", "DELETE FROM chain")
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			path, now := dbPath(t), newClock()
			tenWrites(t, path, now)
			check(t, lose(path))
			before, _ := os.Stat(path)
			l := open(t, path, now)
			for range 2 {
				got, err := l.Verify(t.Context())
				want := ledger.Chain{Head: 10, Start: ledger.StartLost, Broken: &ledger.Break{Seq: 1, Kind: ledger.Truncated}}
				if d := cmp.Diff(want, got); d != "" || err != nil {
					t.Errorf("before the next row: %s, %v", d, err)
				}
			}
			if after, _ := os.Stat(path); (before == nil) != (after == nil) || before != nil && after.Size() != before.Size() {
				t.Errorf("Verify made a file: %v, was %v", after, before)
			}
			l.Record(t.Context(), refused("1"))
			got, err := l.Verify(t.Context())
			want := ledger.Chain{Rows: 1, First: 11, Last: 11, Head: 10, Start: ledger.StartLost}
			if d := cmp.Diff(want, got); d != "" || err != nil {
				t.Errorf("after it: %s, %v", d, err)
			}
		})
	}
}

// An older copy of the file put back is a truncated one, and stays known as one
// however many rows follow.
func TestOldCopyLeavesAGap(t *testing.T) {
	t.Parallel()
	path, now := dbPath(t), newClock()
	tenWrites(t, path, now)
	tamper(t, path, "DELETE FROM audit WHERE seq > 7")
	l := open(t, path, now)
	for i := range 5 {
		mustFinish(t, mustClaim(t, l, write(fmt.Sprint("new", i), now.now())), fmt.Sprint(i))
	}
	check(t, l.Close())
	got, err := open(t, path, now).Verify(t.Context())
	check(t, err)
	want := ledger.Chain{Rows: 7, First: 1, Last: 7, Head: 15, Start: ledger.StartNew, Broken: &ledger.Break{Seq: 8, Kind: ledger.Dropped}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestAuditHeadIsTheOwnersAlone(t *testing.T) {
	t.Parallel()
	path := dbPath(t)
	tenWrites(t, path, newClock())
	s, err := os.Stat(filepath.Join(filepath.Dir(path), "audit.head"))
	if err != nil || s.Mode().Perm()&0o077 != 0 && filepath.Separator == '/' {
		t.Errorf("%v, %v", s, err)
	}
}

func TestUnusedLedgerStaysOffTheDisk(t *testing.T) {
	t.Parallel()
	path := dbPath(t)
	l := open(t, path, nil)
	l.Delivered("x")
	check(t, l.Close())
	if _, err := os.Stat(filepath.Dir(path)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}
