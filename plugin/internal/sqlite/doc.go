// Package sqlite says how every SQLite file of this program is opened: settings
// in the name, numbered migrations, a retried open, and a corrupt file set
// aside. It is the only place that knows the driver.
//
// A File is a database that opens at its first use; a DB is an open one, with
// one connection. Normal runs an immediate transaction that survives a crash of
// the process, Full one that survives a power cut. A file that a newer program
// wrote is opened read-only. Several processes share a file; it must lie on a
// local disk.
//
// Two traps: a Rows left open keeps the only connection, so the next query
// waits for ever; and nobody may open the file by any other descriptor, for
// closing that one drops SQLite's locks.
package sqlite
