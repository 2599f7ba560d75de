package plugin_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// turning is a kernel whose tool mnote.page.save was switched off after the host
// heard of it.
func turning() *kernel {
	off := strings.Replace(manifest, `"title": "保存页面",`, `"title": "保存页面", "enabled": false,`, 1)
	return &kernel{
		manifest: func(context.Context, string) (capabilities.Manifest, error) { return capabilities.Read([]byte(off)) },
		call: func(_ context.Context, c tools.Call) (tools.Envelope, error) {
			return tools.Refuse(c, tools.Errorf(tools.CodeDisabled, tools.Text{ZH: "关", EN: "off"}).With("reason", "tool")), nil
		},
	}
}

// A tool that is off says so before anything of its arguments is said, also where
// the host has yet to hear of it: a model would mend a call that cannot work.
func TestOffComesBeforeArguments(t *testing.T) {
	t.Parallel()
	for name, args := range map[string]string{
		"incomplete":     `{}`,
		"no JSON":        `{"content":`,
		"unknown member": `{"content": "x", "dryRun": true, "what": 1}`,
		"another page's": `{"content": "x", "dryRun": true, "workspaceId": "ws_2"}`,
		"whole":          `{"content": "x", "dryRun": true}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, setup{kernel: turning()})
			if env := r.call("mnote_page_save", args); code(env) != "mnote_tool_disabled tool" {
				t.Errorf("%s", env.JSON())
			}
		})
	}
	r := newRig(t, setup{})
	if env := r.call("mnote_page_save", `{}`); code(env) != "mnote_tool_invalid_args" {
		t.Errorf("on: %s", env.JSON())
	}
}

// After a refusal the host's lists are those of the refusal: a client that lists
// next sees no tool that is off.
func TestRefusalBringsTheList(t *testing.T) {
	t.Parallel()
	k := turning()
	var asked atomic.Int64
	fresh := k.manifest
	k.manifest = func(ctx context.Context, etag string) (capabilities.Manifest, error) {
		asked.Add(1)
		return fresh(ctx, etag)
	}
	registry := capabilities.NewRegistry(capabilities.Config{First: read(t, manifest), Source: k})
	r := newRig(t, setup{kernel: k, host: func(c *plugin.Config) { c.Registry = registry }})
	if env := r.call("mnote_page_save", `{"content": "x", "dryRun": true}`); code(env) != "mnote_tool_disabled tool" {
		t.Fatalf("%s", env.JSON())
	}
	for _, tool := range registry.Snapshot().Tools() {
		if tool.Name == "mnote.page.save" {
			t.Errorf("still listed, after %d looks", asked.Load())
		}
	}
}

// An argument or a tool that the host has not heard of yet is no fault of the call:
// the kernel is asked before it is refused. Where it does not answer and never did,
// that is what is told of a tool.
func TestNewerThanTheHost(t *testing.T) {
	t.Parallel()
	silent := tools.Errorf(tools.CodeKernelUnavailable, tools.Text{ZH: "没有应答", EN: "no answer"}).With("reason", "refused")
	speaks := &kernel{manifest: func(context.Context, string) (capabilities.Manifest, error) {
		return capabilities.Read([]byte(manifest))
	}}
	gone := &kernel{manifest: func(context.Context, string) (capabilities.Manifest, error) { return capabilities.Manifest{}, silent }}
	noContent := strings.ReplaceAll(manifest, `"content"`, `"contents"`)
	noSave := strings.ReplaceAll(manifest, `"mnote.page.save"`, `"mnote.page.store"`)
	for name, c := range map[string]struct {
		kernel *kernel
		first  string // "" is the manifest that we ship
		want   string
	}{
		"an argument":                   {speaks, noContent, ""},
		"a tool":                        {speaks, noSave, ""},
		"an argument, kernel gone":      {gone, noContent, "mnote_tool_invalid_args"},
		"a tool, kernel gone":           {gone, noSave, "mnote_tool_not_found"},
		"a tool, kernel never heard of": {gone, "", "mnote_kernel_unavailable refused"},
		"all known, kernel gone":        {gone, manifest, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tool, registry := "mnote_page_save", capabilities.Config{Source: c.kernel}
			if c.first != "" {
				registry.First = read(t, c.first)
			} else {
				tool = "mnote_page_archive"
			}
			r := newRig(t, setup{kernel: c.kernel, host: func(h *plugin.Config) { h.Registry = capabilities.NewRegistry(registry) }})
			if env := r.call(tool, `{"content": "x", "dryRun": true}`); code(env) != c.want {
				t.Errorf("%s", env.JSON())
			}
		})
	}
}
