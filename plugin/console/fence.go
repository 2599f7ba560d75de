package console

import (
	"net"
	"net/http"
	"net/url"
	"strings"
)

// policy is what a browser may load and do on our pages: our own files, our own
// forms, and nothing inline.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// fence lets in this machine's own browsers alone. A page of the web that leads
// its name to the loopback address has another Host, and one that just sends
// here has another Origin.
func (c *Console) fence(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin") // no-referrer would make every form's Origin null
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if !fromHere(r.RemoteAddr) || crossSite(r) || !loopback(r.Host) || !ownOrigin(r) {
			c.cfg.Log.Warn().Str("path", r.URL.Path).Str("method", r.Method).Msg("a request from elsewhere was refused")
			c.refuse(w, r, http.StatusForbidden, "elsewhere")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// crossSite reports whether a browser says that a page of another site, or of
// another port of this machine, wants something changed.
func crossSite(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return false
	}
	return r.Method != http.MethodGet && r.Method != http.MethodHead
}

func fromHere(remote string) bool {
	host, _, err := net.SplitHostPort(remote)
	ip := net.ParseIP(host)
	return err == nil && ip != nil && ip.IsLoopback()
}

// loopback reports whether a Host header names this machine.
func loopback(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.Trim(name, "[]"))
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}

// ownOrigin takes a request of no page, or of a page of ours; one that changes
// something must say which page it is of, unless a program with the bearer
// token sends it.
func ownOrigin(r *http.Request) bool {
	origins := r.Header.Values("Origin")
	if len(origins) == 0 {
		return r.Method == http.MethodGet || r.Method == http.MethodHead || r.Header.Get("Authorization") != ""
	}
	u, err := url.Parse(origins[0])
	return len(origins) == 1 && err == nil && u.Scheme == "http" && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}
