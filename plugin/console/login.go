package console

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"net"
	"net/http"
	"strings"
)

// loginKey is the context key of a request's login.
type loginKey struct{}

func loginOf(r *http.Request) *login {
	l, _ := r.Context().Value(loginKey{}).(*login)
	return l
}

// signedIn lets a request through that belongs to a login.
func (c *Console) signedIn(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		cookie, err := r.Cookie(cookieName(r))
		if err == nil {
			if l, ok := c.doors.find(cookie.Value); ok {
				next(w, r.WithContext(context.WithValue(r.Context(), loginKey{}, l)))
				return
			}
		}
		c.refuse(w, r, http.StatusUnauthorized, "signin")
	}
}

// cookieName differs by port: cookies do not, and two consoles may run.
func cookieName(r *http.Request) string {
	_, port, _ := net.SplitHostPort(r.Host)
	return "mnote_console_" + port
}

// open is where a one-time link leads. The way on is a page and no redirect: a
// browser would keep a strict cookie back from a redirect that a page of
// another site began.
func (c *Console) open(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet || r.Header.Get("Sec-Purpose") != "" { // looking ahead spends nothing
		c.refuse(w, r, http.StatusForbidden, "elsewhere")
		return
	}
	value, ok := c.doors.enter(r.PathValue("token"))
	if !ok {
		if old, err := r.Cookie(cookieName(r)); err == nil {
			if _, in := c.doors.find(old.Value); in { // a reload of the link's page
				http.Redirect(w, r, "/", http.StatusSeeOther)
				return
			}
		}
		c.refuse(w, r, http.StatusForbidden, "spent")
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: cookieName(r), Value: value, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	c.render(w, r, http.StatusOK, "open", opened{})
}

// newLink makes a link for a program that has the bearer token.
func (c *Console) newLink(w http.ResponseWriter, r *http.Request) {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	got, want := sha256.Sum256([]byte(strings.TrimSpace(token))), sha256.Sum256([]byte(c.cfg.Bearer))
	if c.cfg.Bearer == "" || !strings.EqualFold(scheme, "Bearer") || subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
		c.refuse(w, r, http.StatusUnauthorized, "signin")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"ok": true, "link": c.Link("http://" + r.Host)}) // the caller is gone: nobody is left to be told
}

// leave ends the login.
func (c *Console) leave(w http.ResponseWriter, r *http.Request) {
	if cookie, err := r.Cookie(cookieName(r)); err == nil {
		c.doors.leave(cookie.Value)
	}
	http.SetCookie(w, &http.Cookie{Name: cookieName(r), Path: "/", MaxAge: -1, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
