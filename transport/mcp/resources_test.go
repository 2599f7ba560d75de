package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/mcp"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// parts is a session whose every call gives the next of the results, the last
// one for ever.
func parts(results ...string) fake {
	var n int
	return fake{call: func(ctx context.Context, name string, raw json.RawMessage, meta plugin.Meta) tools.Envelope {
		r := results[min(n, len(results)-1)]
		n++
		return says(r).call(ctx, name, raw, meta)
	}}
}

// read reads one resource and gives its text, or the fault.
func read(t *testing.T, session mcp.Session, uri string) (string, *stdio.Fault) {
	t.Helper()
	p := probe(t, mcp.Config{Session: session, Registry: still(t, smallManifest)}, mcp.ProbeConfig{})
	raw, err := p.Request(t.Context(), "resources/read", map[string]string{"uri": uri})
	if err != nil {
		fault, ok := err.(*stdio.Fault)
		if !ok {
			t.Fatal(err)
		}
		return "", fault
	}
	var r struct {
		Contents []struct {
			MIME string `json:"mimeType"`
			Text string `json:"text"`
		} `json:"contents"`
	}
	if err := json.Unmarshal(raw, &r); err != nil || len(r.Contents) != 1 {
		t.Fatalf("%s: %v", raw, err)
	}
	return r.Contents[0].MIME + " " + r.Contents[0].Text, nil
}

// A page is read whole or not at all, in whatever form its kernel gives it.
func TestReadPage(t *testing.T) {
	t.Parallel()
	block := `{"blocks":[{"id":"b1","text":"one"}],"nextCursor":"c"}`
	for name, c := range map[string]struct {
		uri     string
		results []string
		want    string
		code    int
	}{
		"in parts":               {"mnote://page/a.md", []string{`{"body":"a\n","nextCursor":"c"}`, `{"body":"b\n"}`}, "text/markdown a\nb\n", 0},
		"empty":                  {"mnote://page/a.md", []string{`{"body":""}`}, "text/markdown ", 0},
		"no body, blocks":        {"mnote://page/a.md", []string{`{"title":"A"}`, `{"blocks":[{"id":"1","text":"A"},{"id":"2","text":"b","source":"- b\n"}]}`}, "text/markdown A\n\n- b", 0},
		"neither":                {"mnote://page/a.md", []string{`{"title":"A"}`}, `application/json {"title":"A"}`, 0},
		"a block further on":     {"mnote://page/a.md#b2", []string{block, `{"blocks":[{"id":"b2","text":"two"}]}`}, "text/markdown two", 0},
		"no such block":          {"mnote://page/a.md#b9", []string{block, `{"blocks":[]}`}, "", -32002},
		"a block without end":    {"mnote://page/a.md#b9", []string{block}, "", -32002},
		"a page without end":     {"mnote://page/a.md", []string{`{"body":"a","nextCursor":"c"}`}, "", -32002},
		"too large":              {"mnote://page/a.md", []string{`{"body":"` + strings.Repeat("x", 1<<20+1) + `","nextCursor":"c"}`}, "", -32002},
		"of another shape":       {"mnote://page/a.md", []string{`{"body":7}`}, "", -32603},
		"no object":              {"mnote://page/a.md", []string{`[]`}, "", -32603},
		"a skill of other shape": {"mnote://skill/x", []string{`{"content":7}`}, "", -32603},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, fault := read(t, parts(c.results...), c.uri)
			if got != c.want || (fault != nil) != (c.code != 0) || fault != nil && fault.Code != c.code {
				t.Errorf("got %q, %+v", got, fault)
			}
		})
	}
}

// Without a tool that lists, the documents that the session knows complete; a
// hundred at most.
func TestCompletionOfKnownDocuments(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range 150 {
		many = append(many, fmt.Sprintf("n/%03d.md", i))
	}
	manifest := `{"ok":true,"tools":[{"name":"mnote.page.get","kind":"read","description":"d","inputSchema":{"type":"object","properties":{}}}]}`
	for name, c := range map[string]struct {
		known []string
		typed string
		want  map[string]any
	}{
		"some":                 {[]string{"b.md", "a.md", "b.md", "财务/年.md"}, "", map[string]any{"values": []any{"a.md", "b.md", "财务/年.md"}, "total": 3.0}},
		"of a prefix, encoded": {[]string{"财务/年.md", "b.md"}, "%E8%B4%A2", map[string]any{"values": []any{"财务/年.md"}, "total": 1.0}},
		"none":                 {nil, "x", map[string]any{"values": []any{}}},
		"many":                 {many, "n/", map[string]any{"total": 150.0, "hasMore": true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			session := says(`{}`)
			session.known = c.known
			p := probe(t, mcp.Config{Session: session, Registry: still(t, manifest)}, mcp.ProbeConfig{})
			raw, err := p.Request(t.Context(), "completion/complete", map[string]any{
				"ref":      map[string]string{"type": "ref/resource", "uri": "mnote://page/{+documentId}"},
				"argument": map[string]string{"name": "documentId", "value": c.typed},
			})
			if err != nil {
				t.Fatal(err)
			}
			var got struct {
				Completion map[string]any `json:"completion"`
			}
			if err := json.Unmarshal(raw, &got); err != nil {
				t.Fatal(err)
			}
			if values, _ := got.Completion["values"].([]any); name == "many" && len(values) == 100 {
				delete(got.Completion, "values")
			}
			if diff := cmp.Diff(c.want, got.Completion); diff != "" {
				t.Error(diff)
			}
		})
	}
}
