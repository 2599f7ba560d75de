package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/mnote-dev/mnote-host/transport/mcp"
)

func (p *program) toolsCommand() *cobra.Command {
	var asJSON, wire bool
	c := &cobra.Command{
		Use: "tools", GroupID: groupSee, Args: cobra.NoArgs,
		Short: p.say("agent 会看到哪些工具，各占多少", "what an agent would see, with sizes"),
		Long:  p.exits(p.say("列出此刻公布的工具，以及每个在 tools/list 里占的字节和大约的 token 数（4 字节算一个）。", "Lists the tools advertised now, and what each takes in tools/list: bytes, and tokens at 4 bytes each (an estimate).")),
		RunE:  func(c *cobra.Command, _ []string) error { return p.listTools(c.Context(), asJSON, wire) },
	}
	c.Flags().BoolVar(&asJSON, "json", false, p.say("打印 tools/list 的原样结果", "print the result of tools/list as it is"))
	c.Flags().BoolVar(&wire, "wire", false, p.say("用线上的名字（mnote_page_get）", "show names as on the wire (mnote_page_get)"))
	return c
}

// listTools asks our own face over a pipe: what is printed is what goes out.
func (p *program) listTools(ctx context.Context, asJSON, wire bool) error {
	w := p.assemble()
	defer w.close()
	if err := w.session.Config().RequireKernel; w.client == nil && p.meant() {
		return err
	}
	p.refresh(ctx, w)
	probe, done, err := p.ownFace(ctx, w)
	if err != nil {
		return err
	}
	defer done()
	if asJSON {
		raw, err := probe.Request(ctx, "tools/list", map[string]any{})
		if err != nil {
			return fmt.Errorf("list the tools: %w", err)
		}
		p.printf("%s\n", pretty(raw))
		return nil
	}
	list, size, err := probe.Tools(ctx)
	if err != nil {
		return fmt.Errorf("list the tools: %w", err)
	}
	p.toolTable(w, list, size, wire)
	return nil
}

// meant reports whether a kernel or a workspace was named, well or badly: then
// what is wrong with it is the answer, and not the list that ships with us.
func (p *program) meant() bool {
	_, badFolder := p.values.spoiled["workspace"]
	_, badURL := p.values.spoiled["kernel"]
	return badFolder || badURL || p.values.get("workspace") != "" || p.values.get("kernel") != ""
}

// ownFace starts the MCP face on a pair of pipes and shakes hands with it.
func (p *program) ownFace(ctx context.Context, w *parts) (_ *mcp.Probe, done func(), err error) {
	serverIn, clientOut := io.Pipe()
	clientIn, serverOut := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := mcp.New(p.face(w)).Run(ctx, serverIn, serverOut)
		serverOut.Close()
		ended <- err
	}()
	probe, err := mcp.ConnectProbe(ctx, clientIn, clientOut, mcp.ProbeConfig{})
	if err != nil {
		return nil, nil, fmt.Errorf("talk to our own face: %w", err)
	}
	return probe, func() {
		_ = probe.Close() // a pipe: nothing can be lost
		<-ended
	}, nil
}

func (p *program) toolTable(w *parts, list []mcp.ProbedTool, size int, wire bool) {
	table := tabwriter.NewWriter(p.printer(), 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, p.say("工具\t类型\t能力\t字节\t约 token", "TOOL\tKIND\tCAPABILITY\tBYTES\t~TOKENS"))
	for _, t := range list {
		name, kind, pack := t.Name, "", ""
		if tool, err := w.registry.Snapshot().Resolve(t.Name); err == nil {
			kind, pack = string(tool.Kind), w.registry.Snapshot().PackOf(tool).ID
			if !wire {
				name = string(tool.Name)
			}
		}
		data, _ := json.Marshal(t) // came from JSON
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%d\n", name, kind, pack, len(data), tokens(len(data)))
	}
	table.Flush()
	p.printf("%s\n", p.say("共 %d 个工具，tools/list %d 字节，约 %d token", "%d tools, tools/list %d bytes, about %d tokens", len(list), size, tokens(size)))
}

// tokens estimates what a text of so many bytes costs a model.
func tokens(bytes int) int { return (bytes + 3) / 4 }
