package sqlite

import "os"

// BreakWAL makes every sync of the -wal from now on fail.
func (d *DB) BreakWAL() error { return d.wal.Close() }

// WAL gives the -wal that Full syncs.
func (d *DB) WAL() *os.File { return d.wal }

// Break makes the next statement of the file's connection fail as one does on a
// connection that is of no more use.
func (f *File) Break() { f.db.broken = true }
