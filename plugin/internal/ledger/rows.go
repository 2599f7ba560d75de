package ledger

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
)

// Filter narrows the rows; the zero Filter gives them all, oldest first.
type Filter struct {
	// Since and Until bound the time of recording; zero is open.
	Since, Until                     time.Time
	Session, Command, Document, Tool string
	Profile                          string
	// Calls leaves out the rows that are no call of a tool: a person's own.
	Calls bool
	// Newest gives the newest rows first.
	Newest bool
	// After continues behind the row with this Seq, in the order asked for.
	After int64
	// Limit ends after so many rows; 0 is no limit.
	Limit int
}

// page is how many rows one look at the file takes, so that a slow reader never
// keeps the only connection from a call.
const page = 256

// Rows gives the audit's rows, those that wait for the batch included. An error
// ends them.
func (l *Ledger) Rows(ctx context.Context, f Filter) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		if l.file == nil {
			yield(Row{}, errNoState())
			return
		}
		_ = l.flush(ctx, false) // what cannot be written is not there to be read
		for left := f.Limit; ; {
			n := page
			if f.Limit > 0 {
				n = min(n, left)
			}
			records, err := l.records(ctx, f, n)
			if err != nil {
				yield(Row{}, err)
				return
			}
			for _, r := range records {
				row, err := r.row()
				if !yield(row, err) || err != nil {
					return
				}
				f.After = r.seq
			}
			left -= len(records)
			if len(records) < n || f.Limit > 0 && left == 0 {
				return
			}
		}
	}
}

// Export writes the rows as JSON lines.
func (l *Ledger) Export(ctx context.Context, w io.Writer, f Filter) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	for row, err := range l.Rows(ctx, f) {
		if err != nil {
			return err
		}
		if err := e.Encode(row); err != nil {
			return err
		}
	}
	return nil
}

func (l *Ledger) records(ctx context.Context, f Filter, n int) (out []record, err error) {
	query, args := f.query(n)
	err = l.file.View(ctx, func(tx *sqlite.Tx) error {
		out, err = scan(tx, query, args)
		return err
	})
	return out, err
}

func scan(tx *sqlite.Tx, query string, args []any) (out []record, err error) {
	for row := range tx.Search(query, args...) {
		var r record
		if err := row.Scan(r.targets()...); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

func (f Filter) query(n int) (string, []any) {
	var where []string
	var args []any
	add := func(condition string, arg any) {
		where = append(where, condition)
		args = append(args, arg)
	}
	order, behind := "ASC", "seq > ?"
	if f.Newest {
		order, behind = "DESC", "seq < ?"
	}
	if f.After != 0 {
		add(behind, f.After)
	}
	if !f.Since.IsZero() {
		add("at >= ?", f.Since.UnixMicro())
	}
	if !f.Until.IsZero() {
		add("at < ?", f.Until.UnixMicro())
	}
	if f.Calls {
		where = append(where, "tool NOT LIKE 'mnote.capability.%'")
	}
	for _, is := range []struct{ column, want string }{ // in one order: one filter is one statement, parsed once
		{"session", f.Session}, {"command", f.Command}, {"document", f.Document}, {"tool", f.Tool}, {"profile", f.Profile},
	} {
		if is.want != "" {
			add(is.column+" = ?", is.want)
		}
	}
	if f.Command != "" { // as the index is, which has none but those
		where = append(where, "command <> ''")
	}
	if f.Session == "" && f.Command == "" {
		return selectRows(where, order), append(args, n)
	}
	// By the indexes, and what is not yet in them.
	found, fresh := append(where[:len(where):len(where)], "fresh = 0"), append(where, "fresh = 1", "seq > (SELECT found FROM chain)")
	return "SELECT * FROM (" + selectRows(found, order) + ") UNION ALL SELECT * FROM (" + selectRows(fresh, order) + ") ORDER BY seq " + order + " LIMIT ?",
		slices.Concat(args, []any{n}, args, []any{n, n})
}

func selectRows(where []string, order string) string {
	query := "SELECT seq, " + columns + ", prev, hash FROM audit"
	if where != nil {
		query += " WHERE " + strings.Join(where, " AND ")
	}
	return query + " ORDER BY seq " + order + " LIMIT ?"
}
