package main

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mnote-dev/mnote-host/testdata"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/mcp"
)

//go:embed try.json
var tryScript []byte

// act is one step of the scripted agent: a call, what to show of the answer,
// and what must be true after it.
type act struct {
	Say      struct{ ZH, EN string }
	Tool     string
	Args     map[string]any    // a string "$x" stands for what an earlier step kept
	Keep     map[string]string // name → member of the result
	Show     []string          // members of the result
	Expect   string            // the error's code, or "" for success
	Page     string            // the file afterwards: same, changed, or "" for either
	Replayed bool
}

func (p *program) tryCommand() *cobra.Command {
	return &cobra.Command{
		Use: "try", GroupID: groupRun, Args: cobra.NoArgs,
		Short: p.say("在笔记的副本上看它工作", "see it work, on a copy of the notes"),
		Long: p.exits(p.say(
			"一个照剧本行动的 agent 通过真正的 stdio 驱动 mnote-host：读一页、试写、写入、被拒绝、重发。\n没有 --workspace 时用自带的示例笔记。动的永远是副本，最后会检查原件没有变。",
			"A scripted agent drives mnote-host over real stdio: it reads a page, plans a write, writes, is refused, sends again.\nWithout --workspace it works on the sample notes that come with the program. It always works on a copy, and checks at the end that the originals are as they were.")),
		RunE: func(c *cobra.Command, _ []string) error { return p.try(c.Context()) },
	}
}

// try tells the whole story and fails if any of it is not true.
func (p *program) try(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "mnote-host-try-")
	if err != nil {
		return fmt.Errorf("make a folder for the copy: %w", err)
	}
	defer os.RemoveAll(dir)
	origin, err := p.origin()
	if err != nil {
		return err
	}
	notes := filepath.Join(dir, "notes")
	pages, left, err := copyNotes(origin, notes)
	if err != nil {
		return err
	}
	for _, name := range left {
		p.log.Warn().Msg(p.say("跳过 %q：文件名不是 UTF-8，也不会提供给 agent", "%q is left out: its name is not UTF-8, and no agent is offered it", name))
	}
	p.printf("%s\n\n", p.say("笔记的副本：%s（%d 页）", "A copy of the notes: %s (%d pages)", notes, len(pages)))
	before, err := hashes(origin, pages)
	if err != nil {
		return err
	}
	if err := p.play(ctx, dir, notes, favourite(pages)); err != nil {
		return err
	}
	after, err := hashes(origin, pages)
	if err != nil {
		return err
	}
	for _, page := range pages {
		if before[page] != after[page] {
			return fmt.Errorf("%s changed among the originals", page)
		}
	}
	p.printf("%s\n", p.say("原来的笔记一个字节也没变，副本已删除。", "The original notes are byte for byte as they were; the copy is removed."))
	return nil
}

// origin is the folder to copy: the person's, or the sample notes.
func (p *program) origin() (fs.FS, error) {
	if kernel := cmp.Or(p.values.get("kernel"), p.values.aside["kernel"].text); kernel != "" {
		p.log.Warn().Msg(p.say("内核 %s 在这里不起作用：动的是笔记的副本", "the kernel %s plays no part here: it is a copy of notes that is worked on", shownURL(kernel)))
	}
	dir := p.values.folder()
	if why, ok := p.values.spoiled["workspace"]; ok && dir == "" {
		return nil, noPlace(tools.Text{ZH: why.zh, EN: why.en})
	}
	if dir != "" {
		if _, err := os.ReadDir(dir); err != nil {
			return nil, p.noFolder(dir, err)
		}
		return os.DirFS(dir), nil
	}
	return fs.Sub(testdata.Workspaces, "workspaces/notes")
}

// play starts the server as an agent would and walks through the script.
func (p *program) play(ctx context.Context, dir, notes, page string) (err error) {
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	state := filepath.Join(dir, "state")
	if err := os.Mkdir(state, 0o700); err != nil {
		return fmt.Errorf("make a state folder for the copy: %w", err)
	}
	cmd := exec.CommandContext(ctx, exe, "mcp", "--workspace", notes, "--state", state, "--lang", string(p.lang))
	cmd.Env, cmd.Stderr = without(p.environ, settingNamed("kernel").env), p.streams.Err
	agent, err := mcp.OpenProbe(ctx, cmd, mcp.ProbeConfig{Name: "mnote-host try"})
	if err != nil {
		return fmt.Errorf("start the server: %w", err)
	}
	defer func() { err = errors.Join(err, agent.Close()) }()
	p.printf("$ mnote-host mcp --workspace %s\n%s\n\n", notes, p.say("握手：%s %s，协议 %s，用了 %d 毫秒", "Handshake: %s %s, protocol %s, in %d ms", agent.Server.Name, agent.Server.Version, agent.Protocol, agent.Handshake.Milliseconds()))
	list, size, err := agent.Tools(ctx)
	if err != nil {
		return fmt.Errorf("list the tools: %w", err)
	}
	p.printf("%s\n", p.say("它公布 %d 个工具（%d 字节）：", "It advertises %d tools (%d bytes):", len(list), size))
	for _, t := range list {
		p.printf("  %s\n", t.Name)
	}
	return p.perform(ctx, agent, notes, page)
}

// without leaves a variable out of an environment.
func without(environ []string, name string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(line string) bool { return strings.HasPrefix(line, name+"=") })
}

func (p *program) perform(ctx context.Context, agent *mcp.Probe, notes, page string) error {
	var script []act
	if err := json.Unmarshal(tryScript, &script); err != nil {
		return fmt.Errorf("read the script: %w", err)
	}
	kept := map[string]any{"page": page}
	for i, a := range script {
		file := filepath.Join(notes, filepath.FromSlash(page))
		before, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		p.printf("\n%d. %s\n", i+1, tools.Text{ZH: a.Say.ZH, EN: a.Say.EN}.In(p.lang))
		env, err := p.step(ctx, agent, a, kept)
		if err != nil {
			return err
		}
		after, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := a.check(env, string(before) == string(after)); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
	}
	p.printf("\n")
	return nil
}

// step makes one call and prints what came of it.
func (p *program) step(ctx context.Context, agent *mcp.Probe, a act, kept map[string]any) (tools.Envelope, error) {
	args := map[string]any{}
	for name, v := range a.Args {
		args[name] = v
		if ref, ok := v.(string); ok && strings.HasPrefix(ref, "$") {
			args[name] = kept[ref[1:]]
		}
	}
	line, err := json.Marshal(args)
	if err != nil {
		return tools.Envelope{}, err
	}
	p.printf("   → %s %s\n", a.Tool, line)
	answer, err := agent.Call(ctx, a.Tool, args)
	if err != nil {
		return tools.Envelope{}, fmt.Errorf("call %s: %w", a.Tool, err)
	}
	if answer.Envelope == nil {
		return tools.Envelope{}, fmt.Errorf("%s answered no envelope: %s", a.Tool, answer.Text)
	}
	env := *answer.Envelope
	result := map[string]any{}
	if len(env.Result) > 0 {
		if err := json.Unmarshal(env.Result, &result); err != nil {
			return env, fmt.Errorf("read the result of %s: %w", a.Tool, err)
		}
	}
	for name, member := range a.Keep {
		kept[name] = result[member]
	}
	p.tell(env, a, result)
	return env, nil
}

func (p *program) tell(env tools.Envelope, a act, result map[string]any) {
	if env.Error != nil {
		p.printf("   ← ok: false, %s: %s\n", env.Error.Code, env.Error.Message)
		return
	}
	p.printf("   ← ok: true, effect: %s", env.Audit.Effect)
	if env.Audit.Replayed {
		p.printf(", replayed: true")
	}
	p.printf("\n")
	for _, member := range a.Show {
		value := fmt.Sprint(result[member])
		if strings.Contains(value, "\n") {
			value = "\n" + indent(strings.TrimRight(value, "\n"), "       ")
		}
		p.printf("     %s: %s\n", member, value)
	}
}

// check holds the answer against what the step promises.
func (a act) check(env tools.Envelope, same bool) error {
	switch {
	case a.Expect == "" && env.Error != nil:
		return fmt.Errorf("%s was refused: %w", a.Tool, env.Error)
	case a.Expect != "" && (env.Error == nil || string(env.Error.Code) != a.Expect):
		return fmt.Errorf("%s did not answer %s", a.Tool, a.Expect)
	case a.Replayed != env.Audit.Replayed:
		return fmt.Errorf("%s: replayed is %t", a.Tool, env.Audit.Replayed)
	case a.Page == "same" && !same, a.Page == "changed" && same:
		return fmt.Errorf("%s: the page should be %s", a.Tool, a.Page)
	}
	return nil
}

func indent(s, by string) string { return by + strings.ReplaceAll(s, "\n", "\n"+by) }
