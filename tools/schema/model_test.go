package schema

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/tools"
)

// catalogue reads the local kernel's tools, as far as this package needs them.
func catalogue(tb testing.TB) map[string]tools.Tool {
	tb.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "..", "plugin", "localkernel", "manifest.json"))
	if err != nil {
		tb.Fatal(err)
	}
	var m struct {
		Tools []struct {
			Name        tools.Name
			Kind        tools.Kind
			InputSchema json.RawMessage
			ConfirmWhen json.RawMessage
		}
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		tb.Fatal(err)
	}
	all := map[string]tools.Tool{}
	for _, t := range m.Tools {
		all[string(t.Name)] = tools.Tool{Name: t.Name, Kind: t.Kind, InputSchema: t.InputSchema, ConfirmWhen: t.ConfirmWhen}
	}
	return all
}

// model is a scripted model. It knows nothing of schemas: it sends a call, and
// then applies what each violation says, by the words alone.
type model struct{ args any }

// mend applies the violations of one answer.
func (m *model) mend(violations []Violation) {
	for _, v := range violations {
		m.apply(v)
	}
}

var (
	nearestWord = regexp.MustCompile(`^the nearest is (\S+) \((.+)\); known:`)
	atLeast     = regexp.MustCompile(`at least (-?[0-9]+)`)
	atMost      = regexp.MustCompile(`at most (-?[0-9]+)`)
	oneOf       = regexp.MustCompile(`^one of (.+)$`)
)

func (m *model) apply(v Violation) {
	path := strings.Split(v.Path, "/")[1:]
	switch {
	case v.Path == "" && v.Problem == "not a JSON object":
		m.args = unwrapped(m.args)
	case v.Problem == "unknown argument" && nearestWord.MatchString(v.Allowed):
		advice := nearestWord.FindStringSubmatch(v.Allowed)
		m.rename(path, advice[1], func(old any) any { return fit(old, advice[2]) })
	case v.Problem == "written in another case":
		m.rename(path, v.Allowed, func(old any) any { return old })
	case v.Problem == "unknown argument", strings.HasPrefix(v.Problem, "differs from"):
		m.change(path, func(o map[string]any, key string) { delete(o, key) })
	default:
		m.change(path, func(o map[string]any, key string) { o[key] = fit(o[key], v.Allowed) })
	}
}

// unwrapped takes the object out of a list of one.
func unwrapped(v any) any {
	if l, ok := v.([]any); ok && len(l) == 1 {
		return l[0]
	}
	return map[string]any{}
}

// change finds the object (or, for an index, the list) that holds the path's
// end.
func (m *model) change(path []string, f func(o map[string]any, key string)) {
	at := m.args
	for len(path) > 1 {
		switch o := at.(type) {
		case map[string]any:
			at = o[path[0]]
		case []any:
			i, _ := strconv.Atoi(path[0])
			at = o[i]
		}
		path = path[1:]
	}
	switch o := at.(type) {
	case map[string]any:
		f(o, path[0])
	case []any:
		i, _ := strconv.Atoi(path[0])
		box := map[string]any{path[0]: o[i]}
		f(box, path[0])
		o[i] = box[path[0]]
	}
}

// rename moves a value to the name that was advised; one that is given already
// is not overwritten.
func (m *model) rename(path []string, to string, as func(any) any) {
	m.change(path, func(o map[string]any, key string) {
		if _, given := o[to]; !given {
			o[to] = as(o[key])
		}
		delete(o, key)
	})
}

// fit makes a value of what is allowed, keeping what was meant as far as it
// can.
func fit(old any, allowed string) any {
	first, _, _ := strings.Cut(allowed, " or ")
	switch {
	case allowed == "true or false":
		s, _ := old.(string)
		return old == true || old == 1.0 || slices.Contains([]string{"yes", "on", "1"}, strings.ToLower(s))
	case oneOf.MatchString(allowed):
		return choice(old, oneOf.FindStringSubmatch(allowed)[1])
	case strings.HasPrefix(first, "a string"):
		return asText(old, allowed)
	case strings.HasPrefix(first, "an integer"), strings.HasPrefix(first, "a number"):
		return asNumber(old, allowed)
	case strings.HasPrefix(first, "an array"):
		return asList(old, allowed)
	}
	return asObject(old, allowed)
}

func choice(old any, allowed string) any {
	var words []string
	for _, w := range strings.Split(allowed, ", ") {
		words = append(words, strings.Trim(w, `"`))
	}
	s, _ := old.(string)
	return tools.Nearest(s, words, 1)[0]
}

func asText(old any, allowed string) any {
	s, isText := old.(string)
	if !isText && old != nil {
		s = string(encode(old))
	}
	if n := atLeast.FindStringSubmatch(allowed); n != nil && s == "" {
		least, _ := strconv.Atoi(n[1])
		s = strings.Repeat("x", least)
	}
	if n := atMost.FindStringSubmatch(allowed); n != nil {
		most, _ := strconv.Atoi(n[1])
		s = s[:min(len(s), most)]
	}
	return s
}

func asNumber(old any, allowed string) any {
	n, _ := old.(float64)
	n = float64(int(n))
	if low := atLeast.FindStringSubmatch(allowed); low != nil {
		least, _ := strconv.Atoi(low[1])
		n = max(n, float64(least))
	}
	return n
}

// asList makes a list, each item as "each …" says.
func asList(old any, allowed string) any {
	list, isList := old.([]any)
	s, isText := old.(string)
	switch {
	case old == nil, isText && json.Unmarshal([]byte(s), &list) == nil:
	case !isList:
		list = []any{old}
	}
	out := []any{}
	for _, e := range list {
		if _, each, ok := strings.Cut(allowed, ", each "); ok {
			e = fit(e, each)
		}
		out = append(out, e)
	}
	return out
}

// members are what "an object {…}" lists.
var members = regexp.MustCompile(`([A-Za-z]+)( \(required, ([^)]+)\))?[,}]`)

// asObject makes an object with the members that must be there; a word goes
// into the first of them that takes it, else into text, if there is one.
func asObject(old any, allowed string) any {
	if o, ok := old.(map[string]any); ok {
		return o
	}
	o := map[string]any{}
	if s, _ := old.(string); json.Unmarshal([]byte(s), &o) == nil {
		return o
	}
	o = map[string]any{}
	for _, m := range members.FindAllStringSubmatch(allowed, -1) {
		if m[3] != "" {
			o[m[1]] = fit(old, m[3])
		}
	}
	if len(o) == 0 && strings.Contains(allowed, " text,") {
		o["text"] = asText(old, "a string")
	}
	return o
}

// wrongCalls are kinds of mistakes, each with a call that makes it.
var wrongCalls = []struct{ kind, tool, args string }{
	{"nothing given", "mnote.page.save", `{}`},
	{"one argument forgotten", "mnote.page.update_title", `{"title":"Q3"}`},
	{"a list of one call", "mnote.page.update_title", `[{"title":"Q3","dryRun":true}]`},
	{"a list of nothing", "mnote.doc.list", `[]`},
	{"a word instead of arguments", "mnote.doc.list", `"list"`},
	{"a number instead of arguments", "mnote.context.get", `7`},
	{"a mistyped name", "mnote.page.update_title", `{"titel":"Q3","dryRun":true}`},
	{"snake case", "mnote.page.update_title", `{"title":"Q3","dry_run":true}`},
	{"another case", "mnote.page.update_title", `{"Title":"Q3","dryRun":true}`},
	{"all capitals", "mnote.doc.search", `{"QUERY":"x"}`},
	{"a name with a blank", "mnote.block.update", `{"block id":"b1","content":"x","dryRun":true}`},
	{"a kebab name", "mnote.block.delete", `{"block-id":"b1","dryRun":false}`},
	{"a plural", "mnote.knowledge_rag.query", `{"queries":"x"}`},
	{"another word for it", "mnote.knowledge_rag.open_reference", `{"reference":"r1"}`},
	{"an argument of another tool", "mnote.page.get", `{"title":"x"}`},
	{"an argument where there are none", "mnote.knowledge_rag.status", `{"verbose":true}`},
	{"two unknown ones", "mnote.doc.list", `{"dir":"a","max":"9"}`},
	{"known and mistyped at once", "mnote.doc.search", `{"query":"x","qeury":"y"}`},
	{"both spellings", "mnote.doc.search", `{"query":"x","Query":"y"}`},
	{"a host field in capitals", "mnote.doc.list", `{"WORKSPACEID":"w"}`},
	{"a host field, mistyped", "mnote.doc.list", `{"workspace":"w"}`},
	{"yes for a boolean", "mnote.page.update_title", `{"title":"Q3","dryRun":"yes"}`},
	{"one for a boolean", "mnote.page.update_title", `{"title":"Q3","dryRun":1}`},
	{"an object for a boolean", "mnote.page.get", `{"includeBody":{}}`},
	{"null for a required boolean", "mnote.page.update_title", `{"title":"Q3","dryRun":null}`},
	{"a number for text", "mnote.page.update_title", `{"title":2026,"dryRun":true}`},
	{"a boolean for text", "mnote.doc.search", `{"query":true}`},
	{"a list for text", "mnote.doc.search", `{"query":["a","b"]}`},
	{"an object for text", "mnote.artifact.create_ai_note", `{"content":{"a":1},"dryRun":true}`},
	{"empty text", "mnote.page.update_title", `{"title":"","dryRun":true}`},
	{"null for required text", "mnote.block.get", `{"blockId":null}`},
	{"a word for a number", "mnote.doc.list", `{"limit":"ten"}`},
	{"half a number", "mnote.doc.list", `{"limit":2.5}`},
	{"half a number as text", "mnote.doc.list", `{"depth":"2.5"}`},
	{"too small a number", "mnote.doc.list", `{"limit":0}`},
	{"a negative number", "mnote.page.get", `{"maxChars":-100}`},
	{"a boolean for a number", "mnote.doc.restore", `{"revision":true,"dryRun":true}`},
	{"a list for a number", "mnote.doc.restore", `{"revision":[3],"dryRun":true}`},
	{"null for a required number", "mnote.doc.restore", `{"revision":null,"dryRun":true}`},
	{"a revision in words", "mnote.page.update_title", `{"title":"Q3","dryRun":true,"expectedRevision":"latest"}`},
	{"a mode that does not exist", "mnote.page.save", `{"content":"x","mode":"overwrite","dryRun":true}`},
	{"a mode in capitals", "mnote.page.save", `{"content":"x","mode":"APPEND","dryRun":true}`},
	{"no mode", "mnote.page.save", `{"content":"x","dryRun":true}`},
	{"a mode that is a number", "mnote.page.save", `{"content":"x","mode":1,"dryRun":true}`},
	{"a position that does not exist", "mnote.block.insert", `{"content":"x","position":"bottom","dryRun":true}`},
	{"a scope that does not exist", "mnote.mindmap.fetch", `{"mindmapId":"m","scope":"all"}`},
	{"a kind that does not exist", "mnote.artifact.list", `{"kind":"notes"}`},
	{"a word for a list", "mnote.knowledge_rag.query", `{"query":"x","sourcePaths":"a.md"}`},
	{"numbers in a list of words", "mnote.knowledge_rag.query", `{"query":"x","sourcePaths":[1,2]}`},
	{"an object for a list of words", "mnote.knowledge_rag.query", `{"query":"x","sourcePaths":{"path":"a"}}`},
	{"a number for blocks", "mnote.page.save", `{"content":5,"mode":"append","dryRun":true}`},
	{"numbers among blocks", "mnote.page.save", `{"content":[1,{"text":"x"}],"mode":"append","dryRun":true}`},
	{"a block with another case", "mnote.page.save", `{"content":[{"Text":"x"}],"mode":"append","dryRun":true}`},
	{"a block whose level is a word", "mnote.page.save", `{"content":[{"text":"x","level":"two"}],"mode":"append","dryRun":true}`},
	{"a block whose text is a list", "mnote.page.save", `{"content":[{"text":["a"]}],"mode":"append","dryRun":true}`},
	{"no blocks, as text", "mnote.page.save", `{"content":"[]","mode":"replace","dryRun":true}`},
	{"null for blocks", "mnote.page.save", `{"content":null,"mode":"replace","dryRun":true}`},
	{"a word for an object", "mnote.page.update_options", `{"options":"wide","dryRun":true}`},
	{"a list for an object", "mnote.page.update_options", `{"options":["wideLayout"],"dryRun":true}`},
	{"an unknown option", "mnote.page.update_options", `{"options":{"wide":true},"dryRun":true}`},
	{"an option in snake case", "mnote.page.update_options", `{"options":{"show_toc":true},"dryRun":true}`},
	{"an option in another case", "mnote.page.update_options", `{"options":{"showTOC":true},"dryRun":true}`},
	{"an option that is a word", "mnote.page.update_options", `{"options":{"showToc":"on"},"dryRun":true}`},
	{"broken JSON in text", "mnote.page.update_options", `{"options":"{\"showToc\":","dryRun":true}`},
	{"ops as a word", "mnote.mindmap.apply_ops", `{"mindmapId":"m","expectedRevision":1,"ops":"add_node","dryRun":true}`},
	{"an op without op", "mnote.mindmap.apply_ops", `{"mindmapId":"m","expectedRevision":1,"ops":[{"text":"x"}],"dryRun":true}`},
	{"an op that does not exist", "mnote.mindmap.apply_ops", `{"mindmapId":"m","expectedRevision":1,"ops":[{"op":"addNode","text":"x"}],"dryRun":true}`},
	{"an op whose index is a word", "mnote.mindmap.apply_ops", `{"mindmapId":"m","expectedRevision":1,"ops":[{"op":"add_node","index":"last"}],"dryRun":true}`},
	{"a node without its parent", "mnote.mindmap.move_node", `{"mindmapId":"m","nodeId":"n","expectedRevision":1,"dryRun":true}`},
	{"an edit without its reason's place", "mnote.office.propose_changes", `{"assetId":"a","instructions":"x","basisRevision":1,"edits":[{"find":"a","replace":"b"}]}`},
	{"an idempotency key that is a number", "mnote.artifact.create_summary", `{"summary":"x","dryRun":false,"idempotencyKey":7}`},
	{"a document that is an object", "mnote.page.get", `{"documentId":{"id":"d"}}`},
	{"a plan that is a list", "mnote.page.save", `{"content":"x","mode":"append","dryRun":false,"planId":["p"]}`},
	{"six faults at once", "mnote.page.save", `{"Content":"x","mod":"append","dryRun":"y","expectedRevision":"new","planId":3,"foo":1}`},
}

// TestModelRepairsInOneTurn: for each kind of wrong call, what the refusal says
// is enough to mend it, and the message alone says as much as the details do.
func TestModelRepairsInOneTurn(t *testing.T) {
	t.Parallel()
	all := catalogue(t)
	if len(wrongCalls) < 60 {
		t.Fatalf("%d kinds of wrong call", len(wrongCalls))
	}
	for _, tt := range wrongCalls {
		t.Run(tt.kind, func(t *testing.T) {
			t.Parallel()
			s := New(all[tt.tool])
			_, _, err := s.Decode(json.RawMessage(tt.args))
			violations := violationsOf(t, err)
			e, _ := errors.AsType[*tools.Error](err)
			for _, v := range violations {
				for _, part := range []string{v.Path, v.Problem, v.Allowed} {
					if !strings.Contains(e.In(tools.EN).Message, part) {
						t.Errorf("the message lacks %q: %s", part, e.In(tools.EN).Message)
					}
				}
			}
			var m model
			if err := json.Unmarshal([]byte(tt.args), &m.args); err != nil {
				t.Fatal(err)
			}
			m.mend(violations)
			if _, _, err := s.Decode(encode(m.args)); err != nil {
				t.Errorf("%s\nwas refused: %v\nmended to %s\nrefused again: %v", tt.args, e, encode(m.args), err)
			}
		})
	}
}
