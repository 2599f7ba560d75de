// Package testdata holds what tests and `mnote-host try` run on: workspaces of
// notes, recorded conversations, manifests and snapshots.
package testdata

import "embed"

// Workspaces is the folder workspaces: each folder in it is a workspace of
// Markdown notes.
//
//go:embed all:workspaces
var Workspaces embed.FS
