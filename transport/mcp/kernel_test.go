package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/tools"
)

// scripted is a kernel that answers by the lines of a conversation's kernel
// section, in order: the tool, members that the call must have, and the answer.
type scripted struct {
	t               *testing.T
	manifest, later capabilities.Manifest

	mu      sync.Mutex
	turned  bool
	script  []answer
	held    <-chan struct{}
	release func()
}

// answer is one line of the kernel section.
type answer struct {
	Tool tools.Name `json:"tool"`
	// Call holds members that the call must have, Args all its arguments.
	Call map[string]any  `json:"call"`
	Args json.RawMessage `json:"args"`
	// Hold keeps the answer back until "! release".
	Hold bool `json:"hold"`

	Effect    tools.Effect    `json:"effect"`
	CommandID string          `json:"commandId"`
	Result    json.RawMessage `json:"result"`
	Error     *tools.Error    `json:"error"`
}

func newScripted(t *testing.T, a *txtar.Archive) *scripted {
	t.Helper()
	k := &scripted{t: t, manifest: manifest(t, smallManifest)}
	if doc, has := section(a, "manifest.json"); has {
		k.manifest = manifest(t, string(doc))
	}
	k.later = k.manifest
	if doc, has := section(a, "later.json"); has {
		k.later = manifest(t, string(doc))
	}
	script, _ := section(a, "kernel")
	for _, line := range lines(script) {
		var next answer
		decode(t, []byte(line), &next)
		k.script = append(k.script, next)
	}
	held := make(chan struct{})
	k.release = sync.OnceFunc(func() { close(held) })
	t.Cleanup(k.release)
	k.held = held
	return k
}

func manifest(t testing.TB, doc string) capabilities.Manifest {
	t.Helper()
	m, err := capabilities.Read([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// turn makes the later manifest the kernel's.
func (k *scripted) turn() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.turned = true
}

// Manifest implements capabilities.Source.
func (k *scripted) Manifest(context.Context, string) (capabilities.Manifest, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.turned {
		return k.later, nil
	}
	return k.manifest, nil
}

// Call implements plugin.Kernel.
func (k *scripted) Call(ctx context.Context, c tools.Call) (tools.Envelope, error) {
	if c.DryRun && !k.plans(c) {
		return tools.Succeed(c, tools.EffectDryRun, "", json.RawMessage(`{"dryRun":true,"diff":[{"op":"append","blocks":1}],"planId":"plan_1"}`))
	}
	next, err := k.next(c)
	if err != nil {
		k.t.Error(err)
		return tools.Envelope{}, tools.AsError(err)
	}
	if next.Hold {
		select {
		case <-k.held:
		case <-ctx.Done():
			return tools.Envelope{}, tools.Errorf(tools.CodeTimeout, tools.Text{ZH: "没有回答", EN: "no answer"}).Because(ctx.Err())
		}
	}
	if next.Error != nil {
		return tools.Refuse(c, next.Error), nil
	}
	return tools.Succeed(c, next.Effect, next.CommandID, next.Result)
}

// plans reports whether the script's next line answers this dry run. One that
// the script is silent about is the host's own, for the question it cannot ask.
func (k *scripted) plans(c tools.Call) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.script) > 0 && k.script[0].Tool == c.ToolName && (k.script[0].Effect == tools.EffectDryRun || k.script[0].Error != nil)
}

// next takes the script's next line and holds the call against it.
func (k *scripted) next(c tools.Call) (answer, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.script) == 0 {
		return answer{}, fmt.Errorf("the kernel was called for %s %s, which the script does not have", c.ToolName, c.Args)
	}
	next := k.script[0]
	k.script = k.script[1:]
	if next.Tool != c.ToolName {
		return answer{}, fmt.Errorf("the kernel was called for %s, the script says %s", c.ToolName, next.Tool)
	}
	if next.Args != nil && !sameJSON(next.Args, c.Args) {
		k.t.Errorf("%s was called with %s, the script says %s", c.ToolName, c.Args, next.Args)
	}
	var sent map[string]any
	whole, err := json.Marshal(c)
	if err != nil {
		return answer{}, err
	}
	if err := json.Unmarshal(whole, &sent); err != nil {
		return answer{}, err
	}
	for member, want := range next.Call {
		if got := sent[member]; !cmp.Equal(got, want) {
			k.t.Errorf("%s was called with %s %v, the script says %v", c.ToolName, member, got, want)
		}
	}
	return next, nil
}

// finished says that the script was played to its end.
func (k *scripted) finished(t *testing.T) {
	t.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, a := range k.script {
		t.Errorf("the kernel was not called for %s", a.Tool)
	}
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && cmp.Equal(x, y)
}
