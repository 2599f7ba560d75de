package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// Tools lists the server's tools, every page of them, and gives the size of the
// answer in bytes of JSON.
func (p *Probe) Tools(ctx context.Context) (list []ProbedTool, bytes int, err error) {
	var params object
	for {
		var raw json.RawMessage
		if err := p.request(ctx, string(mcp.MethodToolsList), params, &raw); err != nil {
			return nil, 0, err
		}
		var page struct {
			Tools []ProbedTool `json:"tools"`
			Next  string       `json:"nextCursor"`
		}
		if err := json.Unmarshal(raw, &page); err != nil {
			return nil, 0, fmt.Errorf("read tools/list: %w", err)
		}
		list, bytes = append(list, page.Tools...), bytes+len(raw)
		if page.Next == "" {
			return list, bytes, nil
		}
		params = object{"cursor": page.Next}
	}
}

// maxRounds bounds how often a server may answer a call with a question.
const maxRounds = 10

// Call runs a tool; args is nil, JSON bytes, or a value encoding/json can write.
func (p *Probe) Call(ctx context.Context, tool string, args any) (ProbedResult, error) {
	params := object{"name": tool}
	switch a := args.(type) {
	case nil:
	case []byte:
		params["arguments"] = json.RawMessage(a)
	default:
		params["arguments"] = a
	}
	for range maxRounds {
		var r callResult
		if err := p.request(ctx, string(mcp.MethodToolsCall), params, &r); err != nil {
			return ProbedResult{}, err
		}
		if r.Type != string(mcp.ResultTypeInputRequired) {
			return r.probed(), nil
		}
		params = with(with(params, "requestState", r.State), "inputResponses", p.respond(r.Requests))
	}
	return ProbedResult{}, fmt.Errorf("%s: the server asked %d times and gave no result", tool, maxRounds)
}

// callResult is a tools/call result of either era.
type callResult struct {
	Type    string `json:"resultType"`
	IsError bool   `json:"isError"`
	Content []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"content"`
	Structured json.RawMessage            `json:"structuredContent"`
	Requests   map[string]json.RawMessage `json:"inputRequests"`
	State      string                     `json:"requestState"`
}

func (r callResult) probed() ProbedResult {
	var texts []string
	for _, c := range r.Content {
		if c.Type == "text" {
			texts = append(texts, c.Text)
		}
	}
	out := ProbedResult{IsError: r.IsError, Text: strings.Join(texts, "\n"), Structured: r.Structured}
	var env tools.Envelope
	if json.Unmarshal([]byte(out.Text), &env) == nil && env.ToolName != "" {
		out.Envelope = &env
	}
	return out
}

// respond answers each of a modern server's questions.
func (p *Probe) respond(requests map[string]json.RawMessage) object {
	out := object{}
	for key, raw := range requests {
		var r struct {
			Params elicitation `json:"params"`
		}
		_ = json.Unmarshal(raw, &r) // a question without a message is asked all the same
		out[key] = p.answer(r.Params)
	}
	return out
}

func (p *Probe) answer(e elicitation) action {
	if p.cfg.Answer == nil {
		return action{"cancel"}
	}
	switch p.cfg.Answer(e.Message) {
	case plugin.Yes:
		return action{"accept"}
	case plugin.No:
		return action{"decline"}
	}
	return action{"cancel"}
}

// Ping asks for an answer and gives the time it took. The modern era has no
// ping; its discovery stands in.
func (p *Probe) Ping(ctx context.Context) (time.Duration, error) {
	method := mcp.MethodPing
	if p.modern() {
		method = mcp.MethodServerDiscover
	}
	started := time.Now()
	err := p.request(ctx, string(method), nil, nil)
	return time.Since(started), err
}

// Request sends any request and gives its raw result, for what has no method
// here. params is nil or marshals to an object.
func (p *Probe) Request(ctx context.Context, method string, params any) (json.RawMessage, error) {
	members := map[string]json.RawMessage{}
	if params != nil {
		b, err := tools.Compact(params)
		if err != nil {
			return nil, fmt.Errorf("encode the params: %w", err)
		}
		if err := json.Unmarshal(b, &members); err != nil {
			return nil, fmt.Errorf("params must be an object: %w", err)
		}
	}
	o := object{}
	for name, value := range members {
		o[name] = value
	}
	var raw json.RawMessage
	err := p.request(ctx, method, o, &raw)
	return raw, err
}
