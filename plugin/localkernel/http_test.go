package localkernel

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/tools"
)

// TestLogin: nobody gets in but this machine's own programs with the token, and
// the token is told to nobody.
func TestLogin(t *testing.T) {
	t.Parallel()
	const token = "s3cret-token"
	var log bytes.Buffer
	b := begin(t, map[string]string{"a.md": "x\n"}, func(o *Options) {
		o.Token, o.Hosts, o.Origins, o.Log = token, []string{"notes.internal"}, []string{"https://app.example"}, zerolog.New(&log)
	})
	body, _ := json.Marshal(b.request("mnote.page.get", "a.md", nil))
	tests := []struct {
		name, host, origin, authorization string
		status                            int
	}{
		{"token", "127.0.0.1:7331", "", "Bearer " + token, 200},
		{"scheme in lower case", "localhost", "", "bearer " + token, 200},
		{"IPv6", "[::1]:7331", "", "Bearer " + token, 200},
		{"a named host", "notes.internal", "", "Bearer " + token, 200},
		{"no token", "localhost", "", "", 401},
		{"a wrong token", "localhost", "", "Bearer s3cret-tokem", 401},
		{"a prefix of it", "localhost", "", "Bearer s3cret", 401},
		{"as basic", "localhost", "", "Basic " + token, 401},
		{"a rebound name", "evil.example", "", "Bearer " + token, 403},
		{"a rebound address", "10.0.0.1", "", "Bearer " + token, 403},
		{"a name that begins so", "localhost.evil.example", "", "Bearer " + token, 403},
		{"a page of the web", "localhost:7331", "https://evil.example", "Bearer " + token, 403},
		{"a page from a file", "localhost:7331", "null", "Bearer " + token, 403},
		{"another local page", "localhost:7331", "http://localhost:3000", "Bearer " + token, 403},
		{"our own page", "localhost:7331", "http://localhost:7331", "Bearer " + token, 200},
		{"a named page", "localhost:7331", "https://app.example", "Bearer " + token, 200},
	}
	for _, tt := range tests {
		for _, path := range []string{"/api/hermes/tools/mnote/call", "/api/hermes/tools/mnote/manifest"} {
			method := http.MethodPost
			if strings.HasSuffix(path, "manifest") {
				method = http.MethodGet
			}
			r := httptest.NewRequest(method, path, bytes.NewReader(body))
			r.Host = tt.host
			r.Header.Set("Content-Type", "application/json")
			if tt.origin != "" {
				r.Header.Set("Origin", tt.origin)
			}
			if tt.authorization != "" {
				r.Header.Set("Authorization", tt.authorization)
			}
			w := httptest.NewRecorder()
			b.ServeHTTP(w, r)
			if w.Code != tt.status {
				t.Errorf("%s on %s: %d, want %d: %s", tt.name, path, w.Code, tt.status, w.Body)
			}
			if strings.Contains(w.Body.String(), token) {
				t.Errorf("%s: the token is in the answer", tt.name)
			}
		}
	}
	if strings.Contains(log.String(), token) {
		t.Error("the token is in the log")
	}
}

// TestBadRequests: what is no call gets an error object and the kernel lives on.
func TestBadRequests(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "x\n"})
	serve := func(method, path, kind, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Host = "localhost"
		r.Header.Set("Content-Type", kind)
		w := httptest.NewRecorder()
		b.ServeHTTP(w, r)
		return w
	}
	const call = "/api/hermes/tools/mnote/call"
	tests := []struct {
		name, method, path, kind, body string
		status                         int
	}{
		{"no JSON", "POST", call, "application/json", "{nope", 400},
		{"a list", "POST", call, "application/json", "[]", 400},
		{"cut off", "POST", call, "application/json", `{"toolName":"mnote.page.get"`, 400},
		{"something behind", "POST", call, "application/json", `{"toolName":"mnote.page.get"} x`, 400},
		{"no tool", "POST", call, "application/json", `{}`, 400},
		{"a wrong type", "POST", call, "application/json", `{"toolName":1}`, 400},
		{"dryRun a string", "POST", call, "application/json", `{"toolName":"mnote.page.get","dryRun":"true"}`, 400},
		{"a form", "POST", call, "application/x-www-form-urlencoded", `{"toolName":"mnote.page.get"}`, 400},
		{"too large", "POST", call, "application/json", `{"toolName":"` + strings.Repeat("x", maxBody) + `"}`, 413},
		{"no such path", "GET", "/", "", "", 404},
		{"a neighbour's path", "GET", "/api/hermes/tools/mnote", "", "", 404},
	}
	for _, tt := range tests {
		w := serve(tt.method, tt.path, tt.kind, tt.body)
		var v struct {
			OK    bool         `json:"ok"`
			Error *tools.Error `json:"error"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &v); w.Code != tt.status || err != nil || v.OK || v.Error == nil || v.Error.Message == "" {
			t.Errorf("%s: %d %.200s", tt.name, w.Code, w.Body)
		}
	}
	if w := serve("GET", call, "", ""); w.Code != 405 && w.Code != 404 {
		t.Errorf("a GET on call: %d", w.Code)
	}
	b.ok("mnote.page.get", "a.md", nil)
	b.refused(tools.CodeNotFound, "", "mnote.nope", "a.md", nil)
	b.refused(tools.CodeNotFound, "", "mnote.doc.search", "a.md", map[string]any{"query": "x"})
}

// TestFence: a fault of ours is one answer, not the end of the process.
func TestFence(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	b := begin(t, map[string]string{"a.md": "x\n"}, func(o *Options) {
		o.Log = zerolog.New(&log)
		o.Skill = func(string, func(string) bool) (string, string, bool) { panic("a secret of the page") }
	})
	status, raw := b.post(b.request("mnote.skill.read", "", map[string]any{"skillId": currentPage}))
	if status != http.StatusInternalServerError || !strings.Contains(string(raw), string(tools.CodeInternal)) || strings.Contains(string(raw), "secret") {
		t.Errorf("%d %s", status, raw)
	}
	b.ok("mnote.page.get", "a.md", nil)
}

func TestClose(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "x\n"})
	b.ok("mnote.page.save", "a.md", appended("y"))
	b.must(b.Close())
	b.must(b.Close())
	status, raw := b.post(b.request("mnote.page.get", "a.md", nil))
	if status != http.StatusServiceUnavailable || !strings.Contains(string(raw), string(tools.CodeKernelUnavailable)) {
		t.Errorf("%d %s", status, raw)
	}
	b.on(b.open()).ok("mnote.page.get", "a.md", nil)
}

func FuzzReadCall(f *testing.F) {
	f.Add([]byte(`{"toolName":"mnote.page.get","documentId":null,"args":{}}`))
	f.Add([]byte(`{"toolName":"x","ToolName":"y"}`))
	f.Add([]byte(`{"accessScope":{"permissionLevel":"read"}}`))
	b := begin(f, map[string]string{"a.md": "x\n"})
	f.Fuzz(func(t *testing.T, body []byte) {
		r := httptest.NewRequest(http.MethodPost, "/api/hermes/tools/mnote/call", bytes.NewReader(body))
		r.Host = "localhost"
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		b.ServeHTTP(w, r)
		if !json.Valid(w.Body.Bytes()) || w.Code == http.StatusInternalServerError {
			t.Errorf("%q: %d %s", body, w.Code, w.Body)
		}
	})
}
