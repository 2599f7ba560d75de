package guard

import (
	"cmp"
	"strings"
	"unicode"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/tools"
)

// The host fields of a call that guards know by name.
const (
	workspaceField = "workspaceId"
	documentField  = "documentId"
	actorField     = "actorId"
	rootField      = "rootUri"
	scopesField    = "capabilityScope"
)

// Sent refuses a call that says another workspace, actor, root or scope than
// the session's: an old adapter may send them, but they widen nothing. The
// host's other fields are simply replaced.
func Sent(b Bounds, fields map[string]any) error {
	return cmp.Or(
		same(fields, workspaceField, b.WorkspaceID),
		same(fields, actorField, b.ActorID),
		sentRoot(b, fields[rootField]),
		sentScopes(b.Grant, fields[scopesField]),
	)
}

func same(fields map[string]any, name, ours string) error {
	if absent(fields[name]) || fields[name] == ours {
		return nil
	}
	return widens(name)
}

func sentRoot(b Bounds, v any) error {
	root, isString := v.(string)
	if absent(v) || isString && Within(b.RootURI, root) {
		return nil
	}
	return widens(rootField)
}

func sentScopes(g *tools.Grant, v any) error {
	words, isList := v.([]any)
	if absent(v) {
		return nil
	}
	if !isList {
		words = []any{v}
	}
	for _, w := range words {
		word, isString := w.(string)
		if !isString || g != nil && !g.Allows(tools.Scope(word)) {
			return widens(scopesField)
		}
	}
	return nil
}

func absent(v any) bool { return v == nil || v == "" }

// widens names the field and not the session's value: that is not the model's
// to learn.
func widens(field string) error {
	return denied("session_field", tools.Text{
		ZH: "%s 与这次会话的不一致；它由宿主填写，请去掉这个参数",
		EN: "%s is not this session's; the host fills it in, so leave the argument out",
	}, field).With("field", field)
}

// maxKey is the longest idempotency key of a caller's, in bytes.
const maxKey = 200

// Key refuses a caller's idempotency key that is too long or holds what cannot
// be printed: it is said back in errors and kept for months.
func Key(k tools.Key) error {
	odd := func(r rune) bool { return !unicode.IsPrint(r) }
	if len(k) <= maxKey && !strings.ContainsFunc(string(k), odd) {
		return nil
	}
	return tools.Errorf(tools.CodeInvalidArgs, tools.Text{
		ZH: "参数不合要求：/idempotencyKey 太长或含有不可打印的字符（最多 %d 字节）",
		EN: "the arguments do not fit: /idempotencyKey is too long or holds what cannot be printed (at most %d bytes)",
	}, maxKey).With("violations", []map[string]string{{
		"path": "/idempotencyKey", "problem": "too long or not printable", "allowed": "at most 200 bytes of printable text",
	}})
}

// Demand says which fields a tool's full schema requires; (*schema.Schema).Requires is one.
type Demand func(field string) bool

// refFields names, for each kind of reference a pack may require, the field
// whose value is that thing. A file has no field: no tool's schema asks for one.
var refFields = []struct {
	kind, field string
	need        tools.Text
}{
	{"page", documentField, need("一个页面", "a page", documentField)},
	{"folder", rootField, tools.Text{ZH: "一个文件夹：请用户打开或附上一个", EN: "a folder: ask the person to open or attach one"}},
	{"mindmap", MindmapField, need("一个脑图", "a mindmap", MindmapField)},
	{"office", AssetField, need("一个 Office 文档", "an Office document", AssetField)},
}

// need says what is needed and how it comes: a field that the model may fill in,
// or the person.
func need(zh, en, field string) tools.Text {
	return tools.Text{
		ZH: zh + "：在调用里给出 " + field + "，或请用户打开、附上一个",
		EN: en + ": send " + field + " with the call, or ask the person to open or attach one",
	}
}

// Refs refuses a call that lacks a thing which its tool's pack requires, where
// the tool's own schema requires it too. have tells the bound fields that are
// filled in; refs are what the person attached.
func Refs(p capabilities.Pack, requires Demand, have func(field string) bool, refs []tools.Ref) error {
	for _, kind := range p.RequiresRefs {
		for _, f := range refFields {
			if f.kind == kind && requires(f.field) && !have(f.field) && !attached(refs, kind) {
				return missing(tools.Text{
					ZH: "能力「%[1]s」需要先选定%[2]s",
					EN: "the capability %[1]q needs %[3]s",
				}, []string{f.field}, p.Title, f.need.ZH, f.need.EN)
			}
		}
	}
	return nil
}

func attached(refs []tools.Ref, kind string) bool {
	for _, r := range refs {
		if r.Kind == kind && r.ID != "" {
			return true
		}
	}
	return false
}

// Missing refuses a call that lacks session fields its tool's schema requires,
// naming each. fields are those that bind fills in.
func Missing(fields []string, requires Demand, have func(field string) bool) error {
	var lacks []string
	for _, f := range fields {
		if requires(f) && !have(f) {
			lacks = append(lacks, f)
		}
	}
	if lacks == nil {
		return nil
	}
	return missing(tools.Text{
		ZH: "这次会话没有 %s；documentId 可以作为参数给出，其余由启动宿主的一方设置",
		EN: "this session has no %s; documentId may be given as an argument, the rest is set where the host is started",
	}, lacks, strings.Join(lacks, ", "))
}

func missing(format tools.Text, fields []string, args ...any) error {
	return tools.Errorf(tools.CodeMissingContext, format, args...).With("missing", fields)
}
