package main

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// A row says what became of the notes, not only of the answer.
func TestAuditLine(t *testing.T) {
	t.Parallel()
	p := &program{lang: tools.EN}
	for name, tt := range map[string]struct {
		row  plugin.AuditRow
		want string
	}{
		"read":                  {plugin.AuditRow{Effect: tools.EffectRead}, "read"},
		"written":               {plugin.AuditRow{Effect: tools.EffectWrite, CommandID: "cmd_1"}, "write  cmd_1"},
		"replayed":              {plugin.AuditRow{Effect: tools.EffectWrite, CommandID: "cmd_1", Replayed: true}, "write (replayed)  cmd_1"},
		"refused":               {plugin.AuditRow{Effect: tools.EffectNone, Code: tools.CodeConflict}, "mnote_tool_conflict"},
		"cancelled, written":    {plugin.AuditRow{Effect: tools.EffectWrite, Code: tools.CodeCancelled, CommandID: "cmd_1"}, "written, answer not delivered  cmd_1"},
		"cancelled, no command": {plugin.AuditRow{Effect: tools.EffectNone, Code: tools.CodeCancelled}, "mnote_tool_cancelled"},
	} {
		line := p.auditLine(tt.row)
		if d := cmp.Diff(tt.want, line[len(line)-1]); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.Local)
	if got := shortTime(now, now) + shortTime(now.AddDate(-1, 0, 0), now); got != "11-30 12:00:00"+"2025-11-30 12:00:00" {
		t.Error(got)
	}
}

// A record without its head is no record that is whole.
func TestBrokenText(t *testing.T) {
	t.Parallel()
	p := &program{lang: tools.EN}
	got := p.brokenText(plugin.AuditChain{Rows: 5, Broken: &plugin.AuditBreak{Seq: 6, Kind: plugin.AuditUnmarked}})
	if !strings.Contains(got, "whether the newest rows were cut off cannot be told") {
		t.Error(got)
	}
	if got := p.brokenText(plugin.AuditChain{Broken: &plugin.AuditBreak{Seq: 6, Kind: "altered"}}); got != "row 6 is not as it was written: altered" {
		t.Error(got)
	}
}
