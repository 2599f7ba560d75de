package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unsafe"

	"modernc.org/libc"
	lib "modernc.org/sqlite/lib"
)

// maxKept bounds the statements that one connection keeps.
const maxKept = 64

// conn is a connection that parses each statement once: parsing costs as much as
// running the short statements of this program. It speaks to SQLite without
// database/sql and the driver below it, which have a goroutine or two watch each
// statement, name and convert columns that nobody asks for, and take a lock of
// the connection in every call. It is used by one goroutine at a time.
type conn struct {
	tls  *libc.TLS
	db   uintptr // sqlite3*
	out  uintptr // memory for the two pointers that a call gives back
	kept map[string]*statement
	args []any // the memory of one statement's arguments
}

// pointer is the size of one; a call's results lie in the connection's own memory.
const pointer = unsafe.Sizeof(uintptr(0))

// dial opens a connection to a URI. Waiting for locks is left to patiently.
func dial(uri string, pragmas ...string) (*conn, error) {
	c := &conn{tls: libc.NewTLS(), kept: map[string]*statement{}}
	if c.out = c.malloc(2 * int(pointer)); c.out == 0 {
		return nil, errors.Join(errMemory, c.close())
	}
	name, err := libc.CString(uri)
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	const flags = lib.SQLITE_OPEN_READWRITE | lib.SQLITE_OPEN_URI | lib.SQLITE_OPEN_NOMUTEX | lib.SQLITE_OPEN_EXRESCODE
	rc := lib.Xsqlite3_open_v2(c.tls, name, c.out, flags, 0)
	c.free(name)
	c.db = c.result(0) // there may be one that only tells the fault
	err = c.fault(rc)
	for _, p := range pragmas {
		if err == nil {
			_, err = c.exec("PRAGMA " + p)
		}
	}
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// close closes the statements and the connection.
func (c *conn) close() error {
	for _, s := range c.kept {
		c.drop(s)
	}
	clear(c.kept)
	var err error
	if c.db != 0 {
		err = c.fault(lib.Xsqlite3_close_v2(c.tls, c.db))
	}
	c.free(c.out)
	c.tls.Close()
	return err
}

// exec runs a statement or a script and tells how many rows the last one changed.
func (c *conn) exec(query string, args ...any) (changed int64, err error) {
	s, rest, err := c.statement(query)
	for err == nil && s != nil {
		if err = c.run(s, args); err == nil && rest != "" {
			s, rest, err = c.statement(rest)
			continue
		}
		break
	}
	if err != nil {
		return 0, err
	}
	return lib.Xsqlite3_changes64(c.tls, c.db), nil
}

// run runs a statement to its end; one that is not kept is over then.
func (c *conn) run(s *statement, args []any) error {
	err := c.bind(s, args)
	for more := true; more && err == nil; {
		more, err = c.step(s)
	}
	c.rest(s)
	return err
}

// step goes on to the next row, if there is more.
func (c *conn) step(s *statement) (more bool, err error) {
	switch rc := lib.Xsqlite3_step(c.tls, s.stmt); rc {
	case lib.SQLITE_ROW:
		return true, nil
	case lib.SQLITE_DONE:
		return false, nil
	default:
		return false, c.fault(rc)
	}
}

// watch interrupts what runs on the connection when the context ends, and gives
// what ends the watch. It costs a goroutine only then. An interrupt that comes
// before a statement's first step is lost, so there are more of them.
func (c *conn) watch(ctx context.Context) (end func()) {
	ended, over := make(chan struct{}), make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(over)
		tls := libc.NewTLS() // the connection's is in use
		defer tls.Close()
		for {
			lib.Xsqlite3_interrupt(tls, c.db)
			select {
			case <-ended:
				return
			case <-time.After(time.Millisecond):
			}
		}
	})
	return func() {
		close(ended)
		if !stop() {
			<-over
		}
	}
}

// fault is what SQLite says of a result code that is none of success.
func (c *conn) fault(rc int32) error {
	if rc == lib.SQLITE_OK {
		return nil
	}
	f := &fault{code: int(rc), text: libc.GoString(lib.Xsqlite3_errstr(c.tls, rc))}
	if c.db == 0 {
		return f
	}
	if more := libc.GoString(lib.Xsqlite3_errmsg(c.tls, c.db)); more != f.text {
		f.text += ": " + more
	}
	return f
}

// fault is an error of SQLite with its extended result code.
type fault struct {
	code int
	text string
}

func (f *fault) Error() string { return fmt.Sprintf("%s (%d)", f.text, f.code) }

var errMemory = errors.New("SQLite has no memory")

func (c *conn) malloc(n int) uintptr { return libc.Xmalloc(c.tls, libc.Tsize_t(n)) }

func (c *conn) free(p uintptr) {
	if p != 0 {
		libc.Xfree(c.tls, p)
	}
}

// result gives the n-th pointer that a call has put into out.
func (c *conn) result(n uintptr) uintptr { return *(*uintptr)(address(c.out + n*pointer)) }

// memory is n bytes of SQLite's at p, which Go's collector knows nothing of.
func memory(p uintptr, n int) []byte { return unsafe.Slice((*byte)(address(p)), n) }

func address(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }

// keeps reports whether the statement of a text is kept: a PRAGMA works while it
// is prepared, a script runs once.
func keeps(query string) bool {
	return !strings.HasPrefix(query, "PRAGMA") && !strings.Contains(query, ";")
}
