package guard

import (
	"slices"
	"time"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/tools"
)

// denied refuses with mnote_tool_permission_denied; the reason is for whoever
// repairs the call.
func denied(reason string, format tools.Text, args ...any) *tools.Error {
	return tools.Errorf(tools.CodePermissionDenied, format, args...).With("reason", reason)
}

// Expiry refuses every call of a grant that has ended.
func Expiry(g *tools.Grant, now time.Time) error {
	if g == nil || !g.Expired(now) {
		return nil
	}
	return denied("expired", tools.Text{
		ZH: "这次授权已于 %s 到期；请在 MNote 里重新授权",
		EN: "this grant ended at %s; a person must grant access again in MNote",
	}, g.ExpiresAt.UTC().Format(time.RFC3339))
}

// Workspace refuses every call where the grant was given for another workspace
// than the session's.
func Workspace(b Bounds) error {
	if b.Grant == nil || b.Grant.WorkspaceID == "" || b.Grant.WorkspaceID == b.WorkspaceID {
		return nil
	}
	return denied("workspace", tools.Text{
		ZH: "这次授权不是给当前工作区的",
		EN: "this grant is for another workspace than this session's",
	})
}

// Level refuses a write to a grant that only reads, and everything to one that
// grants nothing. A plan is a read.
func Level(g *tools.Grant, r Reach) error {
	if g == nil {
		return nil
	}
	if !g.Level.AtLeast(tools.LevelRead) {
		return denied("level", tools.Text{
			ZH: "这次会话没有获得任何授权",
			EN: "this session was granted nothing",
		})
	}
	if r.Tool.Writes() && !r.DryRun && !g.Level.AtLeast(tools.LevelWrite) {
		return denied("level", tools.Text{
			ZH: "这次会话只读，不能运行写工具 %s；可以用 dryRun=true 先做计划",
			EN: "this session may only read, so %s may not write; dryRun=true makes a plan without writing",
		}, r.Tool.Name)
	}
	return nil
}

// WritePermission refuses a tool that asks for write permission, whatever its
// kind, to a grant that only reads. The plan of a write is a read here too.
func WritePermission(g *tools.Grant, r Reach) error {
	plan := r.Tool.Writes() && r.DryRun
	if g == nil || !r.Tool.RequiresWritePermission || plan || g.Level.AtLeast(tools.LevelWrite) {
		return nil
	}
	return denied("level", tools.Text{
		ZH: "工具 %s 需要写权限，而这次会话只读",
		EN: "the tool %s needs write permission and this session may only read",
	}, r.Tool.Name)
}

// ReadOnlyPacks refuses a write whose every pack calls itself read only.
func ReadOnlyPacks(r Reach) error {
	writable := func(p capabilities.Pack) bool { return !p.ReadOnly }
	if !r.Tool.Writes() || len(r.Packs) == 0 || slices.ContainsFunc(r.Packs, writable) {
		return nil
	}
	return denied("capability_read_only", tools.Text{
		ZH: "能力「%s」只读，不能运行写工具 %s",
		EN: "the capability %q is read only, so %s may not run",
	}, r.Packs[0].Title, r.Tool.Name)
}

// Scopes refuses a tool of which the grant lacks a permission word.
func Scopes(g *tools.Grant, t tools.Tool) error {
	if g == nil {
		return nil
	}
	for _, s := range t.Scopes {
		if !g.Allows(s) {
			return denied("scope", tools.Text{
				ZH: "这次授权里没有 %s，不能运行 %s",
				EN: "this grant does not hold %s, which %s needs",
			}, s, t.Name).With("scope", s)
		}
	}
	return nil
}

// SharedRead refuses writes to a shared grant that only reads, plans included:
// what a plan shows of others' pages is not the model's to collect.
func SharedRead(g *tools.Grant, r Reach) error {
	if g == nil || !g.Shared || g.Level.AtLeast(tools.LevelWrite) || !r.Tool.Writes() {
		return nil
	}
	return denied("shared_read", tools.Text{
		ZH: "共享只读的会话不能运行写工具 %s，dryRun 也不行",
		EN: "a shared session that may only read may not run %s, dry runs included",
	}, r.Tool.Name)
}

// Document refuses a document that the grant does not reach. A call without a
// document passes: its kernel filters the answer.
func Document(b Bounds, id string) error {
	if b.Grant == nil || id == "" || b.Grant.AllowsDocument(id) {
		return nil
	}
	return denied("document", tools.Text{
		ZH: "这次授权不包括这个文档",
		EN: "this grant does not reach that document",
	})
}
