package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/plugin/localkernel"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/kernel"
)

// parts is the program put together for running calls.
type parts struct {
	host     *plugin.Host
	registry *capabilities.Registry
	session  *plugin.Session
	client   *kernel.Client // nil without a kernel
	local    *localkernel.Kernel
	// hand is whose switches turn here, for the audit: the command line's, unless a
	// page is served.
	hand string
}

// The hands that turn switches.
const (
	handCLI     = "cli"
	handConsole = "console"
	handHTTP    = "http"
)

// door leads into the embedded kernel; what is switched through it is recorded.
func (w *parts) door(person bool, by func() string) localkernel.Door {
	return localkernel.Door{Person: person, Turned: func(ctx context.Context, t localkernel.Turn) {
		w.session.Turned(ctx, t.What, t.On, t.Profile, by())
	}}
}

// doors sends a person's own undo by the person's door and all else by the
// agents'.
type doors struct{ agents, person http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (d doors) RoundTrip(r *http.Request) (*http.Response, error) {
	if plugin.ByPerson(r.Context()) {
		return d.person.RoundTrip(r)
	}
	return d.agents.RoundTrip(r)
}

// localID names the embedded kernel in the ledger's keys.
const localID = "local"

// assemble wires kernel, registry, host and session from the settings. It does
// no network, and opens no database but where switches were turned since the last
// start: the handshake waits for nothing else, and what is wrong is told by every
// call instead.
func (p *program) assemble() *parts {
	w := parts{hand: handCLI}
	session := p.sessionConfig()
	chain := p.connect(&w, &session)
	load, save := plugin.KeepManifest(p.values.get("state"), p.values.get("kernel"), p.values.get("workspace"), session.Profile, session.AgentID)
	registry := capabilities.Config{AgentID: session.AgentID, Load: load, Save: save, Log: p.inner, Shipped: shipped}
	if chain != nil {
		registry.Source = chain
	}
	if w.local != nil {
		registry.ReadFirst, registry.Stamp, registry.Poll = w.firstManifest, w.local.Stamp, localPoll
	}
	w.registry = capabilities.NewRegistry(registry)
	w.host = plugin.New(plugin.Config{Kernel: chain, Registry: w.registry, StateDir: p.values.get("state"), KernelID: p.kernelID(), ApproveWith: p.approveWith(), Limits: p.limits(), Log: p.inner})
	w.session = w.host.Session(session)
	return &w
}

// localPoll is how soon the lists of a running session follow a switch that
// another process turned: the embedded kernel is asked in process, for the cost
// of reading one number. Calls do not wait for it.
const localPoll = 2 * time.Second

// firstPatience bounds the one look at the switches that a start may need.
const firstPatience = 2 * time.Second

// firstManifest is what the embedded kernel offers now, where no earlier start
// left it: what is off is in no first list and no instructions. Where the switches
// cannot be read, nothing is on.
func (w *parts) firstManifest() capabilities.Manifest {
	if w.local.Unswitched() {
		return shipped()
	}
	ctx, cancel := context.WithTimeout(context.Background(), firstPatience)
	defer cancel()
	m, err := w.client.Manifest(ctx, "")
	if err == nil {
		return m
	}
	m = shipped()
	for i := range m.Packs {
		m.Packs[i].Enabled, m.Packs[i].Unread = false, true
	}
	return m
}

// shipped is the local kernel's own manifest.
func shipped() capabilities.Manifest {
	m, err := capabilities.Read(localkernel.ManifestJSON())
	if err != nil {
		return capabilities.Fallback() // an embedded document that its own tests read
	}
	return m
}

// limits bound a session; 0 at --rate is no limit, which to the pipeline is a
// negative number.
func (p *program) limits() plugin.Limits {
	rate := p.number("rate")
	if rate == 0 {
		rate = -1
	}
	return plugin.Limits{CallsPerSecond: rate}
}

func (p *program) kernelID() string {
	if u := p.values.get("kernel"); u != "" {
		return u
	}
	return localID
}

// connect finds the kernel that the settings name and tells the session what
// follows from it. With neither kernel nor workspace there is none, and every
// call says how to set one. A session that may do nothing has its kernel too:
// what it lists is what there is, and its person still turns switches off.
func (p *program) connect(w *parts, session *plugin.SessionConfig) plugin.Kernel {
	cfg := kernel.Config{URL: p.values.get("kernel"), Profile: session.Profile, AgentID: session.AgentID, Lang: session.Lang, Log: p.inner}
	folder := p.values.get("workspace")
	if folder != "" {
		session.RootURI = fileURI(folder)
		session.LocalRoot = true
	}
	switch {
	case cfg.URL != "":
		cfg.Token = p.token()
	case folder != "":
		if err := p.openLocal(w, &cfg, folder); err != nil {
			session.RequireKernel = cmp.Or(session.RequireKernel, err)
			return nil
		}
		session.WorkspaceID = w.local.WorkspaceID()
	default:
		session.RequireKernel = cmp.Or(session.RequireKernel, p.noKernel())
		return nil
	}
	if why := p.values.placed(); why != (text{}) {
		p.log.Warn().Msg(why.in(p.lang))
	}
	w.client = kernel.New(cfg)
	asked := kernel.Log(w.client, p.inner)
	if !p.attended { // one command asks no kernel often enough to have to leave it alone
		asked = kernel.Breaker(asked, kernel.BreakerConfig{})
	}
	asked = kernel.Retry(asked, kernel.RetryConfig{})
	if folder != "" && w.local == nil {
		asked = p.agreed(asked, folder)
	}
	return asked
}

// openLocal opens the embedded kernel and points the client at it, in process:
// same client, same bytes, no port.
func (p *program) openLocal(w *parts, cfg *kernel.Config, folder string) error {
	if err := p.apart(folder); err != nil {
		p.keepNothing() // what is refused is recorded nowhere either
		return err
	}
	token := cmp.Or(p.localToken, rand.Text())
	local, err := localkernel.Open(folder, p.localOptions(token))
	if err != nil {
		return p.noFolder(folder, err)
	}
	w.local = local
	cfg.URL, cfg.Token = "http://localhost", token // a name that the kernel serves; nothing is dialled
	here := func() string { return w.hand }
	cfg.Client = &http.Client{Transport: doors{
		agents: kernel.InProcess(local.Through(w.door(false, here))), person: kernel.InProcess(local.Through(w.door(true, here))),
	}}
	return nil
}

func (p *program) localOptions(token string) localkernel.Options {
	return localkernel.Options{
		StateDir: p.values.get("state"), Token: token, ActorID: p.values.get("actor"), HistoryKeep: p.historyKeep(), Log: p.inner,
	}
}

// historyKeep is how many revisions of a page are kept. Where what a person set
// cannot be understood nothing is dropped: it may have been more.
func (p *program) historyKeep() int {
	_, spoiled := p.values.spoiled["history-keep"]
	if _, unread := p.values.spoiled[""]; spoiled || unread {
		return math.MaxInt
	}
	return p.number("history-keep")
}

// close ends the parts: calls that are out get a moment, then all is flushed.
func (w *parts) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = w.host.Close(ctx) // its own log line says what failed
	if w.local != nil {
		_ = w.local.Close()
	}
}

// sessionConfig reads what the spawner says of the session.
func (p *program) sessionConfig() plugin.SessionConfig {
	v := p.values
	cfg := plugin.SessionConfig{
		WorkspaceID: v.get("workspace-id"), DocumentID: v.get("document"), ActorID: v.get("actor"),
		SessionID: v.get("session"), RunID: v.get("run"), Profile: v.get("profile"), AgentID: p.agentID(),
		Confirm: plugin.ConfirmMode(v.get("confirm")), Refs: p.refs(), Lang: p.spoken(),
	}
	cfg.Grant, cfg.RequireKernel = p.grant()
	if cfg.Grant != nil && cfg.WorkspaceID == "" {
		cfg.WorkspaceID = cfg.Grant.WorkspaceID
	}
	return cfg
}

// agentID is the one set, else the client's, else mcp.
func (p *program) agentID() string {
	return cmp.Or(p.values.get("agent-id"), p.client().AgentID, "mcp")
}

// refs reads what the person attached: a JSON list of kind:id.
func (p *program) refs() []tools.Ref {
	doc := p.values.get("refs")
	if doc == "" {
		return nil
	}
	var list []string
	if err := json.Unmarshal([]byte(doc), &list); err != nil {
		p.log.Warn().Msg(p.say(`MNOTE_CONTEXT_REFS 不是 JSON 列表（如 ["page:a.md"]），已忽略`, `MNOTE_CONTEXT_REFS is not a JSON list such as ["page:a.md"], and was ignored`))
		return nil
	}
	var refs []tools.Ref
	for _, entry := range list {
		kind, id, ok := strings.Cut(entry, ":")
		if !ok || id == "" || !refKinds[kind] {
			p.log.Warn().Str("ref", entry).Msg(p.say("引用要写成 种类:id，种类是 page、folder、file、mindmap、office；已忽略这一条", "a ref is kind:id with kind page, folder, file, mindmap or office; this one was ignored"))
			continue
		}
		refs = append(refs, tools.Ref{Kind: kind, ID: id})
	}
	return refs
}

var refKinds = map[string]bool{"page": true, "folder": true, "file": true, "mindmap": true, "office": true}

// token finds the kernel's token: the variable, else the file.
func (p *program) token() string {
	if t := p.values.get("kernel-token"); t != "" {
		return t
	}
	file := p.values.get("kernel-token-file")
	if file == "" {
		return ""
	}
	data, err := os.ReadFile(file)
	if err != nil {
		p.log.Error().Str("file", file).Msg(p.say("令牌文件读不了", "the token file cannot be read"))
		return ""
	}
	return strings.TrimSpace(string(data))
}

// fileURI names a folder as a file URI, on Windows too (file:///C:/notes).
func fileURI(folder string) string {
	path := filepath.ToSlash(folder)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
