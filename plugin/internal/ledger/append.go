package ledger

import (
	"errors"
	"strings"

	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
)

// mark is a place in the chain: a row's number and hash.
type mark struct {
	seq  int64
	hash []byte
}

// atOnce is how many rows one statement adds, where there are as many: a batch
// of reads then costs two thirds of what it does row by row.
const atOnce = 16

// append adds rows to the chain and gives its new end. The transaction holds
// the file's write lock, so no other process adds meanwhile. Rows that are fresh
// wait for find to bring them into the indexes.
func (l *Ledger) append(tx *sqlite.Tx, rows []Row, fresh bool) (mark, error) {
	last, err := l.end(tx)
	for err == nil && len(rows) > 0 {
		n := 1
		if len(rows) >= atOnce {
			n = atOnce
		}
		last, err = l.add(tx, last, rows[:n], fresh)
		rows = rows[n:]
	}
	return last, err
}

// add adds one row, or atOnce of them.
func (l *Ledger) add(tx *sqlite.Tx, last mark, rows []Row, fresh bool) (mark, error) {
	args := make([]any, 0, len(rows)*placesOfRow)
	for i := range rows {
		if rows[i].Time.IsZero() {
			rows[i].Time = l.now()
		}
		fields, err := rows[i].fields()
		if err != nil {
			return last, err
		}
		next := mark{last.seq + 1, hashRow(last.hash, fields)}
		args = append(args, next.seq)
		for _, f := range fields {
			args = append(args, f)
		}
		args = append(args, last.hash, next.hash, fresh)
		last = next
	}
	insert := insertOne
	if len(rows) == atOnce {
		insert = insertMany
	}
	_, err := tx.Exec(insert, args...)
	return last, err
}

// placesOfRow is how many values a row has: its number, columns, prev, hash and
// whether it is fresh.
var placesOfRow = strings.Count(columns, ",") + 5

var insertOne, insertMany = insertRows(1), insertRows(atOnce)

func insertRows(n int) string {
	row := ", (?" + strings.Repeat(", ?", placesOfRow-1) + ")"
	return "INSERT INTO audit (seq, " + columns + ", prev, hash, fresh) VALUES " + strings.Repeat(row, n)[2:]
}

// find brings the fresh rows, other processes' too, into the indexes. It is done
// behind the calls, in the transaction of a flush.
func find(tx *sqlite.Tx) error {
	if _, err := tx.Exec("UPDATE audit SET fresh = 0 WHERE seq > (SELECT found FROM chain) AND fresh = 1"); err != nil {
		return err
	}
	_, err := tx.Exec("UPDATE chain SET found = (SELECT coalesce(max(seq), 0) FROM audit)")
	return err
}

// end finds the last row, or where the chain begins. An audit.head that knows a
// later row tells that rows were lost: the chain goes on behind them, so that
// the gap stays to be seen.
func (l *Ledger) end(tx *sqlite.Tx) (last mark, err error) {
	err = tx.Row("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1").Scan(&last.seq, &last.hash)
	if errors.Is(err, sqlite.ErrNoRow) {
		last, err = l.begin(tx)
	}
	if err != nil {
		return mark{}, err
	}
	return l.head.beyond(last), nil
}

// begin gives the start of the chain, and makes it in a new file: where
// audit.head is left of a file before, the chain goes on from there.
func (l *Ledger) begin(tx *sqlite.Tx) (start mark, err error) {
	err = tx.Row("SELECT seq, hash FROM chain").Scan(&start.seq, &start.hash)
	if !errors.Is(err, sqlite.ErrNoRow) {
		return start, err
	}
	start, why := mark{0, make([]byte, 32)}, StartNew
	if head, err := l.head.read(); err == nil {
		start, why = head, StartLost
	}
	_, err = tx.Exec("INSERT INTO chain (one, seq, hash, why, synced_at, pruned_at, answers_upto) VALUES (1, ?, ?, ?, ?, 0, 0)",
		start.seq, start.hash, string(why), l.now().UnixMicro())
	return start, err
}
