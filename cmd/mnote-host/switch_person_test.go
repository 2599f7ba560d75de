package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// fails runs a command that must be refused.
func (h *house) fails(args ...string) string {
	h.t.Helper()
	out, err := started(h.t, h.env, args...).CombinedOutput()
	if err == nil {
		h.t.Errorf("%v passed: %s", args, out)
	}
	return string(out)
}

// TestSwitchesAreThePersons: what the command line says of a switch is so, for
// whom it says, and is in the audit; and the person's own undo needs no switch.
func TestSwitchesAreThePersons(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	at := func(args ...string) []string { return append(args, "--workspace", h.notes) }
	host := h.host("--workspace", h.notes)
	written, err := host.Call(t.Context(), "mnote_page_save", map[string]any{"content": "- more", "mode": "append", "dryRun": false, "expectedRevision": 1})
	if err != nil || written.IsError {
		t.Fatalf("%+v, %v", written, err)
	}
	command := regexp.MustCompile(`"commandId":"([^"]+)"`).FindStringSubmatch(written.Text)
	if command == nil {
		t.Fatal(written.Text)
	}
	for _, c := range []struct{ args, want string }{
		{"capabilities disable mnote_page_save", "tool mnote.page.save: off, for profile default alone"},
		{"capabilities disable mnote-current-page", "capability mnote-current-page: off, for every profile"},
		{"capabilities disable mnote.page.get --profile bbo", "no agent has made a call in profile bbo yet"},
		{"capabilities --profile bbo", "single tools as in profile bbo"},
	} {
		if out := h.run(at(strings.Fields(c.args)...)...); !strings.Contains(out, c.want) {
			t.Errorf("%s says %s", c.args, out)
		}
	}
	for _, onOff := range []string{"enable", "disable"} {
		if out := h.fails(at("capabilities", onOff, "mnote-mindmap")...); !strings.Contains(out, "not built yet, so it has no switch") {
			t.Errorf("%s of what is not built says %s", onOff, out)
		}
	}
	agree(t, "the agent's undo", "mnote_command_undo", map[string]any{"commandId": command[1], "dryRun": false}, "mnote_tool_disabled capability", host)
	if out := h.fails(at("undo", command[1], "--access-scope", `{"permissionLevel":"write"}`)...); !strings.Contains(out, "mnote_tool_disabled") {
		t.Errorf("an undo narrowed by a grant says %s", out)
	}
	if out := h.run(at("undo", command[1])...); !strings.Contains(out, "undone") {
		t.Errorf("the person's undo says %s", out)
	}
	if text, err := os.ReadFile(filepath.Join(h.notes, "a.md")); err != nil || string(text) != "# A\n\ntext\n" {
		t.Errorf("%q, %v", text, err)
	}
	h.run(at("capabilities", "reset")...)
	agree(t, "after reset", "mnote_page_get", readPage, "", host)
	audit := h.run(at("audit", "--json")...)
	for _, want := range []string{
		`"agentId":"cli"[^}]*"documentId":"mnote.page.save","toolName":"mnote.capability.disable"`,
		`"documentId":"mnote-current-page","toolName":"mnote.capability.disable"`,
		`"profile":"bbo"[^}]*"documentId":"mnote.page.get","toolName":"mnote.capability.disable"`,
		`"toolName":"mnote.capability.reset"`,
	} {
		if !regexp.MustCompile(want).MatchString(audit) {
			t.Errorf("the audit has no %s:\n%s", want, audit)
		}
	}
}

// TestFirstListOfAStart: a process that starts after a switch shows, in its first
// answers, what is on now and not what an earlier one knew.
func TestFirstListOfAStart(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	listed := func() int {
		t.Helper()
		list, _, err := h.host("--workspace", h.notes).Tools(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	all := listed()
	for range 2 {
		h.run("capabilities", "disable", "mnote-current-page", "--workspace", h.notes)
		if n := listed(); n >= all || n == 0 {
			t.Errorf("off: %d tools of %d", n, all)
		}
		h.run("capabilities", "enable", "mnote-current-page", "--workspace", h.notes)
		if n := listed(); n != all {
			t.Errorf("on: %d tools of %d", n, all)
		}
	}
	if err := os.Remove(filepath.Join(strings.TrimPrefix(h.env[0], "HOME="), ".mnote", "host", "switches.db")); err != nil {
		t.Fatal(err)
	}
	if n := listed(); n != 0 {
		t.Errorf("switches lost: %d tools", n)
	}
	if out := h.run("capabilities", "--workspace", h.notes); !strings.Contains(out, "capabilities reset") || !strings.Contains(out, "its switch was lost") {
		t.Errorf("the table says nothing: %s", out)
	}
	_, link := h.serve(linkLine, "console", "--workspace", h.notes, "--no-open")
	page := visit(t, link)
	if shown := page.page("/"); !strings.Contains(shown, `action="/reset"`) {
		t.Errorf("the page offers no way back: %s", shown)
	}
	page.press("/reset", nil)
	if n := listed(); n != all {
		t.Errorf("reset by the page: %d tools of %d", n, all)
	}
	if out := h.run("audit", "--json"); !strings.Contains(out, `"toolName":"mnote.capability.reset"`) {
		t.Errorf("the audit knows nothing of the reset: %s", out)
	}
}
