package interop

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// step is one answer of the scripted model: text, or one tool call whose
// arguments may come from what the tools answered so far.
type step struct {
	text string
	tool string
	args func(results []string) any
}

// fixed are arguments that depend on nothing.
func fixed(args any) func([]string) any { return func([]string) any { return args } }

// model is a scripted OpenAI-compatible model on loopback. It plays its steps
// in order, one a request that offers tools, and keeps what it was sent.
type model struct {
	*httptest.Server

	mu     sync.Mutex
	steps  []step
	played int
	bodies []chat
}

// chat is what the tests read of a request to the model.
type chat struct {
	Stream   bool `json:"stream"`
	Messages []struct {
		Role       string          `json:"role"`
		Content    json.RawMessage `json:"content"`
		ToolCallID string          `json:"tool_call_id"`
	} `json:"messages"`
	Tools []struct {
		Function struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
}

func newModel(t *testing.T, steps ...step) *model {
	t.Helper()
	m := &model{steps: steps}
	m.Server = httptest.NewServer(http.HandlerFunc(m.serve))
	t.Cleanup(m.Close)
	return m
}

func (m *model) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		fmt.Fprint(w, `{"object":"list","data":[{"id":"fake-model","object":"model"}]}`)
		return
	}
	var c chat
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s, n := m.next(c)
	answer(w, c.Stream, s, n, c.results())
}

// next picks the step for a request. Requests without tools are the runtime's
// own (titles, summaries) and use no step up.
func (m *model) next(c chat) (step, int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.bodies = append(m.bodies, c)
	if len(c.Tools) == 0 || m.played >= len(m.steps) {
		return step{text: "finished"}, len(m.bodies)
	}
	m.played++
	return m.steps[m.played-1], len(m.bodies)
}

// results gives the texts of the tool results in the longest conversation.
func (m *model) results() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var longest chat
	for _, c := range m.bodies {
		if len(c.Messages) > len(longest.Messages) {
			longest = c
		}
	}
	return longest.results()
}

// results gives the texts of the tool results in one request.
func (c chat) results() []string {
	var texts []string
	for _, msg := range c.Messages {
		if msg.Role == "tool" {
			texts = append(texts, textOf(msg.Content))
		}
	}
	return texts
}

// textOf reads a message's content: a string, or blocks with text.
func textOf(content json.RawMessage) string {
	var s string
	if json.Unmarshal(content, &s) == nil {
		return s
	}
	var blocks []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(content, &blocks)
	for _, b := range blocks {
		s += b.Text
	}
	return s
}

// offered lists the names of the tools that the model was offered.
func (m *model) offered() map[string]bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	names := map[string]bool{}
	for _, c := range m.bodies {
		for _, tool := range c.Tools {
			names[tool.Function.Name] = true
		}
	}
	return names
}

type object = map[string]any

func answer(w http.ResponseWriter, stream bool, s step, n int, results []string) {
	message := object{"role": "assistant", "content": s.text}
	finish := "stop"
	if s.tool != "" {
		args, _ := json.Marshal(s.args(results))
		call := object{"index": 0, "id": fmt.Sprintf("call_%d", n), "type": "function", "function": object{"name": s.tool, "arguments": string(args)}}
		message["tool_calls"] = []any{call}
		finish = "tool_calls"
	}
	head := object{"id": fmt.Sprintf("chat-%d", n), "created": 1, "model": "fake-model"}
	usage := object{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
	if !stream {
		head["object"], head["usage"] = "chat.completion", usage
		head["choices"] = []any{object{"index": 0, "message": message, "finish_reason": finish}}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(head)
		return
	}
	head["object"] = "chat.completion.chunk"
	w.Header().Set("Content-Type", "text/event-stream")
	event(w, head, []any{object{"index": 0, "delta": message}}, nil)
	event(w, head, []any{object{"index": 0, "delta": object{}, "finish_reason": finish}}, nil)
	event(w, head, []any{}, usage)
	fmt.Fprint(w, "data: [DONE]\n\n")
}

func event(w http.ResponseWriter, head object, choices []any, usage object) {
	head["choices"] = choices
	if usage != nil {
		head["usage"] = usage
	}
	data, _ := json.Marshal(head)
	fmt.Fprintf(w, "data: %s\n\n", data)
}
