package ledger_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
	"github.com/mnote-dev/mnote-host/tools"
)

// Without a usable state folder every write is refused, naming doctor, and what
// a read needs goes on.
func TestNoState(t *testing.T) {
	t.Parallel()
	below := filepath.Join(t.TempDir(), "file")
	check(t, os.WriteFile(below, nil, 0o600))
	for name, path := range map[string]string{
		"no folder at all": "", "below a file": filepath.Join(below, "host.db"), "a folder": t.TempDir(),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			now := newClock()
			l := ledger.Open(ledger.Config{Path: path, Now: now.now})
			w := write("k", now.now())
			c, _, err := l.Claim(t.Context(), w)
			_, err2 := l.Find(t.Context(), w)
			_, err3 := l.MatchInDoubt(t.Context(), w)
			for _, err := range []error{err, err2, err3} {
				if got, want := code(err), string(tools.CodeKernelUnavailable)+" no_state"; c != nil || got != want {
					t.Errorf("got %v, %s", c, got)
				}
				if m := tools.AsError(err).In(tools.EN).Message; !strings.Contains(m, "--state") {
					t.Errorf("it does not say how to name a folder: %s", m)
				}
			}
			check(t, l.Empty().Finish(t.Context(), answer("x"), read("1")))
			l.Record(t.Context(), read("2"))
			l.Record(t.Context(), refused("3"))
			l.Delivered("1")
			if path != "" {
				if err := l.Close(); err == nil {
					t.Error("Close does not tell that rows are lost")
				}
			}
		})
	}
}

// What could not be recorded is recorded when the folder comes back.
func TestStateComesBack(t *testing.T) {
	t.Parallel()
	inTheWay := filepath.Join(t.TempDir(), "state")
	check(t, os.WriteFile(inTheWay, nil, 0o600))
	l := open(t, filepath.Join(inTheWay, "host.db"), nil)
	l.Record(t.Context(), refused("1"))
	l.Record(t.Context(), read("2"))
	check(t, os.Remove(inTheWay))
	if d := cmp.Diff([]string{"1", "2"}, calls(t, l, ledger.Filter{})); d != "" {
		t.Error(d)
	}
}

// A damaged file is set aside with a warning; the call that met it goes on with
// a fresh one, and the audit says that rows were lost.
func TestCorruptFile(t *testing.T) {
	t.Parallel()
	path, now := dbPath(t), newClock()
	tenWrites(t, path, now)
	check(t, os.WriteFile(path, bytes.Repeat([]byte("garbage "), 4096), 0o600))
	var log strings.Builder
	l := ledger.Open(ledger.Config{Path: path, Now: now.now, Log: zerolog.New(&log)})
	mustFinish(t, mustClaim(t, l, write("k", now.now())), "c1")
	got, err := l.Verify(t.Context())
	check(t, err)
	if d := cmp.Diff(ledger.Chain{Rows: 1, First: 11, Last: 11, Head: 11, Start: ledger.StartLost}, got); d != "" {
		t.Error(d)
	}
	check(t, l.Close())
	aside := path + ".corrupt-20261130T120000Z"
	if _, err := os.Stat(aside); err != nil || !strings.Contains(log.String(), aside) {
		t.Errorf("%v; log: %s", err, log.String())
	}
}

// A file from a newer program can be read and not be written.
func TestNewerFile(t *testing.T) {
	t.Parallel()
	path, now := dbPath(t), newClock()
	tenWrites(t, path, now)
	tamper(t, path, "PRAGMA user_version = 99")
	l := ledger.Open(ledger.Config{Path: path, Now: now.now})
	if _, _, err := l.Claim(t.Context(), write("k", now.now())); code(err) != string(tools.CodeKernelUnavailable)+" no_state" {
		t.Errorf("claim: %v", err)
	}
	if got, err := l.Find(t.Context(), write("3", now.now())); got == nil || err != nil {
		t.Errorf("find: %v, %v", got, err)
	}
	l.Record(t.Context(), refused("1"))
	if got := len(calls(t, l, ledger.Filter{})); got != 10 {
		t.Errorf("%d rows", got)
	}
	if v, err := l.Verify(t.Context()); err != nil || v.Rows != 10 || v.Broken != nil {
		t.Errorf("%+v, %v", v, err)
	}
}
