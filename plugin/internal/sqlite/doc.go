// Package sqlite says how every SQLite file of this program is opened and used:
// settings in the name, numbered migrations, a retried open, and a corrupt file
// set aside. It is the only place that knows the library, and it speaks to it
// without database/sql.
//
// A File is a database that opens at its first use; a DB is an open one, with
// one connection. Normal runs an immediate transaction that survives a crash of
// the process, Full one that survives a power cut. In them a Tx runs statements;
// a Row is what a query gives. A file that a newer program wrote is opened
// read-only. Several processes share a file; it must lie on a local disk.
//
// A trap: nobody may open the file by any other descriptor, for closing that one
// drops SQLite's locks. The -wal has none, and Full syncs it by one of its own.
package sqlite
