// Package proofs shows from outside what mnote-host promises about a person's
// notes. It builds the program, drives it over stdio as an agent does, and looks
// at the files: nothing of ours is imported, so that nothing is believed.
//
// Run it through .ci/proofs.sh, which installs the corpora; a single proof in
// its whole size is
//
//	MNOTE_CORPUS=$(.ci/corpus.sh --size full) sh -c 'cd .ci/proofs && go test -run TestKills -v -full -timeout 2h'
//
// The proofs mount small and read-only file systems, so they run as root in a
// mount namespace of their own (unshare --mount).
//
// Its words: a box is one test's private notes and state; an agent is one
// mnote-host process and the client that talks to it; a person is the test
// itself, writing to a file with no host between.
package proofs
