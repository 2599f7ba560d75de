package kerneltest

import (
	"encoding/json"
	"slices"

	"github.com/mnote-dev/mnote-host/tools"
)

// refusal makes an error whose text is the same in both languages.
func refusal(code tools.Code, text string) *tools.Error {
	return tools.Errorf(code, tools.Text{ZH: "%s", EN: "%s"}, text)
}

// answer runs a call through the guards and then the tool.
func (f *Fake) answer(c tools.Call) tools.Envelope {
	guards := []func(tools.Call) *tools.Error{f.known, f.switched, f.workspace, f.granted, f.leveled, f.valid, f.found}
	for _, guard := range guards {
		if e := guard(c); e != nil {
			return tools.Refuse(c, f.leaky(c, e))
		}
	}
	env, e := f.run(c)
	if e != nil {
		return tools.Refuse(c, f.leaky(c, e))
	}
	return env
}

func (f *Fake) leaky(c tools.Call, e *tools.Error) error {
	if p := f.pages[c.Document()]; p != nil && f.has(LeaksTitles) {
		return e.With("title", p.title())
	}
	return e
}

func (f *Fake) run(c tools.Call) (tools.Envelope, *tools.Error) {
	tool := f.doc.tool(string(c.ToolName))
	switch {
	case tool == nil:
		return f.reading(c, map[string]any{}), nil // only a fault lets it come here
	case tool.Kind == tools.KindWrite:
		return f.write(c, *tool)
	case tool.takes("includeBlocks"):
		return f.read(c)
	}
	return f.reading(c, map[string]any{"indexState": "ready"}), nil
}

func (f *Fake) reading(c tools.Call, result any) tools.Envelope {
	command := ""
	if f.has(ReadNamesCommand) {
		command = "read_1"
	}
	env, err := tools.Succeed(c, tools.EffectRead, command, result)
	if err != nil {
		return tools.Refuse(c, err)
	}
	return env
}

func (f *Fake) known(c tools.Call) *tools.Error {
	t := f.doc.tool(string(c.ToolName))
	switch {
	case t == nil && !f.has(RunsUnknownTools):
		return refusal(tools.CodeNotFound, "no such tool")
	case t != nil && t.Status == tools.StatusPlanned && !f.has(RunsPlannedTools) && !(f.has(UndoRunsPlanned) && t.requires("commandId")):
		return refusal(tools.CodeNotFound, "the tool is planned")
	}
	return nil
}

func (f *Fake) switched(c tools.Call) *tools.Error {
	t := f.doc.tool(string(c.ToolName))
	if t == nil || f.has(SwitchesDoNothing) {
		return nil
	}
	e := refusal(tools.CodeDisabled, "switched off")
	switch off := f.offBy(*t); {
	case off == "":
		return nil
	case f.has(SwitchesSayNothing):
		return e
	default:
		return e.With("reason", off)
	}
}

func (f *Fake) workspace(c tools.Call) *tools.Error {
	if c.WorkspaceID != f.WorkspaceID && !f.has(ServesAnyWorkspace) {
		return refusal(tools.CodePermissionDenied, "another workspace")
	}
	return nil
}

func (f *Fake) granted(c tools.Call) *tools.Error {
	if c.Grant == nil {
		return nil
	}
	if c.Grant.Expired(f.now()) && !f.has(IgnoresExpiry) {
		return refusal(tools.CodePermissionDenied, "the grant has expired")
	}
	if t := f.doc.tool(string(c.ToolName)); t != nil && !f.has(IgnoresScopes) {
		for _, s := range t.CapabilityScope {
			if !c.Grant.Allows(s) {
				return refusal(tools.CodePermissionDenied, "the grant lacks a scope")
			}
		}
	}
	if !c.Grant.AllowsDocument(c.Document()) && !f.has(IgnoresNarrow) {
		if f.pages[c.Document()] != nil && f.has(TellsHidden) {
			return refusal(tools.CodePermissionDenied, "outside the grant")
		}
		return missing()
	}
	return nil
}

func missing() *tools.Error { return refusal(tools.CodeDocumentNotFound, "no such document") }

func (f *Fake) leveled(c tools.Call) *tools.Error {
	t := f.doc.tool(string(c.ToolName))
	if c.Grant == nil || t == nil || f.has(IgnoresLevels) {
		return nil
	}
	want := tools.LevelRead
	if t.Kind == tools.KindWrite && !f.mayPlan(c) {
		want = tools.LevelWrite
	}
	if !c.Grant.Level.AtLeast(want) {
		return refusal(tools.CodePermissionDenied, "the level does not permit it")
	}
	return nil
}

func (f *Fake) mayPlan(c tools.Call) bool {
	return c.DryRun && !f.has(NoPlansForRead) && (!c.Grant.Shared || f.has(PlansForShared))
}

// valid checks the few arguments that the pages need.
func (f *Fake) valid(c tools.Call) *tools.Error {
	var a fakeArgs
	err := json.Unmarshal(c.Args, &a)
	t := f.doc.tool(string(c.ToolName))
	lacks := t != nil && (t.requires("content") && a.Content == nil && !f.has(SavesAnything) || t.requires("commandId") && a.CommandID == "")
	if err == nil && !lacks || f.has(TakesAnyArgs) {
		return nil
	}
	e := refusal(tools.CodeInvalidArgs, "the arguments break the schema")
	if f.has(NamesNoViolation) {
		return e
	}
	return e.With("violations", []string{"the arguments break the schema"})
}

func (f *Fake) found(c tools.Call) *tools.Error {
	if t := f.doc.tool(string(c.ToolName)); t == nil || !t.takes("documentId") || f.has(FindsAnother) {
		return nil
	}
	if c.DocumentID == nil {
		if f.has(NeedsNoDocument) {
			return nil
		}
		return refusal(tools.CodeMissingContext, "no document")
	}
	if f.pages[c.Document()] == nil {
		return missing()
	}
	return nil
}

// manifestDoc is fake.json.
type manifestDoc struct {
	OK              bool       `json:"ok"`
	Runtime         string     `json:"runtime"`
	ManifestVersion string     `json:"manifestVersion,omitempty"`
	Capabilities    []fakePack `json:"capabilities"`
	Tools           []fakeTool `json:"tools"`
}

type fakePack struct {
	ID               string   `json:"id"`
	Title            string   `json:"title"`
	Subtitle         string   `json:"subtitle,omitempty"`
	Description      string   `json:"description"`
	SkillID          string   `json:"skillId"`
	Aliases          []string `json:"aliases"`
	AgentIDs         []string `json:"agentIds"`
	Category         string   `json:"category"`
	UIKind           string   `json:"uiKind"`
	Public           bool     `json:"public"`
	ReadOnly         bool     `json:"readOnly"`
	Enabled          bool     `json:"enabled"`
	Toggleable       bool     `json:"toggleable"`
	RequiresRefs     []string `json:"requiresContextRefs"`
	NativeAgentTools bool     `json:"nativeAgentTools"`
	ToolNames        []string `json:"toolNames"`
}

type fakeTool struct {
	Name                    string        `json:"name"`
	Title                   string        `json:"title"`
	Description             string        `json:"description"`
	Kind                    tools.Kind    `json:"kind"`
	Status                  tools.Status  `json:"status"`
	Enabled                 bool          `json:"enabled"`
	CapabilityID            string        `json:"capabilityId"`
	CapabilityIDs           []string      `json:"capabilityIds"`
	CapabilityScope         []tools.Scope `json:"capabilityScope"`
	RequiresWritePermission bool          `json:"requiresWritePermission"`
	InputSchema             fakeSchema    `json:"inputSchema"`
	Command                 string        `json:"command,omitempty"`
}

type fakeSchema struct {
	Type       string                     `json:"type"`
	Required   []string                   `json:"required"`
	Properties map[string]json.RawMessage `json:"properties"`
}

func (d manifestDoc) tool(name string) *fakeTool {
	if i := slices.IndexFunc(d.Tools, func(t fakeTool) bool { return t.Name == name }); i >= 0 {
		return &d.Tools[i]
	}
	return nil
}

func (t fakeTool) takes(arg string) bool    { _, has := t.InputSchema.Properties[arg]; return has }
func (t fakeTool) requires(arg string) bool { return slices.Contains(t.InputSchema.Required, arg) }
