package conform_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin/conform"
	"github.com/mnote-dev/mnote-host/plugin/kerneltest"
	"github.com/mnote-dev/mnote-host/tools"
)

const notes = "# 项目计划\n\n第一段，有 <html> & \"引号\"。\n\n- 一\n- 二"

func fake(faults ...kerneltest.Fault) (*kerneltest.Fake, conform.Subject) {
	f := kerneltest.NewFake(map[string]string{"项目/计划.md": notes, "another.md": "# Another"}, faults...)
	return f, conform.Subject{
		Kernel: f, People: f, MayWrite: true, WorkspaceID: f.WorkspaceID, DocumentID: "项目/计划.md",
		ActorID: "user_1", Profile: "hermes", AgentID: "hermes",
	}
}

// TestHonest: a kernel that keeps the contract passes, and every check leaves
// its page as it was.
func TestHonest(t *testing.T) {
	t.Parallel()
	kerneltest.Run(t, func(tb testing.TB) conform.Subject {
		f, s := fake()
		tb.Cleanup(func() {
			if d := cmp.Diff(notes, f.Text(s.DocumentID)); d != "" {
				tb.Errorf("the page is not as it was found: -want +got\n%s", d)
			}
		})
		return s
	})
}

// TestWithoutUndo: where undo is not there yet, the page is put back by its
// blocks.
func TestWithoutUndo(t *testing.T) {
	t.Parallel()
	kerneltest.Run(t, func(tb testing.TB) conform.Subject {
		f, s := fake(kerneltest.UndoIsPlanned)
		tb.Cleanup(func() {
			if d := cmp.Diff(notes, f.Text(s.DocumentID)); d != "" {
				tb.Errorf("the page is not as it was found: -want +got\n%s", d)
			}
		})
		return s
	})
}

// caught says which check must notice which fault.
var caught = map[kerneltest.Fault]string{
	kerneltest.ManifestHeadless:   "manifest/head",
	kerneltest.ManifestOddTool:    "manifest/tools",
	kerneltest.ManifestKeyless:    "manifest/writes",
	kerneltest.ManifestOddPack:    "manifest/packs",
	kerneltest.ManifestNoETag:     "manifest/etag",
	kerneltest.ManifestAlwaysNew:  "manifest/etag",
	kerneltest.ManifestNeverSame:  "manifest/etag",
	kerneltest.ManifestOfSwitches: "switches/manifest",

	kerneltest.EchoesOtherTool:  "read/echo",
	kerneltest.EchoesOtherCall:  "read/echo",
	kerneltest.EchoesOtherTrace: "read/echo",
	kerneltest.OKWithoutResult:  "read/envelope",
	kerneltest.FailsWithResult:  "refuse/unknown-tool",
	kerneltest.FailsWithEffect:  "refuse/unknown-tool",
	kerneltest.FailsSilently:    "refuse/unknown-tool",
	kerneltest.FailsOddly:       "refuse/unknown-tool",
	kerneltest.IgnoresContext:   "call/context",

	kerneltest.ReadNamesCommand:   "read/envelope",
	kerneltest.ReadWrites:         "read/repeat",
	kerneltest.ReadHidesRevision:  "read/revision",
	kerneltest.ReadOfAnother:      "read/envelope",
	kerneltest.ReadForgetsIDs:     "read/envelope",
	kerneltest.ReadKeyBinds:       "read/repeat",
	kerneltest.RunsUnknownTools:   "refuse/unknown-tool",
	kerneltest.RunsPlannedTools:   "refuse/planned-tool",
	kerneltest.TakesAnyArgs:       "refuse/bad-args",
	kerneltest.NamesNoViolation:   "refuse/bad-args",
	kerneltest.FindsAnother:       "refuse/missing-document",
	kerneltest.NeedsNoDocument:    "refuse/no-document",
	kerneltest.ServesAnyWorkspace: "refuse/foreign-workspace",
	kerneltest.LeaksTitles:        "refuse/foreign-workspace",

	kerneltest.TellsHidden:    "grant/document",
	kerneltest.IgnoresNarrow:  "grant/document",
	kerneltest.IgnoresScopes:  "grant/scope",
	kerneltest.IgnoresLevels:  "grant/none",
	kerneltest.IgnoresExpiry:  "grant/expired",
	kerneltest.PlansForShared: "grant/shared",
	kerneltest.NoPlansForRead: "grant/read-level",

	kerneltest.WriteKeepsRevision: "write/effect",
	kerneltest.WriteNamesNothing:  "write/effect",
	kerneltest.WriteWithoutID:     "write/effect",
	kerneltest.WriteSharesID:      "write/command-id",
	kerneltest.WriteIsLost:        "write/effect",
	kerneltest.IgnoresKeys:        "write/replay-at-once",
	kerneltest.ReplaysUnmarked:    "write/replay",
	kerneltest.ReplaysAnew:        "write/replay",
	kerneltest.KeyTakesAnything:   "write/key-conflict",
	kerneltest.IgnoresRevisions:   "write/revision-conflict",
	kerneltest.ConflictsBlindly:   "write/revision-conflict",
	kerneltest.UndoDoesNothing:    "write/undo",
	kerneltest.UndoSharesID:       "write/undo",
	kerneltest.UndoRepeats:        "write/undo",
	kerneltest.UndoRunsPlanned:    "write/undo",
	kerneltest.DryRunWrites:       "plan/dry-run",
	kerneltest.DryRunSaysWrite:    "plan/dry-run",
	kerneltest.DryRunHasNoDiff:    "plan/dry-run",
	kerneltest.DryRunUsesKey:      "plan/key",
	kerneltest.DryRunIgnoresRev:   "plan/conflict",
	kerneltest.PlanBindsNothing:   "plan/promise",
	kerneltest.PlanRepeats:        "plan/promise",
	kerneltest.PlanMiscounts:      "plan/promise",
	kerneltest.SavesAnything:      "refuse/bad-write",

	kerneltest.ListsNoPacks:       "switches/capabilities",
	kerneltest.ListsHalfPacks:     "switches/capabilities",
	kerneltest.ListsHalfTools:     "switches/tools",
	kerneltest.SkillsDisagree:     "switches/skills",
	kerneltest.SwitchesDoNothing:  "switches/pack",
	kerneltest.SwitchesLookOn:     "switches/tool",
	kerneltest.SwitchesSayNothing: "switches/pack",
	kerneltest.SwitchesForget:     "switches/both",
	kerneltest.SkillSwitchApart:   "switches/skill",
	kerneltest.SwitchesFixed:      "switches/fixed",
	kerneltest.SwitchesAnything:   "switches/unknown",
	kerneltest.SwitchesWrongly:    "switches/pack",
}

// TestCaught: each check can fail, on the very fault it is there for.
func TestCaught(t *testing.T) {
	t.Parallel()
	checks, never := map[string]conform.Check{}, map[string]bool{}
	for _, c := range conform.Checks() {
		checks[c.Name], never[c.Name] = c, true
	}
	for fault, name := range caught {
		t.Run(string(fault), func(t *testing.T) {
			t.Parallel()
			_, s := fake(fault)
			err := checks[name].Run(t.Context(), s)
			if err == nil {
				t.Fatalf("%s notices nothing", name)
			}
			t.Log(err)
		})
		delete(never, name)
	}
	for name := range never {
		t.Errorf("no fault is known that %s would notice", name)
	}
}

// TestSwitchedOffBefore: a switch that a person turned off stays off.
func TestSwitchedOffBefore(t *testing.T) {
	t.Parallel()
	for _, c := range conform.Checks() {
		f, s := fake()
		if _, err := f.Toggle(t.Context(), "tools", "mnote.page.get", false); err != nil {
			t.Fatal(err)
		}
		c.Run(t.Context(), s) // most fail: the tool they read with is off
		env, err := f.Call(t.Context(), tools.Call{ToolName: "mnote.page.get", WorkspaceID: f.WorkspaceID, DocumentID: &s.DocumentID})
		if err != nil || env.Error == nil || env.Error.Code != tools.CodeDisabled {
			t.Errorf("after %s the tool is on", c.Name)
		}
	}
}

// TestChecks: names are unique, and each check cites its clause.
func TestChecks(t *testing.T) {
	t.Parallel()
	names := map[string]bool{}
	for _, c := range conform.Checks() {
		if names[c.Name] || c.Clause == "" || c.Run == nil {
			t.Errorf("check %q: the name is taken, or clause or Run is missing", c.Name)
		}
		names[c.Name] = true
	}
}

func TestOffers(t *testing.T) {
	t.Parallel()
	_, s := fake()
	s.MayWrite, s.People = false, nil
	got := []bool{s.Offers(conform.NeedsRead), s.Offers(conform.NeedsWrite), s.Offers(conform.NeedsSwitches)}
	if d := cmp.Diff([]bool{true, false, false}, got); d != "" {
		t.Errorf("-want +got\n%s", d)
	}
}
