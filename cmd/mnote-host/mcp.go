package main

import (
	"context"
	"errors"
	"io"
	"runtime/debug"
	"strconv"
	"sync"

	"github.com/spf13/cobra"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/plugin/clients"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/mcp"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

func (p *program) mcpCommand() *cobra.Command {
	attach := false
	c := &cobra.Command{
		Use: "mcp", GroupID: groupRun, Args: cobra.NoArgs, Annotations: forAgent(),
		Short: p.say("stdio 上的 MCP 服务器：agent 启动的就是它", "the MCP server on stdio: what agents start"),
		Long: p.exits(p.say(
			"在 stdin/stdout 上说 MCP（2024-11-05 至 2026-07-28）。写进 agent 的配置里，不是给人直接敲的：\n\n  mnote-host mcp --workspace /绝对路径/笔记\n  mnote-host mcp --kernel http://127.0.0.1:7331",
			"Speaks MCP (2024-11-05 to 2026-07-28) on stdin and stdout. It belongs into an agent's configuration; typed by hand it waits for JSON:\n\n  mnote-host mcp --workspace /absolute/path/notes\n  mnote-host mcp --kernel http://127.0.0.1:7331")),
		RunE: func(c *cobra.Command, _ []string) error {
			if attach {
				return p.attach(c.Context())
			}
			return p.serveMCP(c.Context())
		},
	}
	c.Flags().BoolVar(&attach, "attach", false, p.say("中继：由 mnote-host acp 里的 agent 启动，不是给人用的", "the relay that an agent inside mnote-host acp starts; not for people"))
	return c
}

// serveMCP serves one client until it leaves. The kernel is asked behind the
// handshake, never before it.
func (p *program) serveMCP(ctx context.Context) error {
	ctx, stop := stdio.Life{}.Begin(ctx)
	defer stop()
	// What a start leaves behind fills the smallest heap just so that a
	// collection, an eighth of the start, would run beside the first answer.
	percent := debug.SetGCPercent(400) // 16 MB before the first one
	p.tellNewState()
	w := p.assemble()
	defer w.close()
	watching, enough := context.WithCancel(ctx)
	defer enough()
	out := &afterFirst{Writer: p.streams.Out, then: func() {
		debug.SetGCPercent(percent)
		go w.registry.Run(watching)
	}}
	err := mcp.New(p.face(w)).Run(ctx, p.streams.In, out)
	if told(ctx) {
		return nil
	}
	return err
}

// afterFirst is a stream that starts something behind its first write: the first
// look at the kernel, which reads files and opens a database, would take the
// processor from the first answer that a person waits for.
type afterFirst struct {
	io.Writer
	once sync.Once
	then func()
}

// Write implements io.Writer.
func (a *afterFirst) Write(b []byte) (int, error) {
	n, err := a.Writer.Write(b)
	a.once.Do(a.then)
	return n, err
}

// told reports whether the process was told to end (a signal, a parent that is
// gone): that is no failure of what it was doing.
func told(ctx context.Context) bool {
	_, ok := errors.AsType[*stdio.End](context.Cause(ctx))
	return ok
}

func (p *program) face(w *parts) mcp.Config {
	version, _ := versionOf()
	return mcp.Config{
		Session: w.session, Registry: w.registry, Client: p.client(), Version: version,
		MaxResult: p.number("max-result"), OutputSchema: p.values.get("output-schema") == "true", Log: p.log,
		Shut: shut(w.session),
	}
}

// shut is why no call of the session can pass, or nil.
func shut(s *plugin.Session) error {
	if err := s.Config().RequireKernel; err != nil {
		return err
	}
	if s.Level() == tools.LevelNone {
		return errors.New("this session may do nothing, because its access scope grants nothing")
	}
	return nil
}

// client is the one named, else none: the face may then recognise it.
func (p *program) client() clients.Client {
	name := p.values.get("client")
	if name == "" {
		return clients.Client{}
	}
	c, err := clients.Named(name)
	if err != nil {
		p.log.Warn().Err(err).Msg(p.say("不认识的客户端，按通用的来", "unknown client: the generic one is used"))
	}
	return c
}

// number reads a setting that counts; one that is no number is told and its
// default used.
func (p *program) number(name string) int {
	n, err := strconv.Atoi(p.values.get(name))
	if err != nil {
		fallback, _ := strconv.Atoi(settingNamed(name).fallback) // ours
		p.log.Warn().Msg(p.say("%s 不是数字，用默认值 %d", "%s is no number; %d is used", settingNamed(name).named(p.values.byName[name].source), fallback))
		return fallback
	}
	return n
}
