package kernel_test

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/kernel"
)

// TestPeople reads the lists and turns each switch, over every carrier.
func TestPeople(t *testing.T) {
	t.Parallel()
	for carrier, open := range carriers {
		t.Run(carrier, func(t *testing.T) {
			t.Parallel()
			c := open(t, newFake())
			ctx := t.Context()
			status := kernel.ToolSwitch{Name: "mnote.knowledge_rag.status", Kind: "read", Status: "available", Enabled: true, PackID: "mnote-knowledge-rag"}
			planned := kernel.ToolSwitch{Name: "mnote.knowledge_rag.query", Kind: "read", Status: "planned", Enabled: true, PackID: "mnote-knowledge-rag"}

			packs, err := c.Capabilities(ctx)
			if err != nil || len(packs) != 1 || len(packs[0].Packs) != 3 {
				t.Fatalf("%v %+v", err, packs)
			}
			want := kernel.PackSwitch{
				ID: "mnote-knowledge-rag", Title: "资料库问答", Subtitle: packs[0].Packs[1].Subtitle, Description: packs[0].Packs[1].Description,
				Enabled: true, Toggleable: true, ReadOnly: true, SkillID: "mnote-knowledge-rag", UIKind: "capability",
				ToolNames: []tools.Name{status.Name, planned.Name}, Tools: []kernel.ToolSwitch{status, planned},
				RequiresRefs: []string{"folder"}, ConfigScope: "user_sqlite+profile_tool_policy",
			}
			if d := cmp.Diff(want, packs[0].Packs[1]); d != "" {
				t.Errorf("pack: -want +got\n%s", d)
			}

			off := status
			off.Enabled, off.Status = false, tools.StatusDisabledByPack
			got, err := c.ToggleCapability(ctx, "mnote-knowledge-rag", false)
			if d := cmp.Diff(kernel.Toggled{ID: "mnote-knowledge-rag", Tools: []kernel.ToolSwitch{off, planned}}, got); err != nil || d != "" {
				t.Errorf("pack off: %v -want +got\n%s", err, d)
			}
			skills, err := c.Skills(ctx)
			if err != nil || len(skills) != 3 || skills[1].Enabled || !skills[0].Enabled {
				t.Errorf("skills: %v %+v", err, skills)
			}
			if got, err := c.ToggleSkill(ctx, "mnote-knowledge-rag", true); err != nil || !got.Enabled {
				t.Errorf("skill on: %v %+v", err, got)
			}
			off.Status = tools.StatusDisabled
			if got, err := c.ToggleTool(ctx, status.Name, false); err != nil || !cmp.Equal(got, kernel.Toggled{ID: string(status.Name), Tools: []kernel.ToolSwitch{off}}) {
				t.Errorf("tool off: %v %+v", err, got)
			}
			lines, err := c.Tools(ctx)
			if err != nil || !cmp.Equal(lines[len(lines)-2:], []kernel.ToolSwitch{off, planned}) {
				t.Errorf("tools: %v %+v", err, lines)
			}
			_, err = c.ToggleCapability(ctx, "nope", true)
			coded(t, err, tools.CodeNotFound)
			_, err = c.ToggleCapability(ctx, "mnote-chat-only", false)
			coded(t, err, tools.CodeConflict)
		})
	}
}

// TestPeopleBadAnswers: what is no list is told as a breach, what is an error as
// that error.
func TestPeopleBadAnswers(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		code   tools.Code
	}{
		"html":           {reply(200, "<html>"), tools.CodeContractViolation},
		"no ok":          {reply(200, `{"tools":[]}`), tools.CodeContractViolation},
		"ok a string":    {reply(200, `{"ok":"yes","tools":[]}`), tools.CodeContractViolation},
		"not ok":         {reply(200, `{"ok":false,"error":{"code":"mnote_tool_conflict","message":"m"}}`), tools.CodeConflict},
		"not ok, mute":   {reply(200, `{"ok":false}`), tools.CodeContractViolation},
		"odd list":       {reply(200, `{"ok":true,"tools":{"a":1}}`), tools.CodeContractViolation},
		"404":            {reply(404, `{"ok":false,"error":{"code":"mnote_tool_not_found","message":"m"}}`), tools.CodeNotFound},
		"404 bare":       {reply(404, ""), tools.CodeKernelUnavailable},
		"not toggleable": {reply(409, `{"ok":false,"error":{"code":"mnote_tool_conflict","message":"m"}}`), tools.CodeConflict},
		"dropped":        {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, tools.CodeTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := inProcess(t, tc.answer)
			_, err := c.Tools(t.Context())
			coded(t, err, tc.code)
			_, err = c.ToggleTool(t.Context(), "mnote.page.get", false)
			coded(t, err, tc.code)
		})
	}
}
