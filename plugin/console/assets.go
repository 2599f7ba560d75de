package console

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"sync"
)

//go:embed assets/*
var assetFiles embed.FS

var assetTypes = map[string]string{
	"console.css": "text/css; charset=utf-8",
	"console.js":  "text/javascript; charset=utf-8",
	"icon.svg":    "image/svg+xml",
}

// assetMark tells one build's files from another's.
var assetMark = sync.OnceValue(func() string {
	h := sha256.New()
	for _, name := range []string{"console.css", "console.js", "icon.svg"} {
		data, _ := assetFiles.ReadFile("assets/" + name) // embedded
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil)[:6])
})

func assetURL(name string) address { return address("/assets/" + name + "?v=" + assetMark()) }

// asset serves one of our own files; they hold nothing of anybody's.
func (c *Console) asset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	kind, ok := assetTypes[name]
	if !ok {
		c.refuse(w, r, http.StatusNotFound, "nothing")
		return
	}
	data, _ := assetFiles.ReadFile("assets/" + name) // embedded
	w.Header().Set("Content-Type", kind)
	if r.URL.Query().Get("v") == assetMark() {
		w.Header().Set("Cache-Control", "private, max-age=31536000, immutable")
	}
	_, _ = w.Write(data) // the browser is gone: nobody is left to be told
}
