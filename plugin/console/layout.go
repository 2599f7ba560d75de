package console

import "github.com/mnote-dev/mnote-host/tools"

// body is a page's own part.
type body interface {
	// title is the page's heading.
	title(p *pen) string
	// main writes what stands below it.
	main(p *pen, v view)
}

// layout writes a page: what all of them have, around its own part.
func (p *pen) layout(v view, b body) {
	title := b.title(p)
	p.put(`<!doctype html>
<html lang="%s">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
%s<title>%s · MNote</title>
<link rel="stylesheet" href="%s">
<link rel="icon" type="image/svg+xml" href="%s">
<script src="%s" defer></script>
</head>
<body>
<a class="skip" href="#main">%s</a>
`, langTag(p.lang), when(v.Page == "open", openHead), title, assetURL("console.css"), assetURL("icon.svg"), assetURL("console.js"), p.t("skip"))
	p.header(v)
	p.put(`<p id="said" class="unseen" role="status"></p>
<main id="main" tabindex="-1">
<h1>%s</h1>
`, title)
	if p.form != "" {
		p.put(`<p id="link" class="link" data-lost="%s" data-out="%s" data-calm="%s" hidden></p>
`, p.t("link_lost"), p.t("link_out"), p.t("link_calm"))
	}
	b.main(p, v)
	p.put(`
</main>
`)
	p.footer(v)
	p.put(`</body>
</html>
`)
}

// langTag names a language as HTML does.
func langTag(l tools.Lang) string {
	if l == tools.ZH {
		return "zh-Hans"
	}
	return "en"
}

func (p *pen) header(v view) {
	p.put(`<header>
<p class="brand">MNote</p>
`)
	if p.form != "" {
		here := func(page string) markup { return when(v.Page == page, ` aria-current="page"`) }
		p.put(`<nav aria-label="%s"><ul>
<li><a href="/"%s>%s</a></li>
<li><a href="/records"%s>%s</a></li>
<li><a href="/plans"%s>%s <span id="waiting" class="count"%s>%s</span></a></li>
</ul></nav>
`, p.t("nav"), here("packs"), p.t("nav_packs"), here("records"), p.t("nav_records"), here("plans"), p.t("nav_plans"), when(v.Waiting == 0, " hidden"), v.Waiting)
	}
	other := langTag(otherThan(p.lang))
	p.put(`<a class="lang" href="%s" lang="%s" hreflang="%s">%s</a>
</header>
`, v.Other, other, other, p.t("other_lang"))
}

func (p *pen) footer(v view) {
	p.put(`<footer>
`)
	if p.form != "" {
		p.put(`<p>%s <code>%s</code>`, p.t("workspace"), v.Root)
		if v.Profile != "" {
			p.put(` · %s <code>%s</code>`, p.t("profile"), v.Profile)
		}
		p.put(`</p>
<form method="post" action="/leave"><input type="hidden" name="form" value="%s"><button class="plain">%s</button></form>
`, p.form, p.t("leave"))
	}
	p.put(`</footer>
`)
}

// openHead leads on from the page of a one-time link.
const openHead = `<meta http-equiv="refresh" content="0; url=/">
`

// opened is the page of a one-time link.
type opened struct{}

func (opened) title(p *pen) string { return p.t("opened") }

func (opened) main(p *pen, _ view) {
	p.put(`<p class="lead"><a href="/">%s</a></p>`, p.t("opened_on"))
}

// refused is the page that says why there is no other.
type refused string

func (refused) title(p *pen) string { return p.t("refused") }

func (why refused) main(p *pen, _ view) { p.put(`<p class="lead">%s</p>`, p.t(string(why))) }
