package plugin_test

import (
	"context"
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// TestWorkspaceOfTheKernel: a session that was given only a kernel's address is
// in the workspace that the kernel says it serves; with a grant for another it
// may do nothing; and where the kernel cannot be asked, that is what is told.
func TestWorkspaceOfTheKernel(t *testing.T) {
	t.Parallel()
	serving := strings.Replace(manifest, "{", `{"workspaceId":"ws_own",`, 1)
	unreachable := tools.Errorf(tools.CodeKernelUnavailable, tools.Text{ZH: "连不上", EN: "cannot be reached"})
	tests := map[string]struct {
		first   string
		live    func() (capabilities.Manifest, error)
		grant   *tools.Grant
		code    tools.Code
		carried string
	}{
		"the snapshot says it":         {first: serving, carried: "ws_own"},
		"the live manifest says it":    {first: manifest, live: func() (capabilities.Manifest, error) { return read(t, serving), nil }, carried: "ws_own"},
		"the kernel cannot be asked":   {first: manifest, live: func() (capabilities.Manifest, error) { return capabilities.Manifest{}, unreachable }, code: tools.CodeKernelUnavailable},
		"the kernel says nothing":      {first: manifest, live: func() (capabilities.Manifest, error) { return read(t, manifest), nil }, code: tools.CodeMissingContext},
		"the grant is for this":        {first: serving, grant: &tools.Grant{Level: tools.LevelRead, WorkspaceID: "ws_own"}, carried: "ws_own"},
		"the grant names no workspace": {first: serving, grant: &tools.Grant{Level: tools.LevelRead}, carried: "ws_own"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := &kernel{}
			if tt.live != nil {
				k.manifest = func(context.Context, string) (capabilities.Manifest, error) { return tt.live() }
			}
			r := newRig(t, setup{kernel: k, manifest: tt.first, session: func(c *plugin.SessionConfig) { c.WorkspaceID, c.Grant = "", tt.grant }})
			env := r.call("mnote_page_get", `{}`)
			if tt.code != "" {
				if env.Error == nil || env.Error.Code != tt.code || len(k.got()) != 0 {
					t.Errorf("answered %s, and %d calls went out", env.JSON(), len(k.got()))
				}
				return
			}
			if got := k.got(); !env.OK || len(got) != 1 || got[0].WorkspaceID != tt.carried {
				t.Errorf("answered %s after %+v", env.JSON(), got)
			}
		})
	}
}
