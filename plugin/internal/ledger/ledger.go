package ledger

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
)

// Config says where the ledger is. With an empty Path there is no state folder:
// every write is refused and nothing is recorded.
type Config struct {
	// Path is host.db; audit.head lies beside it.
	Path string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Owner names this process in its claims: process id and something random.
	// Empty makes one.
	Owner string
	// Log gets what could not be recorded; never keys, arguments or content.
	Log zerolog.Logger
}

// Ledger is the host's record of writes and calls, shared by all host processes
// of a user. It is safe for concurrent use.
type Ledger struct {
	now   func() time.Time
	owner string
	log   zerolog.Logger

	file  *sqlite.File // nil without a state folder
	alive presence
	head  headFile
	out   outbox
	queue queue
	ended unended
	fresh atomic.Bool // rows were added that are in no index yet
	none  Claim       // the empty one

	flushing sync.Mutex // one flush at a time; it guards pruned
	pruned   time.Time  // when this process last saw that nothing old is left
}

//go:embed schema/*.sql
var schema embed.FS

// Open prepares a ledger. It touches no disk and starts nothing.
func Open(c Config) *Ledger {
	l := &Ledger{now: c.Now, owner: c.Owner, log: c.Log}
	l.none.ledger = l
	if l.now == nil {
		l.now = time.Now
	}
	if l.owner == "" {
		l.owner = fmt.Sprintf("%d-%s", os.Getpid(), rand.Text())
	}
	if c.Path != "" {
		l.file = &sqlite.File{Config: sqlite.Config{Path: c.Path, Migrations: migrations(), Now: l.now, Log: c.Log}}
		l.head = headFile{path: headPath(c.Path)}
		l.alive = presence{path: rollPath(c.Path), owner: l.owner, log: c.Log}
	}
	return l
}

func migrations() fs.FS {
	sub, err := fs.Sub(schema, "schema")
	if err != nil { // the folder is embedded above
		panic(err)
	}
	return sub
}

// closeWait bounds how long Close may wait for the file.
const closeWait = 2 * time.Second

// Close records what waits, brings audit.head up to date and closes the file. A
// ledger that was never used stays off the disk.
func (l *Ledger) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeWait)
	defer cancel()
	l.queue.close()
	if l.file == nil {
		return nil
	}
	return errors.Join(l.flush(ctx, true), l.file.Close(), l.alive.close())
}
