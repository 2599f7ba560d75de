package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"text/tabwriter"

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
		&cobra.Command{Use: "show ID", Args: cobra.ExactArgs(1), Short: p.say("打印一篇", "print one"), RunE: func(_ *cobra.Command, args []string) error { return p.showSkill(args[0]) }},
		&cobra.Command{Use: "export DIR", Args: cobra.ExactArgs(1), Short: p.say("写成文件夹", "write them as folders"), RunE: func(_ *cobra.Command, args []string) error { return p.exportSkills(args[0]) }},
	)
	return c
}

func (p *program) listSkills() {
	table := tabwriter.NewWriter(p.printer(), 0, 0, 2, ' ', 0)
	for _, s := range skills.All() {
		fmt.Fprintf(table, "%s\t%s\t%s\n", s.ID, s.Title, s.Description)
	}
	table.Flush()
}

func (p *program) showSkill(id string) error {
	w := p.assemble()
	defer w.close()
	if pack, ok := w.registry.Snapshot().Pack(id); ok && pack.SkillID != "" {
		id = pack.SkillID
	}
	s, ok := skills.Read(id)
	if !ok {
		return tools.Errorf(tools.CodeNotFound, tools.Text{ZH: "没有叫 %s 的说明书；mnote-host skills list 列出全部", EN: "there is no skill %s; mnote-host skills list names them"}, id)
	}
	p.printf("%s", p.skillText(w, s))
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

// exportSkills writes DIR/<id>/SKILL.md for each skill. A file that is there
// with other content is left alone.
func (p *program) exportSkills(dir string) error {
	w := p.assemble()
	defer w.close()
	for _, s := range skills.All() {
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
