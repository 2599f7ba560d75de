package guard_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin/internal/guard"
	"github.com/mnote-dev/mnote-host/tools"
)

func TestGate(t *testing.T) {
	t.Parallel()
	const byTool, byPack = "mnote_tool_disabled tool", "mnote_tool_disabled capability"
	on, off := capabilities.Pack{ID: "on", Enabled: true}, capabilities.Pack{ID: "off"}
	for name, c := range map[string]struct {
		tool tools.Tool
		want string
	}{
		"on":                         {tools.Tool{Enabled: true, PackIDs: []string{"on"}}, ""},
		"of no pack":                 {tools.Tool{Enabled: true}, ""},
		"of a pack nobody knows":     {tools.Tool{Enabled: true, PackIDs: []string{"what"}}, ""},
		"off by itself":              {tools.Tool{PackIDs: []string{"on"}}, byTool},
		"off by its status":          {tools.Tool{Enabled: true, Status: tools.StatusDisabled}, byTool},
		"off by its pack":            {tools.Tool{Enabled: true, PackIDs: []string{"off"}}, byPack},
		"off by its pack's word":     {tools.Tool{Enabled: true, Status: tools.StatusDisabledByPack}, byPack},
		"pack off wins":              {tools.Tool{PackIDs: []string{"off"}}, byPack},
		"on while one of them is":    {tools.Tool{Enabled: true, PackIDs: []string{"off", "on"}}, ""},
		"off although a pack is not": {tools.Tool{PackIDs: []string{"off", "on"}}, byTool},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.tool.Name = "mnote.x.get"
			s := capabilities.NewSnapshot(capabilities.Manifest{Packs: []capabilities.Pack{on, off}, Tools: []tools.Tool{c.tool}}, "")
			if diff := cmp.Diff(c.want, verdict(guard.Gate(s, c.tool))); diff != "" {
				t.Error(diff)
			}
		})
	}
}
