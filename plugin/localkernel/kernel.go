package localkernel

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/store"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
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
	// NewID makes unique ids for plans, nodes and edges; nil makes random ones.
	NewID func() string
	// Log gets one line per fault; never content, never the token.
	Log zerolog.Logger
	// Skill gives the text of a skill, with the tools that are offered by their
	// dotted names; nil is the skills that ship with us.
	Skill func(id string, offered func(tool string) bool) (title, content string, ok bool)
	// Hosts are the Host headers served besides the loopback names; Origins the
	// Origin headers besides the one of the request's own host.
	Hosts, Origins []string
	// Unwired names page options whose runtimeSupport is not wired (tests).
	Unwired []string
	// HistoryKeep is how many revisions of a document are kept at least; 0 is
	// 200. Revisions of the last 30 days are never dropped.
	HistoryKeep int

	// hook is called at each step of a write; tests crash there.
	hook func(vault.Step) error
	// pause waits; nil is time.Sleep. Tests have their own.
	pause func(time.Duration)
}

// The steps of a write beside the vault's.
const (
	stepIntended vault.Step = "intended" // the intent is on the disk, the file untouched
	stepRecorded vault.Step = "recorded" // the file is written and the state's word on it not yet committed
	stepAnswered vault.Step = "answered" // all is done but the answer
)

// at tells the tests where a write is.
func (k *Kernel) at(step vault.Step) error {
	if k.opts.hook == nil {
		return nil
	}
	return k.opts.hook(step)
}

// Kernel is one workspace behind kernel-api. It is safe for concurrent use.
type Kernel struct {
	opts     Options
	id       string
	folder   *vault.Folder
	state    *store.State    // nil without a state folder
	switches *store.Switches // nil without a state folder
	handler  http.Handler
	tools    map[tools.Name]implementation
	recent   recent
	sights   sights

	remember sync.Once // the workspace is noted in the state folder
	lost     bool      // the state folder knew the workspace, and its state.db is gone
	marked   sync.Once // the folder holds its id
	// caughtUp is true once what earlier processes left half done is settled.
	caughtUp atomic.Bool

	running sync.RWMutex // held for reading by every request, for writing by Close
	closed  bool
}

// Open takes the folder dir as a workspace. It does nothing heavy: no scan and
// no database; the state opens with the first call that needs it. A folder that
// cannot be opened is an error.
func Open(dir string, o Options) (*Kernel, error) {
	o = o.filled()
	folder, err := vault.Open(dir, vault.Config{MaxBytes: maxPage, Hook: o.hook})
	if err != nil {
		return nil, err
	}
	id, err := folder.WorkspaceID(o.StateDir)
	if err != nil {
		return nil, errors.Join(err, folder.Close())
	}
	k := &Kernel{opts: o, id: id, folder: folder, tools: implementations()}
	if o.StateDir != "" {
		c := store.Config{
			Dir: filepath.Join(o.StateDir, id), Now: o.Now, Keep: o.HistoryKeep, FirstRevision: k.firstRevision, Log: o.Log,
		}
		k.state, k.switches = store.NewState(c), store.NewSwitches(o.StateDir, c)
	}
	k.handler = k.routes()
	return k, nil
}

func (o Options) filled() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = func() string { return strings.ToLower(rand.Text()) }
	}
	if o.pause == nil {
		o.pause = time.Sleep
	}
	if o.Skill == nil {
		o.Skill = shippedSkill
	}
	return o
}

// WorkspaceID gives the workspace's id, ws_ and 16 of a-z2-7.
func (k *Kernel) WorkspaceID() string { return k.id }

// Root gives the absolute path of the workspace.
func (k *Kernel) Root() string { return k.folder.Path() }

// ServeHTTP serves kernel-api.
func (k *Kernel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	k.running.RLock()
	defer k.running.RUnlock()
	defer k.fence(w, r)
	if k.closed {
		k.refuse(w, r, http.StatusServiceUnavailable, tools.Errorf(tools.CodeKernelUnavailable, textClosed).With("reason", "no_kernel"))
		return
	}
	k.handler.ServeHTTP(w, r)
}

// fence keeps a fault of ours in one request from ending the process.
func (k *Kernel) fence(w http.ResponseWriter, r *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	if p == http.ErrAbortHandler { //nolint:errorlint // net/http compares it like this
		panic(p)
	}
	k.opts.Log.Error().Str("path", r.URL.Path).Interface("panic", p).Stack().Msg("a request failed")
	k.refuse(w, r, http.StatusInternalServerError, tools.Errorf(tools.CodeInternal, textInternal))
}

// Close ends what the kernel holds: the folder's handle and its databases.
// Calls that run are finished first; later ones are refused.
func (k *Kernel) Close() error {
	k.running.Lock()
	defer k.running.Unlock()
	if k.closed {
		return nil
	}
	k.closed = true
	errs := []error{k.folder.Close()}
	if k.state != nil {
		errs = append(errs, k.state.Close(), k.switches.Close())
	}
	return errors.Join(errs...)
}

// stateReady notes the workspace in the state folder before the first use of
// its state.
func (k *Kernel) stateReady() {
	k.remember.Do(func() {
		k.lost = k.stateLost()
		if err := k.folder.Remember(k.opts.StateDir, k.id); err != nil {
			k.opts.Log.Warn().Err(err).Msg("the workspace cannot be noted in the state folder")
		}
	})
}

// mark writes the workspace's id into the folder, with the first write. A
// failure costs a later move its history and nothing else.
func (k *Kernel) mark() {
	k.marked.Do(func() {
		if err := k.folder.Mark(k.id); err != nil {
			k.opts.Log.Warn().Err(err).Msg("the workspace's id cannot be written into it")
		}
	})
}

// stateLost reports whether this workspace had a state.db that is not there any
// more: deleted, emptied, set aside as damaged, or left in another state folder.
// It is asked before the state is first opened.
func (k *Kernel) stateLost() bool {
	file := filepath.Join(k.opts.StateDir, k.id, "state.db")
	if setAside(file) {
		return true
	}
	known := k.folder.Remembered(k.opts.StateDir, k.id) || k.folder.Marked(k.id)
	info, err := os.Stat(file)
	return known && (errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0)
}

func setAside(file string) bool {
	old, err := filepath.Glob(file + ".corrupt-*")
	return err == nil && len(old) > 0
}

// firstRevision is 1, or the seconds since 2020 when the numbers told before
// may have been lost: a stale one then never fits.
func (k *Kernel) firstRevision() int64 {
	if !k.lost && !setAside(filepath.Join(k.opts.StateDir, k.id, "state.db")) {
		return 1
	}
	return int64(k.opts.Now().Sub(time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)).Seconds())
}
