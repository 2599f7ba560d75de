package mcp_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// heard is what the host wrote, in a form that can be compared: ids that it made
// up are $id1, …, its requestStates $state1, ….
type heard struct {
	mu            sync.Mutex
	shown         []string
	skipped       int    // frames yet to come that are not shown
	script        string // the kernel's words, which are shown
	names, values map[string]string
}

func newHeard(script string) *heard {
	return &heard{script: script, names: map[string]string{}, values: map[string]string{"$modern": saysWhoItIs(`{}`), "$asking": saysWhoItIs(`{"elicitation":{}}`)}}
}

func saysWhoItIs(abilities string) string {
	return `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":` + abilities + `}`
}

// skip keeps the next frame out of what is shown.
func (h *heard) skip() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.skipped++
}

func (h *heard) listen(t *testing.T, r io.Reader) {
	dec := json.NewDecoder(r)
	dec.UseNumber()
	for {
		var frame any
		if err := dec.Decode(&frame); err != nil {
			if err != io.EOF && err != io.ErrClosedPipe {
				t.Errorf("the host wrote no JSON: %v", err)
			}
			return
		}
		h.hear(frame)
	}
}

func (h *heard) hear(frame any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.skipped > 0 {
		h.skipped--
		return
	}
	h.shown = append(h.shown, show(h.plain(frame)))
}

var stateForm = regexp.MustCompile(`^[A-Za-z0-9_-]{80,}$`)

// plain puts names in place of what differs from run to run.
func (h *heard) plain(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = h.plain(v[i])
		}
	case map[string]any:
		if _, opened := v["method"]; opened && v["id"] != nil {
			v["id"] = h.name("id", fmt.Sprint(v["id"]))
		}
		if _, cancelled := v["requestId"]; cancelled {
			v["requestId"] = h.name("id", fmt.Sprint(v["requestId"]))
		}
		if s, ok := v["requestState"].(string); ok && stateForm.MatchString(s) {
			v["requestState"] = h.name("state", s)
		}
		if s, ok := v["text"].(string); ok {
			v["text"] = readable(s)
		}
		h.hush(v)
		for k, sub := range v {
			v[k] = h.plain(sub)
		}
		shorten(v)
	}
	return v
}

// hush takes out what the pipeline's own texts say: of an error, of its
// violations, of a question.
func (h *heard) hush(v map[string]any) {
	code, _ := v["code"].(string)
	_, question := v["requestedSchema"]
	members := []string{"allowed", "problem"}
	if strings.HasPrefix(code, "mnote_") || question {
		members = append(members, "message")
	}
	for _, name := range members {
		if s, is := v[name].(string); is && !h.scripted(s) {
			v[name] = "…"
		}
	}
	data, _ := v["data"].(map[string]any)
	said, _ := data["message"].(string)
	if whole, is := v["message"].(string); is && said != "" && !h.scripted(said) {
		v["message"] = strings.ReplaceAll(whole, said, "…")
	}
}

// scripted reports whether a text is the kernel's, calmed or not.
func (h *heard) scripted(s string) bool {
	plain := func(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", " ") }
	return strings.Contains(plain(h.script), plain(s))
}

// readable shows a text that is JSON as what it holds.
func readable(s string) any {
	dec := json.NewDecoder(strings.NewReader(s))
	dec.UseNumber()
	var v any
	if !strings.HasPrefix(s, "{") || dec.Decode(&v) != nil {
		return s
	}
	return map[string]any{"json": v}
}

// shorten marks a result's text that repeats its structuredContent.
func shorten(v map[string]any) {
	content, _ := v["content"].([]any)
	if len(content) != 1 || v["structuredContent"] == nil {
		return
	}
	block, _ := content[0].(map[string]any)
	text, _ := block["text"].(map[string]any)
	if text != nil && cmp.Equal(text["json"], v["structuredContent"]) {
		block["text"] = "= structuredContent"
	}
}

func (h *heard) name(kind, value string) string {
	if n, known := h.names[value]; known {
		return n
	}
	n := 1
	for _, taken := range h.names {
		if strings.HasPrefix(taken, "$"+kind) {
			n++
		}
	}
	name := fmt.Sprintf("$%s%d", kind, n)
	h.names[value], h.values[name] = name, value
	return name
}

// fill puts the host's own values back into a client's line.
func (h *heard) fill(line string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	for name, value := range h.values {
		line = strings.ReplaceAll(line, name, value)
	}
	return line
}

func show(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // it was decoded from JSON
	return strings.TrimSpace(b.String())
}
