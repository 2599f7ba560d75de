package store

import (
	"fmt"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
)

// Command is one write that happened.
type Command struct {
	ID   string
	Name string // page.body.save
	Tool string
	// Path is the document's.
	Path string
	// Before and After are content hashes, of the file or of the artifact's
	// text; "" is nothing.
	Before, After string
	// Revision is what the write gave the path, or the node.
	Revision int64
	// Node is the artifact's, or "".
	Node string
	// Undoes names the command that an undo took back, or "".
	Undoes string
	// Folders is how many of the path's folders the write made, the last ones.
	Folders int
	At      time.Time
	Actor   string
	Session string
	Trace   string
}

// FreeCommandID gives id, or where a caller used its ids twice, id and a number.
func (t *Tx) FreeCommandID(id string) (string, error) {
	for n, free := 2, id; ; n++ {
		_, taken, err := t.Command(free)
		if err != nil || !taken {
			return free, err
		}
		free = fmt.Sprintf("%s_%d", id, n)
	}
}

// AddCommand notes a write that happened, now.
func (t *Tx) AddCommand(c Command) error {
	return t.exec(`INSERT INTO command (id, name, tool, path, before, after, revision, node, undoes, at, actor, session, trace, folders)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, c.ID, c.Name, c.Tool, c.Path, c.Before, c.After, c.Revision, c.Node,
		c.Undoes, micros(t.now), c.Actor, c.Session, c.Trace, c.Folders)
}

const commandColumns = `SELECT id, name, tool, path, before, after, revision, node, undoes, at, actor, session, trace, folders FROM command `

// Command finds a write by its id.
func (t *Tx) Command(id string) (c Command, found bool, err error) {
	list, err := each(t, scanCommand, commandColumns+`WHERE id = ?`, id)
	if err != nil || len(list) == 0 {
		return c, false, err
	}
	return list[0], true, nil
}

// UndoneBy finds the command that undid another and was not undone itself.
func (t *Tx) UndoneBy(id string) (c Command, found bool, err error) {
	list, err := each(t, scanCommand, commandColumns+`WHERE undoes = ?1 ORDER BY at DESC, revision DESC LIMIT 1`, id)
	if err != nil || len(list) == 0 {
		return c, false, err
	}
	return list[0], true, nil
}

// Commands lists a session's writes, newest first.
func (t *Tx) Commands(session string, limit int) ([]Command, error) {
	return each(t, scanCommand, commandColumns+`WHERE session = ? ORDER BY at DESC LIMIT ?`, session, limit)
}

func scanCommand(row sqlite.Row, c *Command) error {
	var at int64
	err := row.Scan(&c.ID, &c.Name, &c.Tool, &c.Path, &c.Before, &c.After, &c.Revision, &c.Node, &c.Undoes, &at, &c.Actor, &c.Session, &c.Trace, &c.Folders)
	c.At = fromMicros(at)
	return err
}
