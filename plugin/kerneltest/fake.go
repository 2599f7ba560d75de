package kerneltest

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

//go:embed fake.json
var fakeManifest []byte

// Fake is a kernel in memory: a few pages of paragraphs, the tools of fake.json,
// keys, revisions, plans, undo and switches. It keeps the contract except where
// a Fault says otherwise, and counts its effects. It is safe for concurrent use.
type Fake struct {
	// WorkspaceID is the one workspace it serves.
	WorkspaceID string

	faults []Fault
	now    func() time.Time

	mu       sync.Mutex
	doc      manifestDoc
	pages    map[string]*fakePage
	done     map[string]doneWrite
	plans    map[string]fakePlan
	commands map[string]fakeCommand
	offTools map[string]bool
	offPacks map[string]bool
	serial   int
	effects  int
}

var _ plugin.Kernel = (*Fake)(nil)

// NewFake makes a kernel with pages (document id → paragraphs, a blank line
// between two), honest but for the faults.
func NewFake(pages map[string]string, faults ...Fault) *Fake {
	f := &Fake{
		WorkspaceID: "ws_fakefakefakefake", faults: faults, now: time.Now,
		pages: map[string]*fakePage{}, done: map[string]doneWrite{}, plans: map[string]fakePlan{},
		commands: map[string]fakeCommand{}, offTools: map[string]bool{}, offPacks: map[string]bool{},
	}
	if err := json.Unmarshal(fakeManifest, &f.doc); err != nil {
		panic(err) // fake.json is ours
	}
	if f.has(UndoIsPlanned) || f.has(UndoRunsPlanned) {
		for i := range f.doc.Tools {
			if f.doc.Tools[i].requires("commandId") {
				f.doc.Tools[i].Status = tools.StatusPlanned
			}
		}
	}
	for id, text := range pages {
		f.pages[id] = &fakePage{text: strings.TrimSpace(text), revision: 1}
	}
	return f
}

// Effects counts the writes that happened.
func (f *Fake) Effects() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.effects
}

// Text gives a page as it is now.
func (f *Fake) Text(documentID string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.pages[documentID].text
}

// Manifest gives the manifest with the switches as they are.
func (f *Fake) Manifest(ctx context.Context, etag string) (capabilities.Manifest, error) {
	if err := ended(ctx); err != nil {
		return capabilities.Manifest{}, err
	}
	raw, tag := f.manifest()
	if etag != "" && etag == tag && !f.has(ManifestAlwaysNew) {
		return capabilities.Manifest{}, capabilities.ErrNotModified
	}
	m, err := capabilities.Read(raw)
	m.ETag = tag
	return m, err
}

// Call runs one tool.
func (f *Fake) Call(ctx context.Context, c tools.Call) (tools.Envelope, error) {
	if err := ended(ctx); err != nil && !f.has(IgnoresContext) {
		return tools.Envelope{}, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.spoiled(f.answer(c)), nil
}

func ended(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return tools.Errorf(tools.CodeCancelled, tools.Text{ZH: "调用已被取消", EN: "the call was cancelled"}).Because(ctx.Err())
}

// spoiled is what the faults of every answer make of one.
func (f *Fake) spoiled(env tools.Envelope) tools.Envelope {
	switch {
	case f.has(EchoesOtherTool):
		env.ToolName += "x"
	case f.has(EchoesOtherCall):
		env.ToolCallID = "call_0"
	case f.has(EchoesOtherTrace):
		env.TraceID = "trace_0"
	case f.has(OKWithoutResult) && env.OK:
		env.Result = nil
	case f.has(FailsWithResult) && !env.OK:
		env.Result = json.RawMessage(`{}`)
	case f.has(FailsWithEffect) && !env.OK:
		env.Audit.Effect = tools.EffectRead
	case f.has(FailsSilently) && !env.OK:
		env.Error = &tools.Error{Code: env.Error.Code, Details: env.Error.Details}
	case f.has(FailsOddly) && !env.OK:
		env.Error = &tools.Error{Code: "nope", Message: "no"}
	}
	return env
}

func (f *Fake) next(what string) string {
	f.serial++
	return fmt.Sprintf("%s_%d", what, f.serial)
}
