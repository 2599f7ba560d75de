// Package store keeps what the local kernel must remember beside the files.
//
// State is one workspace's state.db: documents with their revisions and the
// bytes of each (Content, kept once by hash, packed where it pays), commands,
// plans, artifacts with their edges, dedupe rows, and the intents of writes that
// are under way. Switches is switches.db, one for each user: the packs and tools
// that are off, each for its own reason, and a generation number.
//
// Both open at the first use and close with Close. A Tx is one transaction: View
// reads, Update survives a crash of the process, Durable survives a power cut;
// SQLite's write lock in the last two is the mutex between processes.
//
// It knows no folder, no page and no envelope's meaning: answers are bytes here.
package store
