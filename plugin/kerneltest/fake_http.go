package kerneltest

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/mnote-dev/mnote-host/tools"
)

// ServeHTTP serves the endpoints of kernel-api.
func (f *Fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f.Token != "" && r.Header.Get("Authorization") != "Bearer "+f.Token {
		f.failed(w, http.StatusUnauthorized, refusal(tools.CodeUnauthenticated, "who are you"))
		return
	}
	people, isPeople := strings.CutPrefix(r.URL.Path, "/api/hermes/client/")
	what, isToggle := strings.CutSuffix(people, "/toggle")
	switch {
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

func (f *Fake) serveManifest(w http.ResponseWriter, r *http.Request) {
	raw, etag := f.manifest()
	if etag != "" {
		w.Header().Set("ETag", etag)
	}
	if got := r.Header.Get("If-None-Match"); got != "" && got == etag && !f.has(ManifestAlwaysNew) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	f.served(w, raw, nil)
}

func (f *Fake) serveCall(w http.ResponseWriter, r *http.Request) {
	var c tools.Call
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		f.failed(w, http.StatusBadRequest, refusal(tools.CodeInvalidArgs, "the call is no JSON"))
		return
	}
	env, err := f.Call(r.Context(), c)
	f.served(w, env.JSON(), err)
}

func (f *Fake) serveToggle(w http.ResponseWriter, r *http.Request, what string) {
	var body struct {
		ID, Name string
		Enabled  bool
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		f.failed(w, http.StatusBadRequest, refusal(tools.CodeInvalidArgs, "the switch is no JSON"))
		return
	}
	doc, err := f.Toggle(r.Context(), what, body.ID+body.Name, body.Enabled)
	f.served(w, doc, err)
}

func (f *Fake) served(w http.ResponseWriter, doc []byte, err error) {
	switch {
	case errors.Is(err, &tools.Error{Code: tools.CodeConflict}):
		f.failed(w, http.StatusConflict, err)
		return
	case err != nil:
		f.failed(w, http.StatusNotFound, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(doc)
}

func (f *Fake) failed(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(encoded(map[string]any{"ok": false, "error": tools.AsError(err)}))
}
