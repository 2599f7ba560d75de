package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
	"github.com/mnote-dev/mnote-host/tools"
)

// entry is a write as the file knows it.
type entry struct {
	body    string
	state   state
	owner   string
	signed  bool
	attempt int64
	lease   int64
	answer  []byte
}

func readEntry(tx *sqlite.Tx, id []byte) (e entry, err error) {
	err = tx.Row(`SELECT body, state, owner, signed, attempt, lease, coalesce(envelope, claim.answer)
		FROM claim LEFT JOIN answer ON answer.claim = claim.row WHERE id = ?`, id).
		Scan(&e.body, &e.state, &e.owner, &e.signed, &e.attempt, &e.lease, &e.answer)
	return e, err
}

// answerTo gives the stored answer to w, nil while there is none, or says why
// the key cannot serve w.
func (e entry) answerTo(w Write) (*tools.Envelope, error) {
	if e.body != w.BodyHash {
		return nil, errOtherBody()
	}
	if e.state != finished {
		return nil, nil
	}
	if e.answer == nil {
		return nil, errAnswerExpired()
	}
	var answer tools.Envelope
	if err := json.Unmarshal(e.answer, &answer); err != nil {
		return nil, fmt.Errorf("read a stored answer: %w", err)
	}
	answer.Audit.Replayed = true
	return &answer, nil
}

// Find gives the stored answer of a write that is finished, marked as replayed;
// nil where there is none yet. The same key with another body is
// mnote_tool_idempotency_conflict, and so is a key whose answer is no longer
// kept. The answer's call and trace ids are those of the first call.
func (l *Ledger) Find(ctx context.Context, w Write) (answer *tools.Envelope, err error) {
	if l.file == nil {
		return nil, errNoState()
	}
	id := w.id()
	err = l.file.View(ctx, func(tx *sqlite.Tx) error {
		e, err := readEntry(tx, id)
		if errors.Is(err, sqlite.ErrNoRow) {
			return nil
		}
		if err == nil {
			answer, err = e.answerTo(w)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if answer != nil {
		l.out.hand(w.ToolCallID, id, l.now())
	}
	return answer, nil
}

// MatchInDoubt looks for the key of a write equal to w in kernel, workspace,
// actor, profile, tool, session, document and body whose outcome is unknown or
// whose answer was never delivered: w, which came without a key, is then its
// retry. "" means that w is a new write. w.Key.Key is ignored.
//
// What this process itself has under way, or just answered, is no retry: two
// equal calls side by side are two writes. What another process left under way
// is one, for it may have died.
func (l *Ledger) MatchInDoubt(ctx context.Context, w Write) (key tools.Key, err error) {
	if l.file == nil {
		return "", errNoState()
	}
	err = l.file.View(ctx, func(tx *sqlite.Tx) error {
		key, err = l.match(tx, w)
		return err
	})
	return key, err
}

func (l *Ledger) match(tx *sqlite.Tx, w Write) (tools.Key, error) {
	for row := range tx.Rows(`SELECT id, key, state, owner, lease FROM claim
		WHERE twin = ? AND open = 1 ORDER BY at DESC`, w.twin()) {
		var o openWrite
		if err := row.Scan(&o.id, &o.key, &o.state, &o.owner, &o.lease); err != nil {
			return "", err
		}
		if l.retriable(o) {
			return o.key, nil
		}
	}
	return "", nil
}

// openWrite is a write whose answer may not have reached its caller.
type openWrite struct {
	id    []byte
	key   tools.Key
	state state
	owner string
	lease int64
}

func (l *Ledger) retriable(o openWrite) bool {
	switch o.state {
	case taken:
		return o.owner != l.owner || o.lease <= l.now().UnixMicro()
	case finished:
		return !l.out.has(o.id, l.now())
	}
	return true
}
