package localkernel

import (
	"net/http"
	"time"

	"github.com/rs/zerolog"
)

// Options tune a kernel; the zero value works (no token asked, no state folder:
// reads only).
type Options struct {
	// StateDir is the user's state folder (~/.mnote/host). Without a usable one
	// reads work and every write is refused (mnote_kernel_unavailable, no_state).
	StateDir string
	// Token is the bearer token a request must carry; "" asks for none, which
	// is right in process only.
	Token string
	// ActorID is the one member of the workspace; "" takes any actor.
	ActorID string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// NewID makes unique ids for plans, nodes and edges; nil is 20 random
	// letters and digits.
	NewID func() string
	// Log gets one line per fault; never content, never the token.
	Log zerolog.Logger
	// Skill gives the text of a skill; nil is the skills that ship with us.
	Skill func(id string) (title, content string, ok bool)
	// Hosts are the Host headers served besides the loopback names; Origins the
	// Origin headers besides the loopback ones.
	Hosts, Origins []string
	// Unwired names page options whose runtimeSupport is not wired (tests).
	Unwired []string
	// HistoryKeep is how many revisions of a document are kept at least; 0 is
	// 200. Revisions of the last 30 days are never dropped.
	HistoryKeep int
}

// Kernel is one workspace behind kernel-api. It is safe for concurrent use.
type Kernel struct {
	root string
	opts Options
}

// Open takes the folder dir as a workspace. It does nothing heavy: no scan and
// no database; the state opens with the first call that needs it. A folder that
// cannot be opened is an error.
func Open(dir string, o Options) (*Kernel, error) {
	return &Kernel{root: dir, opts: o}, nil
}

// WorkspaceID gives the workspace's id, ws_ and 16 of a-z2-7.
func (k *Kernel) WorkspaceID() string { return "" }

// Root gives the absolute path of the workspace.
func (k *Kernel) Root() string { return k.root }

// ServeHTTP serves kernel-api.
func (k *Kernel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	http.NotFound(w, r)
}

// Close ends what the kernel holds: the folder's handle and its databases.
// Calls that run are finished first.
func (k *Kernel) Close() error { return nil }
