package capabilities

import (
	"errors"

	"github.com/mnote-dev/mnote-host/tools"
)

// ErrNotModified is a Source's answer when the etag still holds.
var ErrNotModified = errors.New("manifest not modified")

// Manifest is a kernel's document of packs and tools, as read.
type Manifest struct {
	// Version is manifestVersion, for people.
	Version string
	// WorkspaceID is the one workspace that the kernel serves, when it says so;
	// a kernel of many says nothing.
	WorkspaceID string
	// ETag is the kernel's, or empty.
	ETag  string
	Packs []Pack
	Tools []tools.Tool
	// Warnings tell what was skipped or guessed, one sentence each, for the log.
	Warnings []string
	// Raw is the document itself, to be kept as the last good one.
	Raw []byte
}
