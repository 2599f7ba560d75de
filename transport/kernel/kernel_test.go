package kernel_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/plugin/conform"
	"github.com/mnote-dev/mnote-host/plugin/kerneltest"
	"github.com/mnote-dev/mnote-host/plugin/localkernel"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/kernel"
)

const (
	pageID = "项目/计划.md"
	notes  = "# 项目计划\n\n第一段，有 <html> & \"引号\"。\n\n- 一\n- 二"
	token  = "correct-horse/battery+staple"
)

// carriers are the ways in which a client reaches a handler.
var carriers = map[string]func(testing.TB, http.Handler) *kernel.Client{
	"in process": inProcess,
	"http":       overHTTP,
}

func inProcess(_ testing.TB, h http.Handler) *kernel.Client {
	return kernel.New(kernel.Config{Client: &http.Client{Transport: kernel.InProcess(h)}, Token: token, Profile: "hermes", AgentID: "hermes"})
}

func overHTTP(tb testing.TB, h http.Handler) *kernel.Client {
	srv := httptest.NewServer(h)
	c := kernel.New(kernel.Config{URL: srv.URL, Token: token, Profile: "hermes", AgentID: "hermes"})
	tb.Cleanup(func() { c.Close(); srv.Close() })
	return c
}

// kernels are the kernels under test, each with its workspace's id and a page
// pageID.
var kernels = map[string]func(testing.TB) (h http.Handler, workspace string){
	"fake": func(testing.TB) (http.Handler, string) { f := newFake(); return f, f.WorkspaceID },
	"local": func(tb testing.TB) (http.Handler, string) {
		k := openLocal(tb, tb.TempDir())
		return k, k.WorkspaceID()
	},
}

func openLocal(tb testing.TB, root string) *localkernel.Kernel {
	file := filepath.Join(root, filepath.FromSlash(pageID))
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(notes+"\n"), 0o600)); err != nil {
		tb.Fatal(err)
	}
	k, err := localkernel.Open(root, localkernel.Options{StateDir: tb.TempDir(), Token: token})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { k.Close() })
	return k
}

// TestKernel runs the suite over every kernel and carrier, bare and inside the
// kernels around a kernel.
func TestKernel(t *testing.T) {
	t.Parallel()
	around := map[string]func(plugin.Kernel) plugin.Kernel{
		"bare": func(k plugin.Kernel) plugin.Kernel { return k },
		"retried": func(k plugin.Kernel) plugin.Kernel {
			k = kernel.Log(k, zerolog.Nop())
			return kernel.Retry(kernel.Breaker(k, kernel.BreakerConfig{}), kernel.RetryConfig{})
		},
	}
	for which, make := range kernels {
		for carrier, open := range carriers {
			for name, wrap := range around {
				if which == "local" && (carrier == "http") != (name == "retried") {
					continue // it writes to a disk: two of the four pairs show as much
				}
				t.Run(which+" "+carrier+" "+name, func(t *testing.T) {
					t.Parallel()
					h, workspace := make(t) // one for all checks: each leaves it as it was
					c := open(t, h)
					kerneltest.Run(t, func(testing.TB) conform.Subject { return subject(wrap(c), c, workspace, pageID) })
				})
			}
		}
	}
}

func subject(k plugin.Kernel, people conform.People, workspace, document string) conform.Subject {
	return conform.Subject{
		Kernel: k, People: people, MayWrite: true, WorkspaceID: workspace, DocumentID: document,
		ActorID: "user_1", Profile: "hermes", AgentID: "hermes",
	}
}

// reading and saving are calls as a host makes them.
func reading(f *fakeServer) tools.Call {
	doc := pageID
	return tools.Call{
		ToolName: "mnote.page.get", ToolCallID: "call_1", TraceID: "trace_1", WorkspaceID: f.WorkspaceID, DocumentID: &doc,
		ActorID: "user_1", SessionID: "session_1", RunID: "run_1", IdempotencyKey: "idem_read", Scopes: []tools.Scope{"page.read"}, Lang: tools.EN,
	}
}

func saving(f *fakeServer) tools.Call {
	c := reading(f)
	c.ToolName, c.IdempotencyKey, c.Scopes = "mnote.page.save", "idem_write", []tools.Scope{"page.write"}
	c.Args = []byte(`{"mode":"append","content":[{"type":"paragraph","text":"new"}]}`)
	return c
}
