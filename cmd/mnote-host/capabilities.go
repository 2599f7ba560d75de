package main

import (
	"context"
	"encoding/json"
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
			"每个能力一个开关。关掉的，所有正在运行的 agent 从下一次调用起就不能再用。\nID 是能力的 id（旧 id 也行），对所有配置档有效；写工具名（mnote.page.save 或 mnote_page_save）则只开关这一个工具，只对 --profile 那个配置档有效。reset 把所有开关恢复成出厂的样子；开关的记录（switches.db）丢失后一切都关着，也用它。\n\n  mnote-host capabilities --workspace ~/notes\n  mnote-host capabilities disable mnote-current-page --workspace ~/notes\n  mnote-host capabilities disable mnote.page.save --workspace ~/notes",
			"One switch per capability. What is off is refused to every running agent from its next call on.\nID is a capability's id, an old one too, and holds for every profile; a tool's name (mnote.page.save or mnote_page_save) switches that tool alone, for the --profile alone. reset puts every switch back as shipped; it is also what to say after the record of the switches (switches.db) was lost, which leaves everything off.\n\n  mnote-host capabilities --workspace ~/notes\n  mnote-host capabilities disable mnote-current-page --workspace ~/notes\n  mnote-host capabilities disable mnote.page.save --workspace ~/notes")),
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
	reset := &cobra.Command{
		Use: "reset", Args: cobra.NoArgs, Short: p.say("所有开关恢复成出厂的样子", "every switch back as shipped"),
		RunE: func(c *cobra.Command, _ []string) error { return p.resetSwitches(c.Context()) },
	}
	c.AddCommand(list, reset, turn("enable", p.say("打开", "switch one on"), true), turn("disable", p.say("关闭", "switch one off"), false))
	return c
}

// reach gives the parts with a kernel behind them, for a command of a person's.
func (p *program) reach() (*parts, error) {
	w := p.assemble()
	if err := w.session.Config().RequireKernel; err != nil {
		defer w.close()
		return nil, err
	}
	return w, nil
}

// behold is reach for what only shows, or takes away: no setting that narrows, and
// is not understood, keeps a person from that.
func (p *program) behold() (*parts, error) {
	if err := p.standing(); err != nil {
		return nil, err
	}
	w := p.assemble()
	if w.client == nil {
		defer w.close()
		return nil, w.session.Config().RequireKernel
	}
	return w, nil
}

func (p *program) listPacks(ctx context.Context, asJSON, withTools bool) error {
	w, err := p.behold()
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
	p.packTable(w, list, withTools)
	p.printf("\n%s\n", p.say("单个工具的开关：配置档 %s；能力的开关对所有配置档有效", "single tools as in profile %s; a capability's switch holds for every profile", p.values.get("profile")))
	if slices.ContainsFunc(list, func(c console.Category) bool {
		return slices.ContainsFunc(c.Packs, func(p console.Pack) bool { return p.Lost })
	}) {
		p.printf("%s\n", p.say("开关的记录丢失了（switches.db 被删除或损坏），所以没有重新表态的都关着：用 enable 逐个打开，或用 capabilities reset 全部恢复",
			"the record of the switches was lost (switches.db was deleted or damaged), so what nobody spoke of since is off: enable one after the other, or all with capabilities reset"))
	}
	return w.unheard(ctx, p)
}

// unheard tells of a profile that no call was ever made in: its name may be
// misspelt.
func (w *parts) unheard(ctx context.Context, p *program) error {
	profile := p.values.get("profile")
	if profile == "" || profile == settingNamed("profile").fallback {
		return nil
	}
	for _, err := range w.host.Audit(ctx, plugin.AuditFilter{Profile: profile, Calls: true, Limit: 1}) {
		return err
	}
	p.printf("%s\n", p.say("配置档 %s 还没有被任何 agent 用过", "no agent has made a call in profile %s yet", visible(profile)))
	return nil
}

// resetSwitches puts every switch back as shipped.
func (p *program) resetSwitches(ctx context.Context) error {
	w, err := p.behold()
	if err != nil {
		return err
	}
	defer w.close()
	if err := w.session.Config().RequireKernel; err != nil {
		return err
	}
	if err := w.client.Reset(ctx); err != nil {
		return err
	}
	if w.local == nil {
		w.session.Turned(ctx, "", true, "", handCLI)
	}
	p.printf("%s\n", p.say("所有开关：开，对所有配置档", "every switch: on, for every profile"))
	return nil
}

func (p *program) packTable(w *parts, list []console.Category, withTools bool) {
	t := table{{p.say("能力", "CAPABILITY"), p.say("开关", "SWITCH"), p.say("状态", "STATE"), p.say("工具", "TOOLS"), p.say("需要", "NEEDS"), p.say("名称", "TITLE")}}
	for _, c := range list {
		for _, pack := range c.Packs {
			t = append(t, []string{
				visible(pack.ID), p.packSwitch(pack), p.chips(pack.Chips), toolCount(w.session, pack),
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

// toolCount says how many of a pack's tools can be called in the session.
func toolCount(s *plugin.Session, pack console.Pack) string {
	on := 0
	for _, t := range pack.Tools {
		if s.Usable(pack.Pack, t) {
			on++
		}
	}
	if len(pack.Tools) == 0 {
		return "–"
	}
	return fmt.Sprintf("%d/%d", on, len(pack.Tools))
}

func toolState(t tools.Tool) string { return string(t.Kind) + ", " + string(t.Status) }

// turn switches a pack, or a single tool where the id is a tool's name, dotted or
// as clients show it.
func (p *program) turn(ctx context.Context, id string, on, asJSON bool) error {
	w, err := p.behold()
	if err != nil {
		return err
	}
	defer w.close()
	if err := w.session.Config().RequireKernel; err != nil && on {
		return err
	}
	what, word, profile, scope := "capabilities", p.say("能力", "capability"), "", p.say("对所有配置档", "for every profile")
	if name, ok := w.toolNamed(id); ok {
		what, word, id, profile = "tools", p.say("工具", "tool"), string(name), p.values.get("profile")
		scope = p.say("只对配置档 %s", "for profile %s alone", visible(profile))
	}
	doc, err := w.client.Toggle(ctx, what, id, on)
	if err != nil {
		return err
	}
	if w.local == nil { // the embedded kernel's door has recorded it
		w.session.Turned(ctx, id, on, profile, handCLI)
	}
	if asJSON {
		p.printf("%s\n", pretty(doc))
		return nil
	}
	p.printf("%s %s: %s, %s\n", word, visible(id), p.onOff(on), scope)
	p.warnings(doc)
	if what == "tools" {
		return w.unheard(ctx, p)
	}
	return nil
}

// warnings prints what a kernel's answer says beside what was asked for.
func (p *program) warnings(doc json.RawMessage) {
	var answer struct{ Warnings []string }
	if json.Unmarshal(doc, &answer) != nil {
		return // another kernel's, of another shape: the turn itself was answered
	}
	for _, w := range answer.Warnings {
		p.printf("%s\n", visible(w))
	}
}

// toolNamed finds the tool that an id names, if it is no pack's.
func (w *parts) toolNamed(id string) (tools.Name, bool) {
	snap := w.registry.Snapshot()
	if _, ok := snap.Pack(id); ok {
		return "", false
	}
	if t, err := snap.Resolve(id); err == nil {
		return t.Name, true
	}
	name, err := tools.ParseName(id)
	return name, err == nil
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
		NativeAgentTools: line.NativeAgentTools, Planned: line.Status == tools.StatusPlanned, Lost: line.OffReason == capabilities.ReasonLost,
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
