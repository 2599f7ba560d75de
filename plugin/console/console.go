package console

import (
	"crypto/rand"
	"net/http"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/tools"
)

// Config makes a Console. Records is needed; the zero value of the rest works.
type Config struct {
	Records Records
	// WorkspaceID is the workspace that the page is about, Root its folder for
	// people. The timeline shows this workspace's calls first.
	WorkspaceID, Root string
	// Profile is whose tool switches the page shows, for people.
	Profile string
	// Lang is the language for a browser that wants neither of ours; "" is zh.
	Lang tools.Lang
	// Bearer lets a program that knows it ask a running page for a new one-time
	// link; "" lets none.
	Bearer string
	// Poll is the time between two looks for news; 0 is 1 s.
	Poll time.Duration
	// Now is the clock, Zone where people read it; nil is time.Now and the
	// machine's.
	Now  func() time.Time
	Zone *time.Location
	// NewToken makes a secret that nobody can guess; nil makes random ones.
	NewToken func() string
	// Log gets a line for each fault; never content, never a token.
	Log zerolog.Logger
}

// Console is the page for people. It is safe for concurrent use.
type Console struct {
	cfg     Config
	doors   doors
	handler http.Handler

	closing sync.Once
	closed  chan struct{}
}

// New makes a console. Nobody can sign in before Link made a link.
func New(cfg Config) *Console {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Zone == nil {
		cfg.Zone = time.Local
	}
	if cfg.NewToken == nil {
		cfg.NewToken = rand.Text
	}
	if cfg.Poll <= 0 {
		cfg.Poll = time.Second
	}
	if cfg.Lang == "" {
		cfg.Lang = tools.ZH
	}
	c := &Console{cfg: cfg, closed: make(chan struct{})}
	c.doors = doors{now: cfg.Now, newToken: cfg.NewToken}
	c.handler = c.fence(c.routes())
	return c
}

// ServeHTTP serves the page.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.handler.ServeHTTP(w, r) }

// Close ends the connections that wait for news, so that a server can shut down
// at once.
func (c *Console) Close() { c.closing.Do(func() { close(c.closed) }) }

// Link makes a one-time link to the page served at base, such as
// http://127.0.0.1:7331. It lets one browser in, once, within ten minutes.
func (c *Console) Link(base string) string { return base + openPath + c.doors.link() }

// openPath is where a one-time link leads, linkPath where a program asks for one.
const (
	openPath = "/open/"
	linkPath = "/link"
)

func (c *Console) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /assets/{name}", c.asset)
	mux.HandleFunc("GET "+openPath+"{token}", c.open)
	mux.HandleFunc("POST "+linkPath, c.newLink)

	mux.HandleFunc("GET /{$}", c.signedIn(c.packs))
	mux.HandleFunc("GET /records", c.signedIn(c.timeline))
	mux.HandleFunc("GET /records/diff", c.signedIn(c.diff))
	mux.HandleFunc("GET /plans", c.signedIn(c.plans))
	mux.HandleFunc("GET /events", c.signedIn(c.events))

	mux.HandleFunc("POST /packs/{id}", c.signedIn(c.form(c.switchPack)))
	mux.HandleFunc("POST /tools/{name}", c.signedIn(c.form(c.switchTool)))
	mux.HandleFunc("POST /reset", c.signedIn(c.form(c.reset)))
	mux.HandleFunc("POST /records/undo", c.signedIn(c.form(c.undo)))
	mux.HandleFunc("POST /plans/{id}", c.signedIn(c.form(c.decide)))
	mux.HandleFunc("POST /leave", c.signedIn(c.form(c.leave)))
	mux.HandleFunc("/", c.signedIn(c.nothing))
	return mux
}
