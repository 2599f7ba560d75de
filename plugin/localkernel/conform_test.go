package localkernel

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin/conform"
	"github.com/mnote-dev/mnote-host/plugin/kerneltest"
	"github.com/mnote-dev/mnote-host/tools"
)

// direct is the kernel without a client between: what it answers is what is
// checked.
type direct struct{ *bench }

func (d direct) serve(method, target string, body any, header ...string) *httptest.ResponseRecorder {
	raw, _ := json.Marshal(body)
	r := httptest.NewRequest(method, target, bytes.NewReader(raw))
	r.Host = "localhost"
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, r)
	return w
}

func (d direct) Manifest(_ context.Context, etag string) (capabilities.Manifest, error) {
	w := d.serve(http.MethodGet, "/api/hermes/tools/mnote/manifest?profile=default&agentId=mcp", nil, "If-None-Match", etag)
	if w.Code == http.StatusNotModified {
		return capabilities.Manifest{}, capabilities.ErrNotModified
	}
	m, err := capabilities.Read(w.Body.Bytes())
	m.ETag = w.Header().Get("ETag")
	return m, err
}

func (d direct) Call(ctx context.Context, c tools.Call) (env tools.Envelope, err error) {
	if ctx.Err() != nil { // what a client says of it
		return env, tools.Errorf(tools.CodeCancelled, tools.Text{ZH: "已取消", EN: "cancelled"})
	}
	w := d.serve(http.MethodPost, "/api/hermes/tools/mnote/call", c, "Accept-Language", string(c.Lang))
	if w.Code != http.StatusOK {
		return env, fmt.Errorf("HTTP %d: %s", w.Code, w.Body)
	}
	err = json.Unmarshal(w.Body.Bytes(), &env)
	return env, err
}

func (d direct) List(_ context.Context, what string) (json.RawMessage, error) {
	q := url.Values{"runtime": {"mnote"}, "scope": {"mnote"}, "profile": {"default"}, "agentId": {"mcp"}}
	return d.document(d.serve(http.MethodGet, "/api/hermes/client/"+what+"?"+q.Encode(), nil))
}

func (d direct) Toggle(_ context.Context, what, id string, enabled bool) (json.RawMessage, error) {
	body := map[string]any{"profile": "default", "id": id, "name": id, "enabled": enabled}
	return d.document(d.serve(http.MethodPut, "/api/hermes/client/"+what+"/toggle", body))
}

func (d direct) document(w *httptest.ResponseRecorder) (json.RawMessage, error) {
	var failed struct {
		Error *tools.Error `json:"error"`
	}
	if err := json.Unmarshal(w.Body.Bytes(), &failed); err != nil || failed.Error == nil {
		return w.Body.Bytes(), err
	}
	return nil, failed.Error
}

// TestConform: every clause of kernel-api that a stranger's kernel is held to.
func TestConform(t *testing.T) {
	t.Parallel()
	kerneltest.Run(t, func(tb testing.TB) conform.Subject {
		b := begin(tb, map[string]string{"项目/计划.md": "# 项目计划\n\n第一段，有 <html> & \"引号\"。\n\n- 一\n- 二\n", "other.md": "# Other\n"})
		return conform.Subject{
			Kernel: direct{b}, People: direct{b}, WorkspaceID: b.id, DocumentID: "项目/计划.md", ActorID: "user_1", Profile: "default",
			AgentID: "mcp", MayWrite: true, Lang: tools.EN,
		}
	})
}
