package console

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/mnote-dev/mnote-host/tools"
)

// view is what every page is made of besides its own part.
type view struct {
	// Page is the page's name, Other the same page in the other language.
	Page          string
	Other         address
	Notes         []note
	Waiting       int
	Root, Profile string
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

// render writes a page.
func (c *Console) render(w http.ResponseWriter, r *http.Request, status int, page string, b body) {
	lang := c.langOf(r)
	v := view{Page: page, Other: otherLang(r, lang), Root: c.cfg.Root, Profile: c.cfg.Profile}
	p := pen{lang: lang}
	if l := loginOf(r); l != nil {
		p.form = l.forms
		v.Notes = c.doors.note(l, r.URL.Query().Get("note"))
		v.Waiting = c.waiting(r)
	}
	p.layout(v, b)
	if l, picked := langNamed(r.URL.Query().Get("lang")); picked {
		http.SetCookie(w, &http.Cookie{Name: langCookie, Value: string(l), Path: "/", MaxAge: 400 * 24 * 3600, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Language", string(lang))
	w.WriteHeader(status)
	_, _ = w.Write(p.out.Bytes()) // the browser is gone: nobody is left to be told
}

func otherThan(lang tools.Lang) tools.Lang {
	if lang == tools.EN {
		return tools.ZH
	}
	return tools.EN
}

// otherLang is the address of the same page in the other language.
func otherLang(r *http.Request, lang tools.Lang) address {
	q := r.URL.Query()
	q.Del("note")
	q.Set("lang", string(otherThan(lang)))
	at := url.URL{Path: "/", RawQuery: q.Encode()}
	if r.Method == http.MethodGet && !strings.HasPrefix(r.URL.Path, openPath) && !strings.HasPrefix(r.URL.Path, "//") {
		at.Path = r.URL.Path
	}
	return address(at.String())
}

// refuse writes the page that says why there is no other.
func (c *Console) refuse(w http.ResponseWriter, r *http.Request, status int, why string) {
	c.render(w, r, status, "refused", refused(why))
}

// nothing answers an address that leads nowhere.
func (c *Console) nothing(w http.ResponseWriter, r *http.Request) {
	c.refuse(w, r, http.StatusNotFound, "nothing")
}
