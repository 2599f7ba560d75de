package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rs/zerolog"
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

// DB is one open database file with one connection, for one goroutine at a time.
type DB struct {
	conn *conn // nil when it is closed
	path string
	wal  *os.File // the -wal, for sync; nil without one
	// identity tells this file from a later one of the same name.
	identity fs.FileInfo
	// aside is where a corrupt predecessor went, or "".
	aside string
	// newer is set when the file is from a newer program.
	newer *NewerError
	// broken says that the connection is of no more use.
	broken bool
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
	openPause = 5 * time.Millisecond
	// asideTries bounds how often one Open may find the file corrupt.
	asideTries = 3
)

func open(ctx context.Context, c Config) (*DB, error) {
	steps, err := readMigrations(c.Migrations)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(c.Path), 0o700); err != nil {
		return nil, fmt.Errorf("open %s: %w", c.Path, err)
	}
	aside := ""
	for try := 0; ; try++ {
		d, identity, err := openRetried(ctx, c, steps)
		if err == nil {
			d.identity, d.aside = identity, aside
			return d, nil
		}
		if !IsCorrupt(err) || try == asideTries {
			return nil, fmt.Errorf("open %s: %w", c.Path, err)
		}
		if aside, err = setAside(ctx, c, identity, func() error { return nil }, err); err != nil {
			return nil, err
		}
	}
}

// openRetried opens until no other process is in the way: one that turns a new
// file to WAL has it for itself. A process that is stopped in the middle of its
// own first opening is not waited for longer than any other lock.
func openRetried(ctx context.Context, c Config, steps []string) (*DB, fs.FileInfo, error) {
	for began := time.Now(); ; {
		d, identity, err := openHeld(ctx, c, steps)
		if !IsBusy(err) || time.Since(began) >= patience {
			return d, identity, err
		}
		select {
		case <-ctx.Done():
			return nil, identity, ctx.Err()
		case <-time.After(openPause):
		}
	}
}

// openHeld opens while nobody moves the file away: the -wal and -shm that are
// opened by name are then those of the file.
func openHeld(ctx context.Context, c Config, steps []string) (*DB, fs.FileInfo, error) {
	release, err := hold(ctx, c.Path, false)
	if err != nil {
		return nil, nil, err
	}
	defer release()
	identity, err := prepare(c.Path)
	if err != nil {
		return nil, nil, err
	}
	d, err := openOnce(ctx, c, steps)
	return d, identity, err
}

// prepare makes an empty file for the owner alone; SQLite would make it readable
// for all, and gives its -wal and -shm the file's mode.
func prepare(path string) (fs.FileInfo, error) {
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

func openOnce(ctx context.Context, c Config, steps []string) (*DB, error) {
	journal := "WAL"
	if c.Alone {
		journal = "DELETE"
	}
	d, err := connect(ctx, c.Path, journal)
	if err != nil {
		return nil, err
	}
	newer, err := migrate(ctx, d, steps)
	if err == nil && newer != nil {
		_ = d.shut()
		if d, err = connect(ctx, c.Path, ""); err != nil {
			return nil, err
		}
		d.newer = newer
	}
	if err != nil {
		_ = d.shut()
		return nil, err
	}
	return d, nil
}

// connect opens a connection, and the -wal beside its own: no lock is on that
// file, and while there is a connection nobody takes it away.
func connect(ctx context.Context, path, journal string) (*DB, error) {
	c, err := dial(uri(path), pragmas(journal)...)
	if err != nil {
		return nil, err
	}
	d := &DB{conn: c, path: path}
	if journal == "WAL" {
		err = d.View(ctx, func(tx *Tx) (err error) { // who reads has the -wal open
			if _, err = version(tx); err == nil {
				d.wal, err = os.OpenFile(path+"-wal", os.O_RDWR, 0)
			}
			return err
		})
	}
	if err != nil {
		_ = d.shut()
		return nil, err
	}
	return d, nil
}

// closePatience bounds the wait for one that moves a file away.
const closePatience = 2 * time.Second

// Close closes the file; closed once more it stays so. Who is the last one to
// close a file takes its -wal away by name: that is not to be another's.
func (d *DB) Close() error {
	if d.conn == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), closePatience)
	defer cancel()
	if release, err := hold(ctx, d.path, false); err == nil {
		defer release()
	}
	return d.shut()
}

// shut closes the file for who holds its folder.
func (d *DB) shut() error {
	c := d.conn
	if c == nil {
		return nil
	}
	if d.wal != nil {
		_ = d.wal.Close()
	}
	d.conn, d.wal = nil, nil
	return c.close()
}

// cacheSize is how many bytes of pages a connection keeps, an eighth of SQLite's
// own: a host reads and writes a few rows at a time, and what it wrote long ago
// is in the system's cache, once, and not once more in every host process.
const cacheSize = 256 << 10

// uri names the file for SQLite, which is not to make it: prepare does.
func uri(path string) string {
	p := filepath.ToSlash(path)
	if filepath.VolumeName(path) != "" && !strings.HasPrefix(p, "/") {
		p = "/" + p // C:/x is file:/C:/x
	}
	return "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(p) + "?mode=rw"
}

// pragmas gives the settings of a connection. A file without a journal is for
// reading alone; the highest level of synchronous makes the end of a journal file
// last, too.
func pragmas(journal string) []string {
	all := []string{"foreign_keys=ON", fmt.Sprintf("cache_size=-%d", cacheSize>>10)}
	switch journal {
	case "":
		return append(all, "query_only=ON")
	case "DELETE":
		return append(all, "journal_mode=DELETE", "synchronous=EXTRA")
	}
	return append(all, "journal_mode=WAL", "synchronous=NORMAL")
}
