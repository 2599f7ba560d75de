package console

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"github.com/mnote-dev/mnote-host/tools"
)

// maxForm bounds a form in bytes.
const maxForm = 64 << 10

// form lets a form through that a page of this login made.
func (c *Console) form(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		if err := r.ParseForm(); err != nil {
			c.refuse(w, r, http.StatusBadRequest, "badform")
			return
		}
		got, want := sha256.Sum256([]byte(r.PostForm.Get("form"))), sha256.Sum256([]byte(loginOf(r).forms))
		if subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			c.refuse(w, r, http.StatusForbidden, "forged")
			return
		}
		next(w, r)
	}
}

// back leads to the page that a form stood on, with a note of what came of it.
func (c *Console) back(w http.ResponseWriter, r *http.Request, page, anchor string, n note) {
	to, err := url.Parse(page)
	if err != nil { // our own addresses can be read
		to = &url.URL{Path: "/"}
	}
	q := to.Query()
	q.Set("note", c.doors.keep(loginOf(r), n))
	to.RawQuery, to.Fragment = q.Encode(), anchor
	http.Redirect(w, r, to.String(), http.StatusSeeOther)
}

// done is a note of success.
func done(lang tools.Lang, key string, args ...any) note { return note{Text: say(lang, key, args...)} }

// failed is a note of an error: in its own words when it has some, else only
// that there was one.
func (c *Console) failed(lang tools.Lang, err error) note {
	coded, ok := errors.AsType[*tools.Error](err)
	if !ok {
		c.cfg.Log.Error().Err(err).Msg("the page could not do what it was asked")
		return note{Bad: true, Text: say(lang, "fault")}
	}
	return note{Bad: true, Text: coded.In(lang).Message + " (" + string(coded.Code) + ")", Diffs: bothSides(lang, coded)}
}

// bothSides reads the three-way view of an undo that was refused.
func bothSides(lang tools.Lang, e *tools.Error) []namedDiff {
	raw, err := json.Marshal(e.Details)
	if err != nil {
		return nil
	}
	var details struct {
		ThreeWay struct{ Undo, Since struct{ UnifiedDiff string } }
	}
	if json.Unmarshal(raw, &details) != nil {
		return nil // another kernel's details: the message has to do
	}
	var diffs []namedDiff
	for _, side := range []struct{ title, diff string }{
		{"side_undo", details.ThreeWay.Undo.UnifiedDiff}, {"side_since", details.ThreeWay.Since.UnifiedDiff},
	} {
		if side.diff != "" {
			lines, _ := diffLines(side.diff)
			diffs = append(diffs, namedDiff{Title: say(lang, side.title), Lines: lines})
		}
	}
	return diffs
}
