package kernel_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/kernel"
)

type details = map[string]any

// lostWrite is what every write says whose outcome nobody knows.
func lostWrite(more details) details {
	d := details{"outcome": "unknown", "idempotencyKey": "idem_write"}
	for k, v := range more {
		d[k] = v
	}
	return d
}

// reply is a handler that gives one answer, whatever is asked.
func reply(status int, body string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

func failure(code, more string) string {
	return `{"ok":false,"toolName":"mnote.page.get","error":{"code":"` + code + `","message":"as the kernel says"` + more + `}}`
}

// TestStatus is kernel-api's paragraph on HTTP statuses, line by line.
func TestStatus(t *testing.T) {
	t.Parallel()
	const html = "<html><title>secret page</title></html>"
	now := time.Date(2026, 11, 30, 8, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		code   tools.Code
		read   details
		write  details // nil: as read
		says   string  // in the message
	}{
		"401 html":          {answer: reply(401, html), code: tools.CodeUnauthenticated},
		"401 envelope":      {answer: reply(401, failure("mnote_tool_unauthenticated", "")), code: tools.CodeUnauthenticated, says: "as the kernel says"},
		"401 other code":    {answer: reply(401, failure("mnote_tool_conflict", "")), code: tools.CodeUnauthenticated, says: "MNOTE_KERNEL_TOKEN"},
		"403":               {answer: reply(403, ""), code: tools.CodePermissionDenied},
		"403 envelope":      {answer: reply(403, failure("mnote_tool_permission_denied", `,"details":{"reason":"read_only"}`)), code: tools.CodePermissionDenied, read: details{"reason": "read_only"}},
		"404":               {answer: reply(404, "404 page not found"), code: tools.CodeKernelUnavailable, read: details{"reason": "no_kernel"}, says: "--kernel"},
		"404 envelope":      {answer: reply(404, failure("mnote_tool_document_not_found", "")), code: tools.CodeDocumentNotFound, says: "as the kernel says"},
		"409":               {answer: reply(409, html), code: tools.CodeConflict},
		"409 envelope":      {answer: reply(409, failure("mnote_tool_conflict", `,"details":{"currentRevision":9007199254740993}`)), code: tools.CodeConflict, read: details{"currentRevision": int64(9007199254740993)}},
		"409 key":           {answer: reply(409, failure("mnote_tool_idempotency_conflict", "")), code: tools.CodeIdempotencyConflict},
		"409 unknown code":  {answer: reply(409, failure("who_knows", "")), code: tools.CodeConflict},
		"429 seconds":       {answer: reply(429, "", "Retry-After", " 7 "), code: tools.CodeRateLimited, read: details{"retryAfterMs": int64(7000)}},
		"429 date":          {answer: reply(429, "", "Retry-After", now.Add(90*time.Second).Format(http.TimeFormat)), code: tools.CodeRateLimited, read: details{"retryAfterMs": int64(90000)}},
		"429 past date":     {answer: reply(429, "", "Retry-After", now.Add(-time.Hour).Format(http.TimeFormat)), code: tools.CodeRateLimited, read: details{"retryAfterMs": int64(0)}},
		"429 for ever":      {answer: reply(429, "", "Retry-After", "99999999999999999"), code: tools.CodeRateLimited, read: details{"retryAfterMs": int64(24 * 3600 * 1000)}},
		"429 negative":      {answer: reply(429, "", "Retry-After", "-3"), code: tools.CodeRateLimited, read: details{"retryAfterMs": int64(0)}},
		"429 nonsense":      {answer: reply(429, "", "Retry-After", "soon"), code: tools.CodeRateLimited},
		"429 envelope":      {answer: reply(429, failure("mnote_tool_rate_limited", `,"details":{"retryAfterMs":1500}`), "Retry-After", "9"), code: tools.CodeRateLimited, read: details{"retryAfterMs": int64(1500)}, says: "as the kernel says"},
		"503":               {answer: reply(503, html, "Retry-After", "2"), code: tools.CodeKernelUnavailable, read: details{"reason": "busy", "retryAfterMs": int64(2000)}},
		"502":               {answer: reply(502, html), code: tools.CodeTimeout, read: details{"status": 502}, write: lostWrite(details{"status": 502})},
		"504":               {answer: reply(504, html), code: tools.CodeTimeout, read: details{"status": 504}, write: lostWrite(details{"status": 504})},
		"500 html":          {answer: reply(500, html), code: tools.CodeContractViolation, read: details{"status": 500}, write: lostWrite(details{"status": 500})},
		"500 envelope":      {answer: reply(500, failure("mnote_tool_conflict", "")), code: tools.CodeContractViolation, read: details{"status": 500}, write: lostWrite(details{"status": 500})},
		"400":               {answer: reply(400, ""), code: tools.CodeContractViolation, read: details{"status": 400}, write: lostWrite(details{"status": 400})},
		"304 unasked":       {answer: reply(304, ""), code: tools.CodeContractViolation, read: details{"status": 304}, write: lostWrite(details{"status": 304})},
		"300":               {answer: reply(300, ""), code: tools.CodeContractViolation, read: details{"status": 300}, write: lostWrite(details{"status": 300}), says: "redirects"},
		"204":               {answer: reply(204, ""), code: tools.CodeContractViolation, write: lostWrite(nil)},
		"200 html":          {answer: reply(200, html), code: tools.CodeContractViolation, write: lostWrite(nil)},
		"200 cut":           {answer: reply(200, `{"ok":true,"toolName":"mnote.page.get"`), code: tools.CodeContractViolation, write: lostWrite(nil)},
		"200 no ok":         {answer: reply(200, `{"toolName":"mnote.page.get"}`), code: tools.CodeContractViolation, write: lostWrite(nil)},
		"200 invalid UTF-8": {answer: reply(200, "{\"ok\":false,\"a\":\"\xc3(\"}"), code: tools.CodeContractViolation, write: lostWrite(nil)},
		"200 twice":         {answer: reply(200, `{"ok":true,"ok":false,"error":{"code":"mnote_tool_conflict"}}`), code: tools.CodeContractViolation, write: lostWrite(nil)},
	} {
		for carrier, open := range map[string]func(http.Handler) kernel.Config{
			"in process": func(h http.Handler) kernel.Config {
				return kernel.Config{Client: &http.Client{Transport: kernel.InProcess(h)}}
			},
			"http": func(h http.Handler) kernel.Config { return kernel.Config{URL: serve(t, h)} },
		} {
			t.Run(name+" "+carrier, func(t *testing.T) {
				t.Parallel()
				cfg := open(tc.answer)
				cfg.Now = func() time.Time { return now }
				c := kernel.New(cfg)
				f := newFake()
				written := tc.write // tc is the other carrier's too
				if written == nil {
					written = tc.read
				}
				for call, want := range map[*tools.Call]details{ptr(reading(f)): tc.read, ptr(saving(f)): written} {
					_, err := c.Call(t.Context(), *call)
					e := coded(t, err, tc.code)
					if d := cmp.Diff(want, e.Details); d != "" {
						t.Errorf("%s details: -want +got\n%s", call.ToolName, d)
					}
					if m := e.In(tools.EN).Message; !strings.Contains(m, tc.says) {
						t.Errorf("message %q, want %q in it", m, tc.says)
					}
					if strings.Contains(fmt.Sprintf("%v %+v", e, e.Details), "secret page") {
						t.Errorf("the answer's body leaks: %v", e)
					}
				}
			})
		}
	}
}

func ptr[T any](v T) *T { return &v }

// coded fails unless err is a coded error of the code, with a text in both
// languages.
func coded(t *testing.T, err error, code tools.Code) *tools.Error {
	t.Helper()
	e, ok := err.(*tools.Error)
	if !ok || e.Code != code {
		t.Fatalf("got %T %v, want %s", err, err, code)
	}
	if e.In(tools.ZH).Message == "" || e.In(tools.EN).Message == "" {
		t.Errorf("a text is missing: %v", e)
	}
	return e
}

// TestManifestStatus: the manifest has its own words on what is no manifest.
func TestManifestStatus(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		code   tools.Code
	}{
		"html":        {reply(200, "<html>"), tools.CodeContractViolation},
		"cut":         {reply(200, `{"ok":true,"tools":[`), tools.CodeContractViolation},
		"no tools":    {reply(200, `{"ok":true}`), tools.CodeContractViolation},
		"not ok":      {reply(200, `{"ok":false,"tools":[]}`), tools.CodeContractViolation},
		"304 unasked": {reply(304, ""), tools.CodeContractViolation},
		"404":         {reply(404, ""), tools.CodeKernelUnavailable},
		"401":         {reply(401, ""), tools.CodeUnauthenticated},
		"502":         {reply(502, ""), tools.CodeTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := inProcess(t, tc.answer)
			_, err := c.Manifest(context.Background(), "")
			e := coded(t, err, tc.code)
			if e.Details["outcome"] != nil {
				t.Errorf("reading the manifest has no outcome to be unsure of: %v", e.Details)
			}
		})
	}
}
