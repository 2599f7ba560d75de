package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"modernc.org/sqlite"
)

// Config says what to open. Path is required; a zero Config otherwise works.
type Config struct {
	// Path is the file; its folder is made (0700) where it is missing, and the
	// file (0600) too. A folder that exists keeps its mode.
	Path string
	// Migrations holds NNNN_name.sql files, numbered from 1 without gaps. The
	// n-th brings the file from version n-1 to n.
	Migrations fs.FS
	// Now is the clock that dates a corrupt file set aside; nil is time.Now.
	Now func() time.Time
	// Log gets a warning for every file set aside.
	Log zerolog.Logger
	// Alone says that all of the database is in the one file: no -wal and -shm
	// beside it, which processes that have a deleted file open would share with
	// those that made it anew. A reader then waits while a commit is under way.
	Alone bool
}

// DB is one open database file with one connection.
type DB struct {
	*sql.DB
	path string
	// identity tells this file from a later one of the same name.
	identity fs.FileInfo
	// aside is where a corrupt predecessor went, or "".
	aside string
	// newer is set when the file is from a newer program.
	newer *NewerError
}

// NewerError says that a newer program wrote the file: it is open for reading
// only.
type NewerError struct {
	Path        string
	Have, Known int
}

// Error tells both versions.
func (e *NewerError) Error() string {
	return fmt.Sprintf("%s has version %d, this program knows up to %d: opened read-only", e.Path, e.Have, e.Known)
}

// Open opens the file, brings it to the newest version and is ready to use. It
// waits for other processes that open it at the same time. A file that is no
// database or is damaged is set aside under a dated name and a fresh one made:
// SetAside then says where, and a warning is logged.
func Open(ctx context.Context, c Config) (*DB, error) {
	return open(ctx, c)
}

// SetAside gives the place where Open put a corrupt predecessor, or "".
func (d *DB) SetAside() string { return d.aside }

// ReadOnly tells why nothing can be written, a *NewerError, or nil.
func (d *DB) ReadOnly() error {
	if d.newer == nil {
		return nil
	}
	return d.newer
}

const (
	openTries = 100
	openPause = 5 * time.Millisecond
	// openPatience bounds one opening, as the busy timeout does a statement.
	openPatience = 10 * time.Second
	// asideTries bounds how often one Open may find the file corrupt.
	asideTries = 3
)

func open(ctx context.Context, c Config) (*DB, error) {
	steps, err := readMigrations(c.Migrations)
	if err != nil {
		return nil, err
	}
	aside := ""
	for try := 0; ; try++ {
		d, identity, err := openRetried(ctx, c, steps)
		if err == nil {
			d.identity, d.aside = identity, aside
			return d, nil
		}
		if !IsCorrupt(err) || try == asideTries {
			return nil, err
		}
		if aside, err = setAside(ctx, c, identity, err); err != nil {
			return nil, err
		}
	}
}

// prepare makes the folder and an empty file for the owner alone; SQLite would
// make it readable for all, and gives its -wal and -shm the file's mode.
func prepare(path string) (fs.FileInfo, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err == nil {
		err = f.Close() // new: nobody can hold a lock that this drops
	} else if errors.Is(err, fs.ErrExist) {
		err = nil
	}
	if err != nil {
		return nil, err
	}
	now, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !now.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	if now.Mode().Perm()&0o077 != 0 {
		err = os.Chmod(path, 0o600)
	}
	return now, err
}

// openRetried opens until no other process is in the way: turning a new file to
// WAL ignores the busy timeout. A process that is stopped in the middle of its
// own first opening is not waited for longer than any other lock.
func openRetried(ctx context.Context, c Config, steps []string) (*DB, fs.FileInfo, error) {
	path, began := c.Path, time.Now()
	for try := 0; ; try++ {
		identity, err := prepare(path)
		if err != nil {
			return nil, nil, fmt.Errorf("open %s: %w", path, err)
		}
		d, err := openOnce(ctx, c, steps)
		if !IsBusy(err) || try == openTries || time.Since(began) >= openPatience {
			return d, identity, err
		}
		select {
		case <-ctx.Done():
			return nil, identity, fmt.Errorf("open %s: %w", path, ctx.Err())
		case <-time.After(openPause):
		}
	}
}

func openOnce(ctx context.Context, c Config, steps []string) (*DB, error) {
	path, journal := c.Path, "WAL"
	if c.Alone {
		journal = "DELETE"
	}
	d, err := connect(path, journal)
	if err != nil {
		return nil, err
	}
	newer, err := migrate(ctx, d, steps)
	if err == nil && newer != nil {
		_ = d.Close()
		if d, err = connect(path, ""); err == nil {
			d.newer = newer
			err = d.PingContext(ctx)
		}
	}
	if err != nil {
		_ = d.Close()
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return d, nil
}

func connect(path, journal string) (*DB, error) {
	c, err := sqlite.NewConnector(dsn(path, journal))
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	db := sql.OpenDB(connector{c})
	db.SetMaxOpenConns(1)
	db.SetMaxIdleConns(1)
	db.SetConnMaxLifetime(0)
	return &DB{DB: db, path: path}, nil
}

// cacheSize is how many bytes of pages a connection keeps, an eighth of SQLite's
// own: a host reads and writes a few rows at a time, and what it wrote long ago
// is in the system's cache, once, and not once more in every host process.
const cacheSize = 256 << 10

// dsn gives SQLite's URI of the file: every setting is in it, since a PRAGMA by
// Exec would reach one connection of those that follow each other. A file without
// a journal is for reading alone.
func dsn(path, journal string) string {
	p := filepath.ToSlash(path)
	if filepath.VolumeName(path) != "" && !strings.HasPrefix(p, "/") {
		p = "/" + p // C:/x is file:/C:/x
	}
	p = strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(p)
	q := url.Values{
		"_busy_timeout":        {"10000"},
		"_journal_mode":        {journal},
		"_synchronous":         {"NORMAL"},
		"_foreign_keys":        {"on"},
		"_txlock":              {"immediate"},
		"_time_integer_format": {"unix_micro"},
		"_pragma":              {fmt.Sprintf("cache_size(-%d)", cacheSize>>10)},
	}
	if journal == "" {
		q.Del("_journal_mode")
		q.Set("_query_only", "on")
	}
	return "file:" + p + "?" + q.Encode()
}
