package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/plugin/console"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/kernel"
)

func (p *program) capabilitiesCommand() *cobra.Command {
	var asJSON, withTools bool
	c := &cobra.Command{
		Use: "capabilities", GroupID: groupChange, Args: cobra.NoArgs,
		Short: p.say("能力和它们的开关", "the capabilities and their switches"),
		Long: p.exits(p.say(
			"每个能力一个开关。关掉的，所有正在运行的 agent 从下一次调用起就不能再用。\nID 是能力的 id（旧 id 也行）；写工具名（mnote.page.save）则只开关这一个工具，按 --profile 保存。\n\n  mnote-host capabilities --workspace ~/notes\n  mnote-host capabilities disable mnote-mindmap --workspace ~/notes",
			"One switch per capability. What is off is refused to every running agent from its next call on.\nID is a capability's id, an old one too; a tool's name (mnote.page.save) switches that tool alone, in the --profile.\n\n  mnote-host capabilities --workspace ~/notes\n  mnote-host capabilities disable mnote-mindmap --workspace ~/notes")),
		RunE: func(c *cobra.Command, _ []string) error { return p.listPacks(c.Context(), asJSON, withTools) },
	}
	c.PersistentFlags().BoolVar(&asJSON, "json", false, p.say("打印内核的原样回答", "print the kernel's answer as it is"))
	list := &cobra.Command{
		Use: "list", Args: cobra.NoArgs, Short: p.say("列出", "list them"),
		RunE: func(c *cobra.Command, _ []string) error { return p.listPacks(c.Context(), asJSON, withTools) },
	}
	for _, l := range []*cobra.Command{c, list} {
		l.Flags().BoolVar(&withTools, "tools", false, p.say("也列出每个能力的工具", "list each one's tools too"))
	}
	turn := func(use, short string, on bool) *cobra.Command {
		return &cobra.Command{
			Use: use + " ID", Args: cobra.ExactArgs(1), Short: short,
			RunE: func(c *cobra.Command, args []string) error { return p.turn(c.Context(), args[0], on, asJSON) },
		}
	}
	c.AddCommand(list, turn("enable", p.say("打开", "switch one on"), true), turn("disable", p.say("关闭", "switch one off"), false))
	return c
}

// reach gives the parts with a kernel behind them, for a command of a person's.
func (p *program) reach() (*parts, error) {
	w := p.assemble()
	if w.client == nil {
		defer w.close()
		return nil, w.session.Config().RequireKernel
	}
	return w, nil
}

func (p *program) listPacks(ctx context.Context, asJSON, withTools bool) error {
	w, err := p.reach()
	if err != nil {
		return err
	}
	defer w.close()
	if asJSON {
		doc, err := w.client.List(ctx, "capabilities")
		if err != nil {
			return err
		}
		p.printf("%s\n", pretty(doc))
		return nil
	}
	list, err := w.packs(ctx)
	if err != nil {
		return err
	}
	p.packTable(list, withTools)
	p.printf("\n%s\n", p.say("配置档 %s", "profile %s", p.values.get("profile")))
	return nil
}

func (p *program) packTable(list []console.Category, withTools bool) {
	t := table{{p.say("能力", "CAPABILITY"), p.say("开关", "SWITCH"), p.say("状态", "STATE"), p.say("工具", "TOOLS"), p.say("需要", "NEEDS"), p.say("名称", "TITLE")}}
	for _, c := range list {
		for _, pack := range c.Packs {
			t = append(t, []string{
				visible(pack.ID), p.packSwitch(pack), p.chips(pack.Chips), p.toolCount(pack.Tools),
				visible(strings.Join(pack.RequiresRefs, ", ")), visible(pack.Title),
			})
			for _, tool := range pack.Tools {
				if withTools {
					on := tool.Enabled && tool.Status != tools.StatusDisabledByPack
					t = append(t, []string{"  " + visible(string(tool.Name)), p.onOff(on), toolState(tool), "", "", visible(tool.Title)})
				}
			}
		}
	}
	p.printf("%s", t)
}

func (p *program) packSwitch(pack console.Pack) string {
	if pack.Planned || !pack.Toggleable {
		return "–"
	}
	return p.onOff(pack.Enabled)
}

func (p *program) onOff(on bool) string {
	if on {
		return p.say("开", "on")
	}
	return p.say("关", "off")
}

func (p *program) chips(chips []plugin.Chip) string {
	var words []string
	for _, c := range chips {
		words = append(words, c.In(p.lang))
	}
	return strings.Join(words, p.say("，", ", "))
}

// toolCount says how many of a pack's tools can be called.
func (p *program) toolCount(list []tools.Tool) string {
	on := 0
	for _, t := range list {
		if t.Enabled && (t.Status == tools.StatusAvailable || t.Status == tools.StatusCompat) {
			on++
		}
	}
	if len(list) == 0 {
		return "–"
	}
	return fmt.Sprintf("%d/%d", on, len(list))
}

func toolState(t tools.Tool) string { return string(t.Kind) + ", " + string(t.Status) }

// turn switches a pack, or a single tool where the id is a tool's name.
func (p *program) turn(ctx context.Context, id string, on, asJSON bool) error {
	w, err := p.reach()
	if err != nil {
		return err
	}
	defer w.close()
	what, word := "capabilities", p.say("能力", "capability")
	if name, err := tools.ParseName(id); err == nil {
		what, word, id = "tools", p.say("工具", "tool"), string(name)
	}
	doc, err := w.client.Toggle(ctx, what, id, on)
	if err != nil {
		return err
	}
	if asJSON {
		p.printf("%s\n", pretty(doc))
		return nil
	}
	p.printf("%s %s: %s\n", word, visible(id), p.onOff(on))
	return nil
}

// packs lists the packs as they stand now for the session.
func (w *parts) packs(ctx context.Context) ([]console.Category, error) {
	list, err := w.client.Capabilities(ctx)
	if err != nil {
		return nil, err
	}
	_ = w.registry.Refresh(ctx) // what a line lacks (scopes) then comes from the last manifest
	known := map[tools.Name]tools.Tool{}
	for _, t := range w.registry.Snapshot().All() {
		known[t.Name] = t
	}
	var out []console.Category
	for _, c := range list {
		category := console.Category{Name: c.Name, Title: c.Title}
		for _, line := range c.Packs {
			category.Packs = append(category.Packs, w.pack(line, known))
		}
		out = append(out, category)
	}
	return out, nil
}

// pack joins a line of the list with what the manifest knows of its tools.
func (w *parts) pack(line kernel.PackSwitch, known map[tools.Name]tools.Tool) console.Pack {
	pack := console.Pack{Pack: capabilities.Pack{
		ID: line.ID, Title: line.Title, Subtitle: line.Subtitle, Description: line.Description, SkillID: line.SkillID, UIKind: line.UIKind,
		ReadOnly: line.ReadOnly, Enabled: line.Enabled, Toggleable: line.Toggleable, RequiresRefs: line.RequiresRefs,
		NativeAgentTools: line.NativeAgentTools, Planned: line.Status == tools.StatusPlanned,
	}}
	for _, l := range line.Tools {
		t := known[l.Name]
		t.Name, t.Status, t.Enabled = l.Name, l.Status, l.Enabled
		t.RequiresWritePermission = t.RequiresWritePermission || l.RequiresWritePermission
		if l.Kind != "" {
			t.Kind = l.Kind
		}
		if t.Title == "" {
			t.Title = l.Title
		}
		pack.Tools = append(pack.Tools, t)
		pack.ToolNames = append(pack.ToolNames, string(l.Name))
	}
	pack.Chips = w.session.Chips(pack.Pack, slices.Clone(pack.Tools))
	return pack
}
