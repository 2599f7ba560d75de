package console

import (
	"bytes"
	"embed"
	"html/template"
	"net/http"
	"net/url"
	"path"
	"strings"
	"sync"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

//go:embed pages/*.html
var pageFiles embed.FS

// pages are the templates of a language by page, parsed at the first use.
type pages map[string]*template.Template

var (
	zhPages = sync.OnceValue(func() pages { return parsePages(tools.ZH) })
	enPages = sync.OnceValue(func() pages { return parsePages(tools.EN) })
)

func parsePages(lang tools.Lang) pages {
	words := template.FuncMap{
		"t":      func(key string, args ...any) string { return say(lang, key, args...) },
		"chip":   func(c plugin.Chip) string { return c.In(lang) },
		"asset":  assetURL,
		"v":      plugin.Visible,
		"answer": func(p planRow, form string) answer { return answer{p.ID, p.Title, form} },
	}
	names, _ := pageFiles.ReadDir("pages") // embedded
	list := pages{}
	for _, f := range names {
		name := strings.TrimSuffix(f.Name(), ".html")
		if name == "layout" {
			continue
		}
		list[name] = template.Must(template.New("layout.html").Funcs(words).ParseFS(pageFiles, "pages/layout.html", path.Join("pages", f.Name())))
	}
	return list
}

// view is what every page is made of; Body is the page's own part.
type view struct {
	Lang tools.Lang
	// Page is the page's name, Other the same page in the other language.
	Page, Other string
	// Form is what every form carries; "" without a login.
	Form          string
	Notes         []note
	Waiting       int
	Root, Profile string
	Body          any
}

// langCookie keeps the language that a person picked.
const langCookie = "mnote_lang"

// langOf finds the page's language: picked, else wanted by the browser, else
// the console's.
func (c *Console) langOf(r *http.Request) tools.Lang {
	if l, ok := langNamed(r.URL.Query().Get("lang")); ok {
		return l
	}
	if kept, err := r.Cookie(langCookie); err == nil {
		if l, ok := langNamed(kept.Value); ok {
			return l
		}
	}
	for word := range strings.SplitSeq(r.Header.Get("Accept-Language"), ",") {
		tag, _, _ := strings.Cut(strings.TrimSpace(word), ";")
		main, _, _ := strings.Cut(tag, "-")
		if l, ok := langNamed(strings.ToLower(main)); ok {
			return l
		}
	}
	return c.cfg.Lang
}

func langNamed(word string) (tools.Lang, bool) {
	l := tools.Lang(word)
	return l, l == tools.ZH || l == tools.EN
}

// render writes a page whole or not at all.
func (c *Console) render(w http.ResponseWriter, r *http.Request, status int, page string, body any) {
	lang := c.langOf(r)
	list := zhPages
	if lang == tools.EN {
		list = enPages
	}
	v := view{Lang: lang, Page: page, Other: otherLang(r, lang), Root: c.cfg.Root, Profile: c.cfg.Profile, Body: body}
	if l := loginOf(r); l != nil {
		v.Form = l.forms
		v.Notes = c.doors.note(l, r.URL.Query().Get("note"))
		v.Waiting = c.waiting(r)
	}
	var out bytes.Buffer
	if err := list()[page].Execute(&out, v); err != nil {
		c.cfg.Log.Error().Err(err).Str("page", page).Msg("a page cannot be written")
		http.Error(w, say(lang, "fault"), http.StatusInternalServerError)
		return
	}
	if l, picked := langNamed(r.URL.Query().Get("lang")); picked {
		http.SetCookie(w, &http.Cookie{Name: langCookie, Value: string(l), Path: "/", MaxAge: 400 * 24 * 3600, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Language", string(lang))
	w.WriteHeader(status)
	_, _ = w.Write(out.Bytes()) // the browser is gone: nobody is left to be told
}

// otherLang is the address of the same page in the other language.
func otherLang(r *http.Request, lang tools.Lang) string {
	other := tools.EN
	if lang == tools.EN {
		other = tools.ZH
	}
	q := r.URL.Query()
	q.Del("note")
	q.Set("lang", string(other))
	at := url.URL{Path: "/", RawQuery: q.Encode()}
	if r.Method == http.MethodGet && !strings.HasPrefix(r.URL.Path, openPath) && !strings.HasPrefix(r.URL.Path, "//") {
		at.Path = r.URL.Path
	}
	return at.String()
}

// refuse writes the page that says why there is no other.
func (c *Console) refuse(w http.ResponseWriter, r *http.Request, status int, why string) {
	c.render(w, r, status, "refused", why)
}

// nothing answers an address that leads nowhere.
func (c *Console) nothing(w http.ResponseWriter, r *http.Request) {
	c.refuse(w, r, http.StatusNotFound, "nothing")
}
