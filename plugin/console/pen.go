package console

import (
	"bytes"
	"fmt"
	"net/url"
	"strings"

	"github.com/mnote-dev/mnote-host/tools"
)

// markup is HTML that stands in this program's source: a constant is one by
// itself, and nothing else is ever made one.
type markup string

// address is where a link or a form leads: a path of this server, with or
// without a query.
type address string

// pen writes one page in one language.
type pen struct {
	out  bytes.Buffer
	lang tools.Lang
	// form is what every form carries; "" without a login.
	form string
}

// put writes markup with a value in each of its places, %s. A value is escaped
// so that it is text, and nothing else, in an element and between the double
// quotes of an attribute; our markup has no places elsewhere. Markup stands as
// it is.
func (p *pen) put(m markup, values ...any) {
	text := make([]any, len(values))
	for i, v := range values {
		text[i] = escaped(v)
	}
	fmt.Fprintf(&p.out, string(m), text...)
}

var escape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;", "\x00", "\ufffd")

func escaped(v any) string {
	switch v := v.(type) {
	case markup:
		return string(v)
	case address:
		return escape.Replace(string(v.local()))
	case string:
		return escape.Replace(v)
	}
	return escape.Replace(fmt.Sprint(v))
}

// local is the address, or none where it would lead away from this server.
func (a address) local() address {
	if !strings.HasPrefix(string(a), "/") || strings.HasPrefix(string(a), "//") || strings.HasPrefix(string(a), `/\`) {
		return "#"
	}
	return a
}

// under is the address of one thing in a folder, whatever its name holds.
func under(folder, name string) address { return address(folder + url.PathEscape(name)) }

// when gives the markup or nothing.
func when(yes bool, m markup) markup {
	if yes {
		return m
	}
	return ""
}

// t is a text of ours in the page's language.
func (p *pen) t(key string, args ...any) string { return say(p.lang, key, args...) }

// each writes every one of a list, with a separator between two.
func each[T any](p *pen, list []T, between markup, put func(T)) {
	for i, v := range list {
		if i > 0 {
			p.put(between)
		}
		put(v)
	}
}

// notes tell what came of the last form.
func (p *pen) notes(list []note) {
	for _, n := range list {
		p.put(`<div class="note%s" id="note-%s" data-note tabindex="-1"><p>%s</p>
`, when(n.Bad, " bad"), n.ID, n.Text)
		for _, d := range n.Diffs {
			p.put(`<p>%s</p>`, d.Title)
			p.diff(d.Lines, d.Title)
		}
		p.takeBack(n)
		p.put(`</div>
`)
	}
}

// bad is what went wrong, if anything did.
func (p *pen) bad(fault string) {
	if fault != "" {
		p.put(`<p class="note bad">%s</p>
`, fault)
	}
}

// takeBack is the form that takes back what the note tells of.
func (p *pen) takeBack(n note) {
	if n.Plan == "" {
		return
	}
	answer, word := "no", "take_back"
	if n.Back {
		answer, word = "yes", "approve_after_all"
	}
	p.put(`<form class="answer" method="post" action="%s"><input type="hidden" name="form" value="%s"><input type="hidden" name="shown" value="%s">
<button name="answer" value="%s">%s</button></form>
`, under("/plans/", n.Plan), p.form, n.Shown, answer, p.t(word))
}

// diff writes a diff, which a person can scroll and a screen reader find by name.
func (p *pen) diff(lines []diffLine, name string) {
	p.put(`<pre class="diff" role="region" aria-label="%s" tabindex="0">`, name)
	for _, l := range lines {
		if l.Kind == "" {
			p.put("<span>%s\n</span>", l.Text)
		} else {
			p.put("<span class=\"%s\">%s\n</span>", l.Kind, l.Text)
		}
	}
	p.put(`</pre>`)
}
