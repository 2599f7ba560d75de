package console_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/console"
)

// A link lets one browser in, once, within ten minutes.
func TestLink(t *testing.T) {
	t.Parallel()
	s := newSite(t, &fake{})
	if status, page := s.get("/"); status != http.StatusUnauthorized || !strings.Contains(page, "mnote-host console") {
		t.Errorf("without a login: %d %s", status, page)
	}
	link := s.console.Link("")
	if r := s.send(http.MethodHead, link, nil); r.StatusCode == http.StatusOK {
		t.Error("HEAD opened the link")
	}
	if status, _ := s.get(link, "Sec-Purpose", "prefetch"); status != http.StatusForbidden {
		t.Errorf("a browser that looks ahead got %d", status)
	}
	status, page := s.get(link)
	if status != http.StatusOK {
		t.Fatalf("the link answers %d", status)
	}
	wants(t, page, `http-equiv="refresh"`, `href="/"`)
	if status, _ := s.get("/"); status != http.StatusOK {
		t.Errorf("with a login: %d", status)
	}
	if status, page := s.get(link); status != http.StatusOK || !strings.Contains(page, "id=\"live\"") {
		t.Errorf("a reload of the link's page: %d", status)
	}
	second := *s
	second.browser = s.newBrowser()
	if status, _ := second.get(link); status != http.StatusForbidden {
		t.Errorf("the link let a second browser in: %d", status)
	}
	late := s.console.Link("")
	*s.now = noon.Add(10*time.Minute + time.Second)
	if status, _ := second.get(late); status != http.StatusForbidden {
		t.Errorf("an old link answers %d", status)
	}
	if status, _ := second.get("/open/guess"); status != http.StatusForbidden {
		t.Errorf("a guessed link answers %d", status)
	}
}

// The cookie is out of reach of scripts and of other sites, and differs by
// port; the login ends when it is left or was not used for twelve hours.
func TestLogin(t *testing.T) {
	t.Parallel()
	s := newSite(t, &fake{})
	r := s.send(http.MethodGet, s.console.Link(""), nil)
	cookies := r.Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode || cookies[0].Path != "/" || cookies[0].MaxAge != 0 {
		t.Fatalf("cookies: %+v", cookies)
	}
	if port := s.server.Listener.Addr().String(); !strings.HasSuffix(port, strings.TrimPrefix(cookies[0].Name, "mnote_console_")) {
		t.Errorf("the cookie is called %s at %s", cookies[0].Name, port)
	}
	*s.now = noon.Add(11 * time.Hour)
	if status, _ := s.get("/"); status != http.StatusOK {
		t.Errorf("after 11 hours: %d", status)
	}
	*s.now = noon.Add(22 * time.Hour)
	if status, _ := s.get("/"); status != http.StatusOK {
		t.Errorf("11 hours after it was used: %d", status)
	}
	*s.now = noon.Add(35 * time.Hour)
	if status, _ := s.get("/"); status != http.StatusUnauthorized {
		t.Errorf("13 hours after it was used: %d", status)
	}
	s.signIn()
	if status, _ := s.post("/leave", nil); status != http.StatusUnauthorized {
		t.Errorf("after leaving: %d", status)
	}
	if status, _ := s.get("/"); status != http.StatusUnauthorized {
		t.Errorf("after leaving: %d", status)
	}
}

// Old links and logins make room for new ones; nothing grows for ever.
func TestManyLinks(t *testing.T) {
	t.Parallel()
	s := newSite(t, &fake{})
	first := s.console.Link("")
	for i := range 40 {
		*s.now = noon.Add(time.Duration(i+1) * time.Second)
		s.console.Link("")
	}
	if status, _ := s.get(first); status != http.StatusForbidden {
		t.Errorf("the oldest of 41 links answers %d", status)
	}
	s.signIn()
}

// Nothing is served to another machine, under another name, or to another
// site's page; nothing is changed by a form that is not ours.
func TestFence(t *testing.T) {
	t.Parallel()
	f := &fake{packs: []console.Category{{Name: "mnote", Packs: []console.Pack{aPack("p", "包")}}}}
	s := newSite(t, f).signIn()
	token := s.token()
	for name, c := range map[string]struct {
		method, path string
		form         url.Values
		header       []string
		want         int
	}{
		"another host":          {"GET", "/", nil, []string{"Host", "evil.example"}, 403},
		"a name led to us":      {"GET", "/", nil, []string{"Host", "notes.evil.example:7331"}, 403},
		"another page reads":    {"GET", "/", nil, []string{"Origin", "http://evil.example"}, 403},
		"another port's page":   {"GET", "/events", nil, []string{"Origin", "http://127.0.0.1:1"}, 403},
		"a foreign form":        {"POST", "/packs/p", url.Values{"form": {token}, "on": {"false"}}, []string{"Origin", "http://evil.example"}, 403},
		"a form of a null page": {"POST", "/packs/p", url.Values{"form": {token}, "on": {"false"}}, []string{"Origin", "null"}, 403},
		"a form of no page":     {"POST", "/packs/p", url.Values{"form": {token}, "on": {"false"}}, []string{"Origin", ""}, 403},
		"another scheme":        {"POST", "/packs/p", url.Values{"form": {token}, "on": {"false"}}, []string{"Origin", strings.Replace(s.server.URL, "http", "https", 1)}, 403},
		"a form without token":  {"POST", "/packs/p", url.Values{"on": {"false"}}, nil, 403},
		"a guessed token":       {"POST", "/packs/p", url.Values{"form": {"guess"}, "on": {"false"}}, nil, 403},
		"the token as a query":  {"POST", "/packs/p?form=" + token, url.Values{"on": {"false"}}, nil, 403},
		"a program without a page, bearer or not, needs the form": {"POST", "/packs/p", url.Values{"on": {"false"}}, []string{"Origin", "", "Authorization", "Bearer bearer-secret"}, 403},
		"a form that is too large":                                {"POST", "/packs/p", url.Values{"form": {token}, "on": {strings.Repeat("x", 70<<10)}}, nil, 400},
		"GET changes nothing":                                     {"GET", "/packs/p?on=false&form=" + token, nil, nil, 404},
		"PUT changes nothing":                                     {"PUT", "/packs/p", url.Values{"form": {token}, "on": {"false"}}, nil, 404},
	} {
		t.Run(name, func(t *testing.T) {
			if r := s.send(c.method, c.path, c.form, c.header...); r.StatusCode != c.want {
				t.Errorf("answers %d, want %d", r.StatusCode, c.want)
			}
		})
	}
	if got := f.changes(); len(got) != 0 {
		t.Errorf("was changed: %v", got)
	}
	for _, path := range []string{"/packs/p", "/tools/mnote.a.b", "/records/undo", "/plans/x", "/leave"} {
		out := *s
		out.browser = s.newBrowser()
		if r := out.send("POST", path, url.Values{"form": {token}}); r.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s without a login answers %d", path, r.StatusCode)
		}
	}
}

// A peer that is not this machine gets nothing, whatever it says.
func TestPeer(t *testing.T) {
	t.Parallel()
	c := console.New(console.Config{Records: &fake{}})
	for peer, want := range map[string]int{"127.0.0.1:5": 401, "[::1]:5": 401, "127.9.9.9:5": 401, "192.168.1.7:5": 403, "[fe80::1]:5": 403, "": 403, "pipe": 403} {
		r := httptest.NewRequest(http.MethodGet, "http://localhost:7331/", nil)
		r.RemoteAddr = peer
		w := httptest.NewRecorder()
		c.ServeHTTP(w, r)
		if w.Code != want {
			t.Errorf("%q is answered %d, want %d", peer, w.Code, want)
		}
	}
}

// Every answer forbids what a page of ours never does.
func TestHeaders(t *testing.T) {
	t.Parallel()
	s := newSite(t, &fake{}).signIn()
	for _, path := range []string{"/", "/records", "/plans", "/nothing", "/assets/console.js", "/assets/none", "/open/x"} {
		h := s.send(http.MethodGet, path, nil).Header
		csp := h.Get("Content-Security-Policy")
		for _, word := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"} {
			if !strings.Contains(csp, word) {
				t.Errorf("%s: the policy lacks %q", path, word)
			}
		}
		if strings.Contains(csp, "unsafe") || strings.Contains(csp, "http") || strings.Contains(csp, "*") {
			t.Errorf("%s: the policy is %q", path, csp)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "same-origin" || h.Get("Cross-Origin-Opener-Policy") != "same-origin" {
			t.Errorf("%s: %v", path, h)
		}
		if strings.HasPrefix(path, "/assets/console") != strings.Contains(h.Get("Content-Type"), "javascript") {
			t.Errorf("%s is %s", path, h.Get("Content-Type"))
		}
	}
	if h := s.send(http.MethodGet, "/", nil).Header; h.Get("Cache-Control") != "no-store" {
		t.Errorf("a page may be kept: %s", h.Get("Cache-Control"))
	}
}

// A program that knows the kernel's token gets links, and nobody else.
func TestBearer(t *testing.T) {
	t.Parallel()
	s := newSite(t, &fake{})
	for header, want := range map[string]int{"Bearer bearer-secret": 200, "bearer bearer-secret": 200, "Bearer wrong": 401, "Basic bearer-secret": 401, "bearer-secret": 401} {
		status, body := s.read(s.send(http.MethodPost, "/link", nil, "Authorization", header))
		if status != want {
			t.Errorf("%q is answered %d, want %d", header, status, want)
		}
		if status == 200 && !strings.Contains(body, s.server.URL+"/open/") {
			t.Errorf("the answer is %s", body)
		}
	}
	if r := s.send(http.MethodPost, "/link", url.Values{}, "Authorization", "Bearer bearer-secret", "Origin", "http://evil.example"); r.StatusCode != 403 {
		t.Errorf("another site's page that knows the token: %d", r.StatusCode)
	}
	none := newSite(t, &fake{}, func(c *console.Config) { c.Bearer = "" })
	if r := none.send(http.MethodPost, "/link", nil, "Authorization", "Bearer "); r.StatusCode != 401 {
		t.Errorf("a console without a token answers %d", r.StatusCode)
	}
}

// A form that a browser says to come from another site changes nothing, whatever
// its Origin says.
func TestCrossSite(t *testing.T) {
	t.Parallel()
	f := &fake{packs: aLibrary()}
	s := newSite(t, f).signIn()
	for _, site := range []string{"cross-site", "same-site"} {
		if status, _ := s.post("/packs/other", url.Values{"on": {"true"}}, "Sec-Fetch-Site", site); status != http.StatusForbidden {
			t.Errorf("%s: %d", site, status)
		}
	}
	if status, _ := s.post("/packs/other", url.Values{"on": {"true"}}, "Sec-Fetch-Site", "same-origin"); status != http.StatusOK {
		t.Errorf("our own form: %d", status)
	}
	if got := f.changes(); len(got) != 1 {
		t.Errorf("did %v", got)
	}
}
