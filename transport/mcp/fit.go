package mcp

import (
	"encoding/json"
	"maps"

	"github.com/mnote-dev/mnote-host/tools"
)

// defaultMaxResult keeps a result below the 16,000 bytes that Reasonix shows of
// a longer one, frame and all.
const defaultMaxResult = 15000

// shortened is the envelope's member that names what fit cut.
const shortened = "shortened"

// fit brings an envelope below the limit of bytes and gives its JSON, in the memory
// of dst where that is enough. A read that is too long becomes a refusal that says
// how to page, since half an answer would be taken for a whole one. What a write did
// is never turned into an error: its answer is cut where it can be, and says where.
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
