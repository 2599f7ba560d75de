// Package vault is the workspace's folder: which files are documents, and the
// only code that touches them.
//
// An ID is a document's path from the root, with / and in Unicode NFC; ParseID
// refuses what is none before any file call. Every look-up walks the path one
// segment at a time below a directory handle: a link that leaves the root is
// denied, one inside is followed, an ignored or differently spelled name is not
// found. A File is what was read, with the hash of its bytes.
//
// A Write is one change of one file, as an intent keeps it: the bytes before
// (by hash), the bytes after, and the temp file's name. Apply carries it out so
// that at every instant the file is the old bytes or the new ones, and no
// editor's save is lost: what comes out of the exchange is looked at, and put
// back where it is not what was expected. Settle finds out what became of a
// Write that was cut off.
//
// It knows no page, no database and no tool.
package vault
