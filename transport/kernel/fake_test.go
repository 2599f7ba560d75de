package kernel_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin/kerneltest"
	"github.com/mnote-dev/mnote-host/tools"
)

// fakeServer serves a Fake by the endpoints of kernel-api, to bearers of token.
type fakeServer struct {
	*kerneltest.Fake
	token string
}

func newFake() *fakeServer {
	f := kerneltest.NewFake(map[string]string{pageID: notes, "another.md": "# Another"})
	return &fakeServer{f, token}
}

func (f *fakeServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	people, isPeople := strings.CutPrefix(r.URL.Path, "/api/hermes/client/")
	what, isToggle := strings.CutSuffix(people, "/toggle")
	switch {
	case f.token != "" && r.Header.Get("Authorization") != "Bearer "+f.token:
		f.failed(w, tools.Errorf(tools.CodeUnauthenticated, tools.Text{ZH: "你是谁", EN: "who are you"}))
	case r.Method == http.MethodGet && r.URL.Path == "/api/hermes/tools/mnote/manifest":
		f.serveManifest(w, r)
	case r.Method == http.MethodPost && r.URL.Path == "/api/hermes/tools/mnote/call":
		f.serveCall(w, r)
	case r.Method == http.MethodGet && isPeople:
		doc, err := f.List(r.Context(), what)
		f.served(w, doc, err)
	case r.Method == http.MethodPut && isPeople && isToggle:
		f.serveToggle(w, r, what)
	default:
		http.NotFound(w, r)
	}
}

func (f *fakeServer) serveManifest(w http.ResponseWriter, r *http.Request) {
	m, err := f.Manifest(r.Context(), r.Header.Get("If-None-Match"))
	if errors.Is(err, capabilities.ErrNotModified) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("ETag", m.ETag)
	f.served(w, m.Raw, err)
}

func (f *fakeServer) serveCall(w http.ResponseWriter, r *http.Request) {
	var c tools.Call
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		f.failed(w, err)
		return
	}
	env, err := f.Call(r.Context(), c)
	f.served(w, env.JSON(), err)
}

func (f *fakeServer) serveToggle(w http.ResponseWriter, r *http.Request, what string) {
	var body struct {
		ID, Name string
		Enabled  bool
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		f.failed(w, err)
		return
	}
	doc, err := f.Toggle(r.Context(), what, body.ID+body.Name, body.Enabled)
	f.served(w, doc, err)
}

func (f *fakeServer) served(w http.ResponseWriter, doc []byte, err error) {
	if err != nil {
		f.failed(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(doc)
}

func (f *fakeServer) failed(w http.ResponseWriter, err error) {
	e := tools.AsError(err)
	status, listed := map[tools.Code]int{
		tools.CodeUnauthenticated: http.StatusUnauthorized,
		tools.CodeConflict:        http.StatusConflict,
		tools.CodeNotFound:        http.StatusNotFound,
	}[e.Code]
	if !listed {
		status = http.StatusInternalServerError
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]any{"ok": false, "error": e})
}
