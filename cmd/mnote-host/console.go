package main

import (
	"context"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/plugin/console"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

func (p *program) consoleCommand() *cobra.Command {
	var listen string
	var noOpen bool
	c := &cobra.Command{
		Use: "console", GroupID: groupSee, Args: cobra.NoArgs,
		Short: p.say("打开控制台页面：能力、记录、计划", "open the page for people: capabilities, records, plans"),
		Long: p.exits(p.say(
			"打印一个一次性链接并在浏览器里打开：能力的开关、agent 做过什么（差异、撤销）、等你同意的写入。只在本机可见，Ctrl-C 结束。\n带 --kernel 时改为向正在运行的 mnote-host kernel 要一个新链接（令牌同 kernel.token）。\n\n  mnote-host console --workspace ~/notes\n  MNOTE_KERNEL_TOKEN_FILE=~/.mnote/host/kernel.token mnote-host console --kernel http://127.0.0.1:7331",
			"Prints a one-time link and opens it in the browser: the switches, what agents did (diff, undo), the writes that wait for your yes. Seen from this machine only; Ctrl-C ends it.\nWith --kernel it asks a running mnote-host kernel for a new link instead (its kernel.token is needed).\n\n  mnote-host console --workspace ~/notes\n  MNOTE_KERNEL_TOKEN_FILE=~/.mnote/host/kernel.token mnote-host console --kernel http://127.0.0.1:7331")),
		RunE: func(c *cobra.Command, _ []string) error {
			if base := p.values.get("kernel"); base != "" {
				return p.askForLink(c.Context(), base, noOpen)
			}
			return p.serveConsole(c.Context(), listen, noOpen)
		},
	}
	c.Flags().StringVar(&listen, "listen", "127.0.0.1:0", p.say("监听的本机地址", "loopback address to listen on"))
	c.Flags().BoolVar(&noOpen, "no-open", false, p.say("只打印链接，不打开浏览器", "print the link and open no browser"))
	return c
}

// serveConsole serves the page of a workspace until it is told to end.
func (p *program) serveConsole(ctx context.Context, listen string, noOpen bool) error {
	if why := p.values.misplaced(); p.values.get("workspace") == "" && why != (text{}) {
		return p.noKernel()
	}
	if p.values.get("workspace") == "" {
		return fmt.Errorf("%w: %s", errUsage, p.say("要用 --workspace 指明笔记文件夹，或用 --kernel 指明正在运行的内核", "name the folder of notes with --workspace, or a running kernel with --kernel"))
	}
	listener, err := p.listen(listen)
	if err != nil {
		return err
	}
	defer listener.Close()
	w, err := p.reach()
	if err != nil {
		return err
	}
	defer w.close()
	page := p.page(w, "")
	ctx, stop := stdio.Life{Orphan: true}.Begin(ctx)
	defer stop()
	link := page.Link("http://" + listener.Addr().String())
	p.showLink(link)
	if !noOpen {
		defer p.openLink(link)()
	}
	return serve(ctx, listener, page, page.Close)
}

// page makes the console of the parts; bearer lets `console --kernel` ask for
// links.
func (p *program) page(w *parts, bearer string) *console.Console {
	w.hand = handConsole
	return console.New(console.Config{
		Records: &records{Host: w.host, parts: w}, WorkspaceID: w.local.WorkspaceID(), Root: w.local.Root(),
		Profile: p.values.get("profile"), Lang: p.lang, Bearer: bearer, Log: p.log,
	})
}

func (p *program) showLink(link string) {
	p.printf("%s\n  %s\n", p.say("控制台（一次性链接，十分钟内有效）：", "console (one-time link, good for ten minutes):"), link)
}

// records joins what the page shows from host, kernel and workspace.
type records struct {
	*plugin.Host
	parts *parts
}

var _ console.Records = (*records)(nil)

// Packs implements console.Records.
func (r *records) Packs(ctx context.Context) ([]console.Category, error) { return r.parts.packs(ctx) }

// SwitchPack implements console.Records.
func (r *records) SwitchPack(ctx context.Context, id string, on bool, lang tools.Lang) error {
	_, err := r.parts.client.In(lang).ToggleCapability(ctx, id, on)
	return err
}

// SwitchTool implements console.Records.
func (r *records) SwitchTool(ctx context.Context, name tools.Name, on bool, lang tools.Lang) error {
	_, err := r.parts.client.In(lang).ToggleTool(ctx, name, on)
	return err
}

// Reset implements console.Records.
func (r *records) Reset(ctx context.Context, lang tools.Lang) error {
	return r.parts.client.In(lang).Reset(ctx)
}

// Diff implements console.Records.
func (r *records) Diff(ctx context.Context, commandID string) (string, error) {
	return r.parts.local.Diff(ctx, commandID)
}

// Undo implements console.Records. The person's click is their yes.
func (r *records) Undo(ctx context.Context, commandID string, lang tools.Lang) tools.Envelope {
	cfg := r.parts.session.Config()
	cfg.Lang, cfg.Person = lang, true
	return undoWrite(ctx, r.parts.host.Session(cfg), map[string]any{"commandId": commandID, "dryRun": false}, clicked{})
}

// clicked is the yes of a person who pressed the button, or named the write.
type clicked struct{}

// Confirm implements plugin.Confirmer.
func (clicked) Confirm(context.Context, plugin.Question) plugin.Answer { return plugin.Yes }

// askForLink has a running kernel make a link to its own page.
func (p *program) askForLink(ctx context.Context, base string, noOpen bool) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(base, "/")+"/link", nil)
	if err != nil {
		return fmt.Errorf("%w: %q is no address", errUsage, base)
	}
	r.Header.Set("Authorization", "Bearer "+p.token())
	answer, err := (&http.Client{Transport: &http.Transport{}}).Do(r) // loopback: no proxy
	if err != nil {
		return tools.Errorf(tools.CodeKernelUnavailable, tools.Text{
			ZH: "%s 没有内核在运行；先运行 mnote-host kernel，或改用 --workspace",
			EN: "no kernel answers at %s; start mnote-host kernel first, or use --workspace",
		}, base).With("reason", "refused")
	}
	defer answer.Body.Close()
	var made struct{ Link string }
	body, err := io.ReadAll(io.LimitReader(answer.Body, 4096))
	if err == nil && answer.StatusCode == http.StatusOK {
		err = json.Unmarshal(body, &made)
	}
	if err != nil || !sameHost(made.Link, base) {
		return tools.Errorf(tools.CodeUnauthenticated, tools.Text{
			ZH: "%s 没有给出控制台链接（HTTP %d）：令牌不对，或者它不是 mnote-host kernel；令牌在状态文件夹的 kernel.token 里，用 MNOTE_KERNEL_TOKEN_FILE 指明",
			EN: "%s gives no link to a console (HTTP %d): the token is wrong, or it is no mnote-host kernel; the token is in kernel.token of the state folder, name it with MNOTE_KERNEL_TOKEN_FILE",
		}, base, answer.StatusCode)
	}
	p.showLink(made.Link)
	if !noOpen {
		p.openLink(made.Link)
	}
	return nil
}

// sameHost keeps us from opening a link that leads elsewhere.
func sameHost(link, base string) bool {
	l, err := url.Parse(link)
	b, baseErr := url.Parse(base)
	return err == nil && baseErr == nil && l.Host != "" && l.Host == b.Host && l.Scheme == b.Scheme
}

// openLink opens the link in the person's browser, if there is one, and gives
// what tidies up. The browser is handed a file that only the person can read:
// an argument is seen by every user of the machine.
func (p *program) openLink(link string) (tidy func()) {
	program := p.opener()
	state := p.values.get("state")
	if program == nil || state == "" || os.MkdirAll(state, 0o700) != nil {
		return func() {}
	}
	file, err := signpost(state, link)
	if err != nil {
		return func() {}
	}
	cmd := exec.Command(program[0], append(program[1:], file)...)
	cmd.Env = p.othersEnv()
	if cmd.Start() == nil {
		go func() { _ = cmd.Wait() }() // its exit code says nothing of the browser
	}
	return func() { _ = os.Remove(file) }
}

// signpost writes a page that leads to the link, for the person's eyes alone.
func signpost(state, link string) (file string, err error) {
	file = filepath.Join(state, "console.html")
	text := fmt.Sprintf("<!doctype html><meta charset=utf-8><meta http-equiv=refresh content=\"0; url=%[1]s\"><a href=\"%[1]s\">MNote</a>\n", html.EscapeString(link))
	_ = os.Remove(file) // whatever was there, with whatever mode
	return file, os.WriteFile(file, []byte(text), 0o600)
}

// opener is the program that opens a file as the person would; nil without a
// screen. Nothing is looked up in PATH.
func (p *program) opener() []string {
	env := environment(p.environ)
	switch runtime.GOOS {
	case "darwin":
		return []string{"/usr/bin/open"}
	case "windows":
		if root := env["SystemRoot"]; filepath.IsAbs(root) {
			return []string{filepath.Join(root, "System32", "rundll32.exe"), "url.dll,FileProtocolHandler"}
		}
		return nil
	}
	if env["DISPLAY"] == "" && env["WAYLAND_DISPLAY"] == "" {
		return nil
	}
	for _, program := range []string{"/usr/bin/xdg-open", "/usr/local/bin/xdg-open"} {
		if _, err := os.Stat(program); err == nil {
			return []string{program}
		}
	}
	return nil
}
