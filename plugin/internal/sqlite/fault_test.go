package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
	"github.com/mnote-dev/mnote-host/tools"
)

func TestCoded(t *testing.T) {
	t.Parallel()
	coded := tools.Errorf(tools.CodeConflict, tools.Text{ZH: "冲突", EN: "conflict"})
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"already coded":     {fmt.Errorf("in a transaction: %w", coded), string(tools.CodeConflict)},
		"cancelled":         {context.Canceled, string(tools.CodeCancelled)},
		"deadline":          {fmt.Errorf("begin: %w", context.DeadlineExceeded), "busy"},
		"full disk":         {full(t), "storage"},
		"newer program":     {&sqlite.NewerError{Path: "x", Have: 3, Known: 2}, "no_state"},
		"anything else":     {errors.New("permission denied"), "no_state"},
		"a statement fault": {statementFault(t), "no_state"},
	} {
		err := sqlite.Coded(c.err)
		if got := reason(err); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		for _, lang := range []tools.Lang{tools.ZH, tools.EN} {
			if tools.AsError(err).In(lang).Message == "" {
				t.Errorf("%s has no text in %s", name, lang)
			}
		}
	}
	if sqlite.Coded(nil) != nil {
		t.Error("nil became an error")
	}
	if m := tools.AsError(sqlite.Coded(errors.New("x"))).In(tools.EN).Message; !strings.Contains(m, "--state") {
		t.Errorf("what to do is not said: %s", m)
	}
}

// full gives what SQLite says when it may not add another page.
func full(tb testing.TB) error {
	db := mustOpen(tb, sqlite.Config{Path: filepath.Join(tb.TempDir(), "state.db"), Migrations: schema(2)})
	if err := run(db, "PRAGMA max_page_count = 4"); err != nil {
		tb.Fatal(err)
	}
	err := db.Full(tb.Context(), func(tx *sqlite.Tx) error {
		_, err := tx.Exec("INSERT INTO note(text) VALUES (hex(randomblob(100000)))")
		return err
	})
	if !sqlite.IsFull(err) {
		tb.Errorf("not full: %v", err)
	}
	return err
}

func statementFault(tb testing.TB) error {
	db := mustOpen(tb, sqlite.Config{Path: filepath.Join(tb.TempDir(), "state.db")})
	err := run(db, "SELECT * FROM nowhere")
	if err == nil || sqlite.IsBusy(err) || sqlite.IsCorrupt(err) || sqlite.IsFull(err) {
		tb.Errorf("told wrongly: %v", err)
	}
	return err
}
