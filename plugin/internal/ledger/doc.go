// Package ledger keeps host.db: what was promised about each write, and one
// audit row for each call.
//
// A Write is a write about to be forwarded; its Key says which one it is. A
// Claim is that key, taken with a lease: no other call of any process forwards
// the same write while its owner lives and the lease lasts. It ends in a stored
// answer, in doubt (outcome unknown, the same key may go out again) or released
// (nothing was sent). The stored answer is what a replay gives. A Plan is a dry
// run that a write may name once, an Approval a write that waits for a person;
// the claim spends both. A Row is one line of the audit; rows are chained by
// hash, and the head of the chain is also kept beside the file.
//
// Nothing touches the disk before the first use. Without a usable file writes
// are refused and reads go on.
package ledger
