// Package localkernel is the kernel for people who have a folder of Markdown
// notes and no mnote-web running: an http.Handler that serves kernel-api.
//
// Open takes a workspace (a folder) and answers for it: page, block and doc
// tools, artifacts, history and undo, the manifest with its switches. It trusts
// nobody, the host included: each call passes login, membership, switches,
// workspace, scope, write guard and idempotency here again, and every answer is
// filtered by the grant.
//
// Words: a page is one .md file, its documentId the path from the root; a
// revision is a page's integer version; a plan is what a dry run promised, kept
// with its bytes; a command id names one write. internal/vault owns the folder,
// internal/page the bytes of a page, internal/store the state.
//
// It knows no host, no session of a client and no transport. Only cmd and tests
// import it.
package localkernel
