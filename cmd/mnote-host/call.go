package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// callOptions are what `call` takes besides the settings.
type callOptions struct {
	args   string
	dryRun bool
	json   bool
}

func (p *program) callCommand() *cobra.Command {
	var o callOptions
	c := &cobra.Command{
		Use: "call TOOL [key=value ...]", GroupID: groupRun, Args: cobra.MinimumNArgs(1),
		Short: p.say("手动调用一个工具，走完整条管线", "one tool, by hand, through the whole pipeline"),
		Long: p.exits(p.say(
			"工具名可以是 mnote.page.get 或 mnote_page_get。参数写成 key=value，或用 --args 给 JSON（- 表示从标准输入读）：",
			"The tool's name is mnote.page.get or mnote_page_get. Arguments are key=value, or JSON with --args (- reads standard input):") + `

  mnote-host call mnote.context.get --workspace ~/notes
  mnote-host call mnote.page.get documentId=Welcome.md --workspace ~/notes
  mnote-host call mnote.page.save documentId=Welcome.md content="- milk" mode=append --dry-run --workspace ~/notes`),
		RunE: func(c *cobra.Command, args []string) error { return p.call(c.Context(), args[0], args[1:], o) },
	}
	c.Flags().StringVar(&o.args, "args", "", p.say("JSON 对象形式的参数，- 为标准输入", "the arguments as a JSON object, - for standard input"))
	c.Flags().BoolVar(&o.dryRun, "dry-run", false, p.say("只试写", "only plan the write"))
	c.Flags().BoolVar(&o.json, "json", false, p.say("打印整个信封", "print the whole envelope"))
	return c
}

func (p *program) call(ctx context.Context, name string, pairs []string, o callOptions) error {
	p.tellNewState()
	w := p.assemble()
	defer w.close()
	_ = p.know(ctx, w) // the call asks the same kernel
	raw, err := p.arguments(w, name, pairs, o)
	if err != nil {
		return err
	}
	env := w.session.Call(ctx, name, raw, plugin.Meta{Confirm: &terminal{p: p}})
	w.session.Delivered(env.ToolCallID)
	if o.json {
		p.printf("%s\n", env.JSON())
	}
	if env.Error != nil {
		p.sessionHint(env)
		return p.refused(env, o.json)
	}
	if !o.json {
		p.printf("%s\n", pretty(env.Result))
	}
	return nil
}

// sessionHint says how a call by hand is approved: its session, of which a yes is,
// ends with it unless it has a name.
func (p *program) sessionHint(env tools.Envelope) {
	if env.Error.Code == tools.CodeConfirmationRequired && p.values.get("session") == "" {
		fmt.Fprintln(p.streams.Err, p.say(
			"这次调用的会话随它结束，批准对下一次调用无效：两次都加上同一个 --session 名字",
			"this call's session ends with it, and a yes would not serve the next call: give both the same --session NAME"))
	}
}

// refused tells a refusal: code and message, then the details that help.
func (p *program) refused(env tools.Envelope, said bool) error {
	if said {
		return errors.Join(errSaid, env.Error)
	}
	if env.Error.Details["reason"] == "refused" {
		env.Error = p.unreached(env.Error)
	}
	if len(env.Error.Details) > 0 {
		details, _ := json.Marshal(env.Error.Details) // came from JSON
		fmt.Fprintf(p.streams.Err, "%s\n", pretty(details))
	}
	return env.Error
}

// unreached names the kernel that nothing answered for, and the cause.
func (p *program) unreached(e *tools.Error) *tools.Error {
	why := text{"没有应答", "it does not answer"}
	switch said := fmt.Sprint(errors.Unwrap(e)); {
	case errors.Is(e, syscall.ECONNREFUSED) || strings.Contains(said, "refused"):
		why = text{"连接被拒绝：那里没有程序在听", "connection refused: no program listens there"}
	case strings.Contains(said, "no such host"):
		why = text{"没有这个主机", "there is no such host"}
	}
	named := settingNamed("kernel").named(p.values.byName["kernel"].source)
	out := tools.Errorf(e.Code, tools.Text{
		ZH: "连不上内核 %[1]s（来自 %[2]s；%[3]s）；什么也没有发送",
		EN: "the kernel at %[1]s (from %[2]s) cannot be reached (%[4]s); nothing was sent",
	}, shownURL(p.values.get("kernel")), named, why.zh, why.en)
	out.Details = e.Details
	return out
}

// refresh asks the kernel for its manifest, so that a person sees what is true
// now; without an answer the last good one serves, and that is told.
func (p *program) refresh(ctx context.Context, w *parts) {
	if err := p.know(ctx, w); err != nil {
		p.log.Warn().Err(err).Msg(p.say("取不到内核的清单，用上一份", "the kernel's manifest cannot be had; the last one is used"))
	}
}

// know is refresh for what is followed by a call: that tells what is wrong.
func (p *program) know(ctx context.Context, w *parts) error {
	if w.client == nil {
		return nil
	}
	return w.registry.Refresh(ctx)
}

// arguments builds the JSON object of the call. A write says whether it is a
// dry run, as every write must.
func (p *program) arguments(w *parts, name string, pairs []string, o callOptions) (json.RawMessage, error) {
	args, err := p.given(o.args)
	if err != nil {
		return nil, err
	}
	for _, pair := range pairs {
		key, val, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, fmt.Errorf("%w: %q is not key=value", errUsage, pair)
		}
		args[key] = quoted(val)
	}
	if tool, err := w.registry.Snapshot().Resolve(name); err == nil && tool.Writes() {
		if _, said := args["dryRun"]; !said || o.dryRun {
			args["dryRun"] = json.RawMessage(fmt.Sprint(o.dryRun))
		}
	}
	return json.Marshal(args)
}

// given reads --args. Members stay raw, so that every digit arrives.
func (p *program) given(doc string) (map[string]json.RawMessage, error) {
	args := map[string]json.RawMessage{}
	if doc == "" {
		return args, nil
	}
	data := []byte(doc)
	if doc == "-" {
		var err error
		if data, err = io.ReadAll(p.streams.In); err != nil {
			return nil, fmt.Errorf("read the arguments: %w", err)
		}
	}
	if err := json.Unmarshal(data, &args); err != nil {
		return nil, fmt.Errorf("%w: --args is not a JSON object: %w", errUsage, err)
	}
	return args, nil
}

func quoted(s string) json.RawMessage {
	data, _ := json.Marshal(s) // a string always can
	return data
}

func pretty(raw json.RawMessage) string {
	var out bytes.Buffer
	if err := json.Indent(&out, raw, "", "  "); err != nil {
		return string(raw)
	}
	return out.String()
}

// terminal asks the person at the terminal; where there is none it cannot.
type terminal struct{ p *program }

// Confirm implements plugin.Confirmer with a y/N question on stderr.
func (t *terminal) Confirm(_ context.Context, q plugin.Question) plugin.Answer {
	in, ok := t.p.streams.In.(*os.File)
	if !ok || !isTerminal(in) {
		return plugin.CannotAsk
	}
	fmt.Fprintf(t.p.streams.Err, "%s [y/N] ", q.Text)
	line, err := bufio.NewReader(in).ReadString('\n')
	if err != nil {
		return plugin.CannotAsk
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes", "是":
		return plugin.Yes
	}
	return plugin.No
}

func isTerminal(f *os.File) bool {
	st, err := f.Stat()
	return err == nil && st.Mode()&os.ModeCharDevice != 0 && f.Name() != os.DevNull
}
