package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// fixtures stand in front of a face and serve what the official conformance
// suite wants to find in any server: its own tools, resources and prompts, from
// an mcp-go server behind the same loop. All the rest, and all of the protocol,
// is the face's. It lives in the tests because it needs the face's insides and
// nobody may start it by a flag.
type fixtures struct {
	face   handler
	server *server.MCPServer
	legacy *fixtureSession
	below  *dispatcher
	// change makes the face's lists other ones.
	change func(ctx context.Context) error
}

// ServeFixtures serves a face with the suite's fixtures beside it.
func ServeFixtures(ctx context.Context, cfg Config, in io.Reader, out io.Writer, change func(ctx context.Context) error) error {
	f := New(cfg)
	x := &fixtures{face: handler{f}, below: &dispatcher{face: f}, change: change}
	x.legacy = &fixtureSession{seat: &seat{id: "legacy"}, face: f}
	x.server = x.newServer()
	return f.runBy(ctx, in, out, x)
}

// Inline implements stdio.Handler.
func (x *fixtures) Inline(method string) bool { return x.face.Inline(method) }

// Notification implements stdio.Handler.
func (x *fixtures) Notification(ctx context.Context, r stdio.Request) { x.face.Notification(ctx, r) }

// Request implements stdio.Handler.
func (x *fixtures) Request(ctx context.Context, r stdio.Request) stdio.Reply {
	q, fault := x.face.face.read(r)
	if fault != nil {
		return stdio.Reply{Fault: fault}
	}
	if member := listMembers[r.Method]; member != "" {
		return x.joined(ctx, q, member)
	}
	if !x.owns(q) {
		return x.face.face.serve(ctx, q)
	}
	if fault := x.refuse(q); fault != nil {
		return stdio.Reply{Fault: fault}
	}
	return x.ask(ctx, q)
}

// ask has the fixtures' server answer.
func (x *fixtures) ask(ctx context.Context, q *request) stdio.Reply {
	session := x.legacy
	if q.modern {
		session = &fixtureSession{seat: &seat{id: "modern"}, face: x.face.face}
	}
	return x.below.ask(ctx, q, x.server, session)
}

// listMembers are the lists that hold the face's entries and the fixtures'.
var listMembers = map[string]string{
	string(mcp.MethodToolsList): "tools", string(mcp.MethodPromptsList): "prompts",
	string(mcp.MethodResourcesList): "resources", string(mcp.MethodResourcesTemplatesList): "resourceTemplates",
}

// joined puts the fixtures' entries behind the face's, which keep their bytes.
func (x *fixtures) joined(ctx context.Context, q *request, member string) stdio.Reply {
	ours := x.face.face.serve(ctx, q)
	if ours.Fault != nil {
		return ours
	}
	theirs := x.ask(ctx, q)
	var list map[string]json.RawMessage
	if theirs.Fault != nil || json.Unmarshal(theirs.Result, &list) != nil {
		return theirs
	}
	more := bytes.Trim(list[member], "[]")
	var whole map[string]json.RawMessage
	if json.Unmarshal(ours.Result, &whole) != nil {
		return ours
	}
	rows := bytes.TrimSuffix(whole[member], []byte("]"))
	if len(rows) > 1 {
		rows = append(bytes.Clone(rows), ',')
	}
	whole[member] = append(append(bytes.Clone(rows), more...), ']')
	result, err := tools.Compact(whole)
	if err != nil {
		return stdio.Reply{Fault: stdio.InternalFault()}
	}
	return stdio.Reply{Result: result}
}

// owns reports whether a request is for a fixture, by the names that the suite
// uses.
func (x *fixtures) owns(q *request) bool {
	name, _ := text(q.params.Name)
	uri, _ := text(q.params.URI)
	switch q.Method {
	case string(mcp.MethodToolsCall), string(mcp.MethodPromptsGet):
		return strings.HasPrefix(name, "test_") || name == schemaTool
	case string(mcp.MethodResourcesRead):
		return strings.HasPrefix(uri, "test://") && !strings.Contains(uri, "nonexistent")
	case string(mcp.MethodCompletionComplete):
		return bytes.Contains(q.Params, []byte(`"test_`))
	case string(mcp.MethodResourcesSubscribe), string(mcp.MethodResourcesUnsubscribe):
		return !q.modern && strings.HasPrefix(uri, "test://")
	}
	return false
}

// refuse faults a call that needs an ability that the client did not declare.
func (x *fixtures) refuse(q *request) *stdio.Fault {
	name, _ := text(q.params.Name)
	if name != "test_missing_capability" || x.declares(q, "sampling") {
		return nil
	}
	return &stdio.Fault{
		Code: codeMissingAbility, Message: "Missing required client capability: sampling",
		Data: json.RawMessage(`{"requiredCapabilities":{"sampling":{}}}`),
	}
}

// declares reports whether a modern request declares an ability of its client.
func (x *fixtures) declares(q *request, ability string) bool {
	var has map[string]json.RawMessage
	return q.params.Meta != nil && json.Unmarshal(q.params.Meta.Abilities, &has) == nil && has[ability] != nil
}

// fixtureSession lets mcp-go ask the client through the face's own peer.
type fixtureSession struct {
	*seat
	face *Face
}

// RequestElicitation implements server.SessionWithElicitation.
func (s *fixtureSession) RequestElicitation(ctx context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	var out mcp.ElicitationResult
	return &out, s.face.peer.Call(ctx, string(mcp.MethodElicitationCreate), r.Params, &out)
}

// RequestSampling implements server.SessionWithSampling.
func (s *fixtureSession) RequestSampling(ctx context.Context, r mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
	var out struct {
		Role    mcp.Role        `json:"role"`
		Model   string          `json:"model"`
		Content mcp.TextContent `json:"content"`
	}
	err := s.face.peer.Call(ctx, string(mcp.MethodSamplingCreateMessage), r.CreateMessageParams, &out)
	return &mcp.CreateMessageResult{SamplingMessage: mcp.SamplingMessage{Role: out.Role, Content: out.Content}, Model: out.Model}, err
}

// ListRoots implements server.SessionWithRoots.
func (s *fixtureSession) ListRoots(ctx context.Context, _ mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	var out mcp.ListRootsResult
	return &out, s.face.peer.Call(ctx, string(mcp.MethodListRoots), nil, &out)
}

var _ interface {
	server.SessionWithElicitation
	server.SessionWithSampling
	server.SessionWithRoots
} = (*fixtureSession)(nil)
