package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/mnote-dev/mnote-host/plugin/clients"
	"github.com/mnote-dev/mnote-host/skills"
	"github.com/mnote-dev/mnote-host/tools"
)

func (p *program) skillsCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "skills", GroupID: groupSee, Args: cobra.NoArgs,
		Short: p.say("能力的说明书", "the texts that tell an agent how to use MNote"),
		Long:  p.exits(p.say("每个能力有一篇 SKILL.md。list 列出，show 打印一篇，export 写成 Agent Skills 文件夹。", "Each capability has a SKILL.md. list names them, show prints one, export writes Agent Skills folders.")),
		RunE:  func(*cobra.Command, []string) error { p.listSkills(); return nil },
	}
	c.AddCommand(
		&cobra.Command{Use: "list", Args: cobra.NoArgs, Short: p.say("列出", "list the skills"), Run: func(*cobra.Command, []string) { p.listSkills() }},
		&cobra.Command{Use: "show ID", Args: cobra.ExactArgs(1), Short: p.say("打印一篇", "print one"), RunE: func(c *cobra.Command, args []string) error { return p.showSkill(c.Context(), args[0]) }},
		&cobra.Command{Use: "export DIR", Args: cobra.ExactArgs(1), Short: p.say("写成文件夹", "write them as folders"), RunE: func(c *cobra.Command, args []string) error { return p.exportSkills(c.Context(), args[0]) }},
	)
	return c
}

func (p *program) listSkills() {
	var t table
	for _, s := range skills.All() {
		t = append(t, []string{s.ID, s.Title, s.Description})
	}
	p.printf("%s", t)
}

func (p *program) showSkill(ctx context.Context, id string) error {
	w := p.assemble()
	defer w.close()
	p.refresh(ctx, w)
	if pack, ok := w.registry.Snapshot().Pack(id); ok && pack.SkillID != "" {
		id = pack.SkillID
	}
	s, ok := skills.Read(id)
	if !ok {
		return tools.Errorf(tools.CodeNotFound, tools.Text{ZH: "没有叫 %s 的说明书；mnote-host skills list 列出全部", EN: "there is no skill %s; mnote-host skills list names them"}, id)
	}
	if err := w.handedOut(s); err != nil {
		return err
	}
	p.printf("%s", p.skillText(w, s))
	return nil
}

// handedOut refuses the skill of a pack that is off or not built yet, as
// reading it through the pipeline would.
func (w *parts) handedOut(s skills.Skill) error {
	for _, pack := range w.registry.Snapshot().Packs() {
		switch {
		case pack.SkillID != s.ID || pack.Enabled:
		case pack.Planned:
			return tools.Errorf(tools.CodeDisabled, tools.Text{
				ZH: "能力 %s 的工具还没有实现，不提供说明", EN: "the tools of the capability %s are not built yet; it hands out no text",
			}, pack.ID).With("reason", "capability").With("status", "planned")
		default:
			return tools.Errorf(tools.CodeDisabled, tools.Text{
				ZH: "能力 %[1]s 已被关闭，不提供说明；打开：mnote-host capabilities enable %[1]s",
				EN: "the capability %[1]s is switched off and hands out no text; to switch it on: mnote-host capabilities enable %[1]s",
			}, pack.ID).With("reason", "capability")
		}
	}
	return nil
}

// skillText is a skill's body for the configured client: its names for the
// tools, without those that are not advertised.
func (p *program) skillText(w *parts, s skills.Skill) string {
	client := p.client()
	if client.Name == "" {
		client = clients.Generic()
	}
	advertised := map[string]string{}
	for _, t := range w.registry.Snapshot().Tools() {
		advertised[string(t.Name)] = client.Shows("mnote", tools.WireName(t.Name))
	}
	return s.Text(func(name string) (string, bool) {
		shown, ok := advertised[name]
		return shown, ok
	})
}

// exportSkills writes DIR/<id>/SKILL.md for each skill that is handed out. A
// file that is there with other content is left alone.
func (p *program) exportSkills(ctx context.Context, dir string) error {
	w := p.assemble()
	defer w.close()
	p.refresh(ctx, w)
	for _, s := range skills.All() {
		if err := w.handedOut(s); err != nil {
			fmt.Fprintln(p.streams.Err, p.message(err))
			continue
		}
		file := filepath.Join(dir, s.ID, "SKILL.md")
		description, _ := json.Marshal(s.Description) // a JSON string is a YAML one
		text := fmt.Sprintf("---\nname: %s\ndescription: %s\n---\n%s", s.ID, description, p.skillText(w, s))
		if old, err := os.ReadFile(file); err == nil && string(old) != text {
			return fmt.Errorf("%s is there with other content: move it away or choose another folder", file)
		}
		if err := writeNote(file, []byte(text)); err != nil {
			return fmt.Errorf("export %s: %w", s.ID, err)
		}
		p.printf("%s\n", file)
	}
	return nil
}
