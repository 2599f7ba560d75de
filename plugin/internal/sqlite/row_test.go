package sqlite_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
)

type (
	word  string
	count int
	blob  []byte
)

type scanned struct {
	Text   string
	Word   word
	Number int64
	Count  count
	Yes    bool
	Bytes  []byte
	Digits string
	None   []byte
	Empty  []byte
	Blank  string
}

// What goes in as an argument comes out of a row as it was.
func TestRowGivesWhatWasPut(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, sqlite.Config{Path: filepath.Join(t.TempDir(), "state.db")})
	want := scanned{Text: "a\x00笔记", Word: "w", Number: -1 << 62, Count: 7, Yes: true, Bytes: []byte{0, 1, 255}, Digits: "42", Empty: []byte{}}
	var got scanned
	err := db.View(t.Context(), func(tx *sqlite.Tx) error {
		return tx.Row("SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?", want.Text, want.Word, want.Number, want.Count, want.Yes, want.Bytes, 42, nil, want.Empty, want.Blank).
			Scan(&got.Text, &got.Word, &got.Number, &got.Count, &got.Yes, &got.Bytes, &got.Digits, &got.None, &got.Empty, &got.Blank)
	})
	if d := cmp.Diff(want, got); d != "" || err != nil {
		t.Errorf("%s, %v", d, err)
	}
}

func TestRowRefusesWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, sqlite.Config{Path: filepath.Join(t.TempDir(), "state.db")})
	for name, c := range map[string]struct {
		query string
		into  any
	}{
		"text into a number":  {"SELECT 'x'", new(int64)},
		"two into a bool":     {"SELECT 2", new(bool)},
		"nothing into a text": {"SELECT NULL", new(string)},
		"a float":             {"SELECT 1.5", new(count)},
		"a float, a text":     {"SELECT 1.5", new(string)},
		"no pointer":          {"SELECT 1", 1},
		"a nil pointer":       {"SELECT 1", (*count)(nil)},
		"nothing":             {"SELECT 1", nil},
	} {
		err := db.View(t.Context(), func(tx *sqlite.Tx) error { return tx.Row(c.query).Scan(c.into) })
		if err == nil || !strings.Contains(err.Error(), "column 1") {
			t.Errorf("%s: %v", name, err)
		}
	}
	var a, b string
	for name, c := range map[string]struct {
		run  func(tx *sqlite.Tx) error
		want string
	}{
		"too many places":   {func(tx *sqlite.Tx) error { return tx.Row("SELECT 1").Scan(&a, &b) }, "1 columns into 2 places"},
		"a strange value":   {func(tx *sqlite.Tx) error { return tx.Row("SELECT ?", blob{1}).Scan(&a) }, "argument 1"},
		"an argument short": {func(tx *sqlite.Tx) error { return tx.Row("SELECT ?").Scan(&a) }, "0 arguments for 1 places"},
	} {
		if err := db.View(t.Context(), c.run); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := db.View(t.Context(), func(tx *sqlite.Tx) error { return tx.Row("SELECT 1 WHERE 0").Scan(&a) }); !errors.Is(err, sqlite.ErrNoRow) {
		t.Errorf("no row: %v", err)
	}
}

// A statement keeps its space for the next arguments, and gives back what is
// much; what it was given before does not show through.
func TestLargeAndSmallArguments(t *testing.T) {
	t.Parallel()
	db := mustOpen(t, sqlite.Config{Path: filepath.Join(t.TempDir(), "state.db"), Migrations: schema(2)})
	const put = "INSERT INTO note (text) VALUES (?) RETURNING id, text"
	for _, size := range []int{1, 1 << 20, 0, 100, 64 << 10, 3} {
		want := strings.Repeat("笔", size)
		err := db.Normal(t.Context(), func(tx *sqlite.Tx) error {
			var id int64
			var got, again string
			if err := tx.Row(put, want).Scan(&id, &got); err != nil {
				return err
			}
			err := tx.Row("SELECT text FROM note WHERE id = ?", id).Scan(&again)
			if got != want || again != want {
				t.Errorf("of %d bytes %d and %d came back", len(want), len(got), len(again))
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}
}
