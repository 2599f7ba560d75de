package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mnote-dev/mnote-host/tools"
)

// defaultMaxResult keeps a result below the 16,000 bytes that Reasonix shows of
// a longer one, frame and all.
const defaultMaxResult = 15000

// shortened is the envelope's member that names what fit cut.
const shortened = "shortened"

// fit brings an envelope below the limit of bytes and gives its JSON, in the memory
// of dst where that is enough. A read
// that is too long becomes a refusal that says how to page, since half an answer
// would be taken for a whole one. What a write did is never turned into an
// error: its answer is cut where it can be, and says where.
func (f *Face) fit(dst []byte, env tools.Envelope, args json.RawMessage) (tools.Envelope, []byte) {
	limit := f.maxResult()
	text := encode(dst, env)
	if limit < 0 || len(text) <= limit {
		return env, text
	}
	switch t, err := f.surface().snap.Resolve(string(env.ToolName)); {
	case !env.OK:
		env = fitError(env, limit)
	case wrote(env.Audit.Effect) || err == nil && t.Writes():
		env = fitWrite(env, len(text), limit)
	default:
		env = f.tooLong(env, overlong{t, args, len(text), limit})
	}
	return env, encode(nil, env)
}

// wrote reports whether an effect is a write's, or a plan's for one.
func wrote(e tools.Effect) bool { return e == tools.EffectWrite || e == tools.EffectDryRun }

// encode gives an envelope as one line of UTF-8.
func encode(dst []byte, env tools.Envelope) []byte { return valid(env.AppendJSON(dst)) }

func (f *Face) maxResult() int {
	if f.cfg.MaxResult == 0 {
		return defaultMaxResult
	}
	return f.cfg.MaxResult
}

// maxChars is the argument that bounds how much text a tool gives.
const maxChars = "maxChars"

// pagers are the arguments by which tools give less at a time.
var pagers = []string{maxChars, "cursor", "limit", "depth", "maxDepth", "topK", "nodeId", "scope", "folder", "extractMode", "includeBlocks", "includeBody"}

// overlong is a read whose answer has more bytes than the limit.
type overlong struct {
	tool        tools.Tool
	args        json.RawMessage
	size, limit int
}

// tooLong refuses a read's answer, naming the tool's own ways to ask for less and,
// where there is one, a number that should do.
func (f *Face) tooLong(env tools.Envelope, o overlong) tools.Envelope {
	err := tools.Errorf(tools.CodePayloadTooLarge, tools.Text{
		ZH: "结果有 %d 字节，超过上限 %d 字节（--max-result）；请少取一些",
		EN: "the result has %d bytes, more than the limit of %d (--max-result); ask for less",
	}, o.size, o.limit)
	if narrow := narrowers(o.tool); len(narrow) > 0 {
		ways := strings.Join(narrow, ", ")
		if narrow[0] == maxChars {
			ways = fmt.Sprintf("%s=%d%s", maxChars, o.fewer(), ways[len(maxChars):])
		}
		err = tools.Errorf(tools.CodePayloadTooLarge, tools.Text{
			ZH: "结果有 %d 字节，超过上限 %d 字节（--max-result）；请用参数 %s 少取一些，分页读取",
			EN: "the result has %d bytes, more than the limit of %d (--max-result); ask for less at a time by %s",
		}, o.size, o.limit, ways).With("narrowBy", narrow)
		if narrow[0] == maxChars {
			err = err.With("send", map[string]any{maxChars: o.fewer()})
		}
	}
	c := tools.Call{
		ToolName: env.ToolName, ToolCallID: env.ToolCallID, TraceID: env.TraceID,
		WorkspaceID: env.Audit.WorkspaceID, DocumentID: env.Audit.DocumentID, Lang: f.cfg.Session.Lang(),
	}
	return tools.Refuse(c, err.With("limit", o.limit).With("size", o.size))
}

// charBytes is what a character may cost in an answer: three bytes, as a block's
// text and as its source, and something for the JSON around.
const charBytes = 8

// fewer is how many characters to ask for: what fits whatever they are and, after
// a smaller number that was too much, less than that.
func (o overlong) fewer() int {
	var sent struct {
		MaxChars json.Number `json:"maxChars"`
	}
	_ = json.Unmarshal(o.args, &sent) // what is no number bounded nothing
	chars := o.limit / charBytes
	if n, err := sent.MaxChars.Int64(); err == nil && n > 0 {
		chars = min(chars, int(min(n, int64(o.size)))*o.limit/o.size*3/4)
	}
	return max(chars, 1)
}

// narrowers lists which of the pagers the tool takes.
func narrowers(t tools.Tool) []string {
	takes := properties(t)
	return slices.DeleteFunc(slices.Clone(pagers), func(p string) bool { _, has := takes[p]; return !has })
}

// properties gives the arguments that a tool's schema names.
func properties(t tools.Tool) map[string]json.RawMessage {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	_ = json.Unmarshal(t.InputSchema, &s) // an unreadable schema names none
	return s.Properties
}

// fitError cuts a kernel's overlong message and, if that is not enough, the
// details that are not single values.
func fitError(env tools.Envelope, limit int) tools.Envelope {
	e := *env.Error
	e.Message = clip(e.Message, limit/8)
	env.Error = &e
	if len(env.JSON()) <= limit {
		return env
	}
	small := map[string]any{shortened: true}
	for k, v := range e.Details {
		if b, err := tools.Compact(v); err == nil && len(b) <= limit/16 {
			small[k] = v
		}
	}
	e.Details = small
	return env
}

// fitWrite cuts the longest texts and lists of a write's result until it fits.
func fitWrite(env tools.Envelope, size, limit int) tools.Envelope {
	spare := limit - (size - len(env.Result)) - maxNotes
	for range 4 { // a text's escapes are not spread evenly: cut again, by more
		cut := cutWrite(env, spare)
		if size = len(cut.JSON()); size <= limit || spare <= 0 {
			return cut
		}
		spare -= size - limit
	}
	return cutWrite(env, 0)
}

// cutWrite cuts a write's result to spare bytes and says so beside it.
func cutWrite(env tools.Envelope, spare int) tools.Envelope {
	c := cutter{}
	env.Result = c.cut("/result", env.Result, spare)
	if n := len(env.Audit.ChangedFiles); n > maxFiles {
		env.Audit.ChangedFiles = env.Audit.ChangedFiles[:maxFiles]
		c.note("/audit/changedFiles", maxFiles, n, "entries")
	}
	if notes, err := tools.Compact(c.notes); err == nil && len(c.notes) > 0 {
		env.Extra = maps.Clone(env.Extra)
		if env.Extra == nil {
			env.Extra = map[string]json.RawMessage{}
		}
		env.Extra[shortened] = notes
	}
	return env
}

// Bounds of what fitWrite leaves: room for its own notes, and the changed files
// that stay named.
const (
	maxNotes = 600
	maxFiles = 50
	minKept  = 64 // a text or list shorter than this is not worth cutting
)

// cutter shortens JSON and notes what it cut, by JSON pointer.
type cutter struct{ notes []string }

func (c *cutter) note(at string, kept, of int, unit string) {
	if len(c.notes) < 8 {
		c.notes = append(c.notes, fmt.Sprintf("%s: the first %d of %d %s", at, kept, of, unit))
	}
}

// cut gives raw in at most about budget bytes: a text keeps its start, a list
// its first entries, an object all its members, the longest of them cut. What is
// neither stays whole.
func (c *cutter) cut(at string, raw json.RawMessage, budget int) json.RawMessage {
	if len(raw) <= max(budget, minKept) {
		return raw
	}
	switch raw[0] {
	case '"':
		return c.text(at, raw, budget)
	case '[':
		return c.list(at, raw, budget)
	case '{':
		return c.object(at, raw, budget)
	}
	return raw
}

func (c *cutter) text(at string, raw json.RawMessage, budget int) json.RawMessage {
	s, ok := text(raw)
	if !ok {
		return raw
	}
	kept := clip(s, max(budget-minKept, 0)*len(s)/len(raw))
	c.note(at, len(kept), len(s), "bytes")
	out, err := tools.Compact(kept + fmt.Sprintf("\n… (%d bytes left out)", len(s)-len(kept)))
	if err != nil {
		return raw
	}
	return out
}

func (c *cutter) list(at string, raw json.RawMessage, budget int) json.RawMessage {
	var entries []json.RawMessage
	if json.Unmarshal(raw, &entries) != nil {
		return raw
	}
	out := []byte{'['}
	for i, e := range entries {
		left := budget - len(out) - 1
		if len(e) > left && i > 0 {
			c.note(at, i, len(entries), "entries")
			break
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, c.cut(fmt.Sprintf("%s/%d", at, i), e, left)...)
	}
	return append(out, ']')
}

// object shares the budget: members that need less than their share keep all,
// and what they leave goes to the longer ones.
func (c *cutter) object(at string, raw json.RawMessage, budget int) json.RawMessage {
	members, ok := membersOf(raw)
	if !ok {
		return raw
	}
	bySize := slices.Clone(members)
	slices.SortStableFunc(bySize, func(a, b *member) int { return len(a.value) - len(b.value) })
	left := budget - 2
	for i, m := range bySize {
		left -= len(m.name) + 2
		share := left / (len(bySize) - i)
		m.value = c.cut(at+"/"+m.key, m.value, share)
		left -= len(m.value)
	}
	return join(members)
}

// member is one member of an object, its name as written.
type member struct {
	key         string
	name, value json.RawMessage
}

// membersOf reads an object's members in their order.
func membersOf(raw json.RawMessage) ([]*member, bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil {
		return nil, false
	}
	var out []*member
	for d.More() {
		key, err := d.Token()
		name, isName := key.(string)
		var value json.RawMessage
		if err != nil || !isName || d.Decode(&value) != nil {
			return nil, false
		}
		quoted, err := tools.Compact(name)
		if err != nil {
			return nil, false
		}
		out = append(out, &member{key: name, name: quoted, value: value})
	}
	return out, true
}

func join(members []*member) json.RawMessage {
	out := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, m.name...), ':'), m.value...)
	}
	return append(out, '}')
}

// clip keeps at most n bytes of s, whole code points, and whole lines where the
// cut would lose less than a quarter by it.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	if at := bytes.LastIndexByte([]byte(s[:n]), '\n'); at >= n-n/4 {
		n = at
	}
	return s[:n]
}
