package plugin_test

import (
	"slices"
	"testing"
	"time"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// Pack, tools and grant combine in one place and the strictest wins; each chip
// of seed 7-47 §4.1 has its rows.
func TestChips(t *testing.T) {
	t.Parallel()
	get := tools.Tool{Name: "mnote.x.get", Kind: tools.KindRead, Status: tools.StatusAvailable, Enabled: true, Scopes: []tools.Scope{"x.read"}}
	save := tools.Tool{Name: "mnote.x.save", Kind: tools.KindWrite, Status: tools.StatusAvailable, Enabled: true, Scopes: []tools.Scope{"x.write"}}
	off := save
	off.Enabled, off.Status = false, tools.StatusDisabled
	needs := get
	needs.RequiresWritePermission = true
	planned := save
	planned.Status = tools.StatusPlanned
	on := capabilities.Pack{ID: "x", Enabled: true, Toggleable: true}
	with := func(change func(*capabilities.Pack)) capabilities.Pack {
		p := on
		change(&p)
		return p
	}
	readOnly := with(func(p *capabilities.Pack) { p.ReadOnly = true })
	maps := with(func(p *capabilities.Pack) { p.RequiresRefs = []string{"mindmap"} })
	past := time.Unix(0, 0)
	read := &tools.Grant{Level: tools.LevelRead}
	write := &tools.Grant{Level: tools.LevelWrite}
	for name, c := range map[string]struct {
		pack  capabilities.Pack
		tools []tools.Tool
		grant *tools.Grant
		want  []plugin.Chip
	}{
		"reads and writes":                      {on, []tools.Tool{get, save}, nil, []plugin.Chip{plugin.ChipWritable}},
		"only reads":                            {on, []tools.Tool{get}, nil, []plugin.Chip{plugin.ChipReadOnly}},
		"the pack's own readOnly":               {readOnly, []tools.Tool{get, save}, nil, []plugin.Chip{plugin.ChipReadOnly}},
		"a read that needs write permission":    {on, []tools.Tool{needs}, nil, []plugin.Chip{plugin.ChipWritable}},
		"the same in a read grant":              {on, []tools.Tool{needs}, read, []plugin.Chip{plugin.ChipNoWriting}},
		"a write grant":                         {on, []tools.Tool{get, save}, write, []plugin.Chip{plugin.ChipWritable}},
		"a read grant":                          {on, []tools.Tool{get, save}, read, []plugin.Chip{plugin.ChipNoWriting}},
		"readOnly is stricter than a grant":     {readOnly, []tools.Tool{get, save}, read, []plugin.Chip{plugin.ChipReadOnly}},
		"a shared read grant":                   {on, []tools.Tool{save}, &tools.Grant{Level: tools.LevelRead, Shared: true}, []plugin.Chip{plugin.ChipNoWriting}},
		"a grant of nothing":                    {on, []tools.Tool{save}, &tools.Grant{Level: tools.LevelNone}, []plugin.Chip{plugin.ChipUnusable}},
		"a grant without the scope":             {on, []tools.Tool{save}, &tools.Grant{Level: tools.LevelWrite, Scopes: []tools.Scope{"x.read"}}, []plugin.Chip{plugin.ChipNoWriting}},
		"a grant that is over":                  {on, []tools.Tool{save}, &tools.Grant{Level: tools.LevelWrite, ExpiresAt: &past}, []plugin.Chip{plugin.ChipUnusable}},
		"a grant for another workspace":         {on, []tools.Tool{save}, &tools.Grant{Level: tools.LevelWrite, WorkspaceID: "ws_2"}, []plugin.Chip{plugin.ChipUnusable}},
		"a resource pack, no resource granted":  {maps, []tools.Tool{save}, write, []plugin.Chip{plugin.ChipNoWriting}},
		"a resource pack, one granted":          {maps, []tools.Tool{save}, &tools.Grant{Level: tools.LevelWrite, ResourceIDs: []string{"m"}}, []plugin.Chip{plugin.ChipWritable}},
		"its one write is off":                  {on, []tools.Tool{get, off}, nil, []plugin.Chip{plugin.ChipReadOnly, plugin.ChipPartlyOff}},
		"its one write is off, in a read grant": {on, []tools.Tool{get, off}, read, []plugin.Chip{plugin.ChipNoWriting, plugin.ChipPartlyOff}},
		"reads whose scope is not granted":      {on, []tools.Tool{get}, &tools.Grant{Level: tools.LevelWrite, Scopes: []tools.Scope{"y.read"}}, []plugin.Chip{plugin.ChipUnusable}},
		"a lost switch":                         {with(func(p *capabilities.Pack) { p.Enabled, p.Lost = false, true }), []tools.Tool{get}, nil, []plugin.Chip{plugin.ChipLost}},
		"one of two writes is off":              {on, []tools.Tool{save, off}, nil, []plugin.Chip{plugin.ChipWritable, plugin.ChipPartlyOff}},
		"its one write is planned":              {on, []tools.Tool{get, planned}, nil, []plugin.Chip{plugin.ChipReadOnly}},
		"off":                                   {with(func(p *capabilities.Pack) { p.Enabled = false }), []tools.Tool{off}, nil, []plugin.Chip{plugin.ChipOff}},
		"planned":                               {with(func(p *capabilities.Pack) { p.Planned = true }), []tools.Tool{planned}, nil, []plugin.Chip{plugin.ChipPlanned}},
		"the agent's own tools":                 {with(func(p *capabilities.Pack) { p.NativeAgentTools = true }), nil, nil, []plugin.Chip{plugin.ChipGuidance}},
		"chat only":                             {with(func(p *capabilities.Pack) { p.UIKind = "chat" }), nil, nil, []plugin.Chip{plugin.ChipMode}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			host := plugin.New(plugin.Config{})
			t.Cleanup(func() { _ = host.Close(t.Context()) })
			s := host.Session(plugin.SessionConfig{WorkspaceID: "ws_1", LocalRoot: true, Grant: c.grant})
			if got := s.Chips(c.pack, c.tools); !slices.Equal(got, c.want) {
				t.Errorf("Chips = %v, want %v", got, c.want)
			}
		})
	}
}

// The words are those of seed 7-47 §4.1.
func TestChipWords(t *testing.T) {
	t.Parallel()
	for c, want := range map[plugin.Chip]string{
		plugin.ChipReadOnly: "只读", plugin.ChipWritable: "可写", plugin.ChipPartlyOff: "部分工具关闭", plugin.ChipNoWriting: "只读上下文不可写", plugin.ChipUnusable: "不可用",
	} {
		if got := c.In(tools.ZH); got != want {
			t.Errorf("%s reads %q, want %q", c, got, want)
		}
		if c.In(tools.EN) == "" || c.In(tools.EN) == want {
			t.Errorf("%s has no English word", c)
		}
	}
}
