package sqlite

import (
	"context"
	"os"
	"sync"
)

// File is a database that is opened at its first use; a failed open is tried
// again by the next. A file that turns out to be corrupt is set aside, a fresh
// one made and the transaction run once more. One that was moved or deleted
// under us is opened anew. Every error is coded. A File with just a Config
// works.
type File struct {
	Config Config

	turn  chan struct{} // holds one token; whoever has it uses db and aside
	once  sync.Once
	db    *DB
	aside string
}

// Normal runs f as DB.Normal does; f may run twice.
func (f *File) Normal(ctx context.Context, run func(*Tx) error) error {
	return f.use(ctx, func(db *DB) error { return db.Normal(ctx, run) })
}

// Full runs f as DB.Full does; f may run twice.
func (f *File) Full(ctx context.Context, run func(*Tx) error) error {
	return f.use(ctx, func(db *DB) error { return db.Full(ctx, run) })
}

// View runs f as DB.View does; f may run twice.
func (f *File) View(ctx context.Context, run func(*Tx) error) error {
	return f.use(ctx, func(db *DB) error { return db.View(ctx, run) })
}

// Aside gives the place where this File last put a corrupt file, or "".
func (f *File) Aside() string {
	f.take(context.Background())
	defer f.give()
	return f.aside
}

// Opened reports whether the database is open; asking does not open it.
func (f *File) Opened() bool {
	f.take(context.Background())
	defer f.give()
	return f.db != nil
}

// Close closes the database if it is open; a later use opens it again.
func (f *File) Close() error {
	f.take(context.Background())
	defer f.give()
	return f.shut()
}

func (f *File) use(ctx context.Context, run func(*DB) error) error {
	if err := f.take(ctx); err != nil {
		return Coded(err)
	}
	defer f.give()
	err := f.try(ctx, run)
	if IsCorrupt(err) && f.db != nil {
		if err = f.setAside(ctx, err); err == nil {
			err = f.try(ctx, run)
		}
	}
	return Coded(err)
}

func (f *File) try(ctx context.Context, run func(*DB) error) error {
	if f.db != nil && (f.db.broken || f.gone()) {
		_ = f.shut()
	}
	if f.db == nil {
		db, err := Open(ctx, f.Config)
		if err != nil {
			return err
		}
		f.db = db
		if db.aside != "" {
			f.aside = db.aside
		}
	}
	return run(f.db)
}

// gone reports whether the name no longer leads to the file that is open.
func (f *File) gone() bool {
	now, err := os.Stat(f.Config.Path)
	return err != nil || !os.SameFile(now, f.db.identity)
}

func (f *File) setAside(ctx context.Context, cause error) error {
	db := f.db
	f.db = nil
	aside, err := setAside(ctx, f.Config, db.identity, db.shut, cause)
	_ = db.Close() // where there was no lock to be had
	if aside != "" {
		f.aside = aside
	}
	return err
}

func (f *File) shut() error {
	db := f.db
	f.db = nil
	if db == nil {
		return nil
	}
	return db.Close()
}

func (f *File) take(ctx context.Context) error {
	f.once.Do(func() { f.turn = make(chan struct{}, 1) })
	select {
	case f.turn <- struct{}{}:
		return nil
	default:
	}
	select {
	case f.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (f *File) give() { <-f.turn }
