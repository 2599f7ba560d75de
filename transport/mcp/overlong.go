package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mnote-dev/mnote-host/tools"
)

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
