package page_test

import (
	"math/rand/v2"
	"strings"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
)

// sample is one block in our own words, with the type it must have.
type sample struct {
	src string
	typ page.Type
}

// samples has each construct of Markdown that can end a block or swallow the
// next one, in several spellings.
var samples = []sample{
	{"plain words", page.TypeParagraph},
	{"two lines\nof words", page.TypeParagraph},
	{"   three blanks before", page.TypeParagraph},
	{"hard break  \nand a backslash\\\nend", page.TypeParagraph},
	{"会议纪要：今天下午三点。\n第二行，没有空格", page.TypeParagraph},
	{"emoji 👩‍💻 and 🗒️ and é combining", page.TypeParagraph},
	{"1986\\. not a list", page.TypeParagraph},
	{"2) only a one may interrupt\ntext", page.TypeOrderedList},
	{"trailing blanks   \t", page.TypeParagraph},
	{"[[wiki link]] and #tag and ==mark==", page.TypeParagraph},
	{"$$ 5 is a price, not a formula", page.TypeParagraph},
	{"$$\nis never closed", page.TypeParagraph},
	{"| not | a table", page.TypeParagraph},
	{"a | b\n--|--|--\nheader and delimiter differ", page.TypeParagraph},
	{"![two](a.png) ![images](b.png)", page.TypeParagraph},
	{"[a]: /url\nand words", page.TypeParagraph},
	{"<span>inline</span> html", page.TypeParagraph},
	{"#no heading without a blank", page.TypeParagraph},
	{"####### seven", page.TypeParagraph},
	{"`code` with ``` inside", page.TypeParagraph},
	{"# one", page.TypeHeading},
	{"###### six ######", page.TypeHeading},
	{"  ## indented", page.TypeHeading},
	{"#", page.TypeHeading},
	{"# #", page.TypeHeading},
	{"Underlined\n===", page.TypeHeading},
	{"Two lines\nunderlined\n---", page.TypeHeading},
	{"- a", page.TypeBulletList},
	{"- a\n- b\n  - c\n\n    more of c\n- d", page.TypeBulletList},
	{"* star\n\n* loose", page.TypeBulletList},
	{"+ plus\nlazy line", page.TypeBulletList},
	{"-\n  late start", page.TypeBulletList},
	{"- ```\n  fence in item\n  ```", page.TypeBulletList},
	{"- > quote in item\n- # heading in item", page.TypeBulletList},
	{"- [x] done\n- plain", page.TypeBulletList},
	{"- a\n\n      code in item", page.TypeBulletList},
	{"1. one\n2. two", page.TypeOrderedList},
	{"7) seven\n   1. nested", page.TypeOrderedList},
	{"- [ ] to do\n- [x] done\n  - [ ] below", page.TypeTaskList},
	{"1. [X] numbered task", page.TypeTaskList},
	{"```\ncode\n```", page.TypeCodeBlock},
	{"```go title=x\nfunc f() {}\n\n\n// blank lines above\n```", page.TypeCodeBlock},
	{"~~~~\n```\n~~~\n~~~~", page.TypeCodeBlock},
	{"  ```\n  indented\n  ```", page.TypeCodeBlock},
	{"    four blanks\n\n    and a gap", page.TypeCodeBlock},
	{"\ttab", page.TypeCodeBlock},
	{"> quote\n> more", page.TypeBlockquote},
	{"> quote\nlazy", page.TypeBlockquote},
	{">\n> - list\n>   in it\n>\n> ```\n> code\n> ```", page.TypeBlockquote},
	{"> [!NOTE]\n> callout", page.TypeBlockquote},
	{"| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 |", page.TypeTable},
	{"a|b\n-|-\n中|文", page.TypeTable},
	{"| one |\n|-|", page.TypeTable},
	{"![alt](a.png)", page.TypeImage},
	{"![alt [b]](<a b.png> \"t (x)\")", page.TypeImage},
	{"![[file.png|300]]", page.TypeImage},
	{"![alt][ref]", page.TypeImage},
	{"---", page.TypeHorizontalRule},
	{"* * *", page.TypeHorizontalRule},
	{" ___", page.TypeHorizontalRule},
	{"$$\nx^2\n\ny\n$$", page.TypeBlockMath},
	{"$$ x = 1 $$", page.TypeBlockMath},
	{"$$\\begin{a}\nx\n\\end{a}$$", page.TypeBlockMath},
	{"<div>\nx\n</div>", page.TypeHTML},
	{"<!-- a comment\n\nwith a gap -->", page.TypeHTML},
	{"<script>\nif (a) {\n\n}\n</script>", page.TypeHTML},
	{"<?php\n\necho 1;\n?>", page.TypeHTML},
	{"<![CDATA[\n\n]]>", page.TypeHTML},
	{"<!DOCTYPE html>", page.TypeHTML},
	{"</custom-tag>", page.TypeHTML},
	{"[^1]: a footnote\n\n    with a second paragraph", page.TypeFootnote},
	{"[^long name]: text", page.TypeFootnote},
	{"[ref]: https://example.org \"t\"", page.TypeLinkReference},
	{"[a]: /a\n[b]: /b", page.TypeLinkReference},
}

// openEnded are texts that swallow what follows them.
var openEnded = []string{"```\nno end", "~~~ never", "<!-- no end", "<script>\nx", "<?php", "<![CDATA[", "- ```\n  in item"}

// fronts are frontmatters, valid and not.
var fronts = []string{
	"---\ntitle: 计划 # 注\ntags: [keep, 42, {m: p}]\n---\n",
	"---\na: \"open\nkeep: yes\n---\n",
	"---\n---\n",
	"---\nmnote:\n  wideLayout: true\n---\n\n",
	"+++\ntitle = \"t\"\n[mnote]\nshowToc = false\n+++\n",
	"---\n- a list\n...\n",
}

// dress is how a file is written, whatever it says.
type dress struct {
	eol     string
	bom     bool
	noFinal bool
}

var dresses = []dress{{eol: "\n"}, {eol: "\r\n"}, {eol: "\r\n", bom: true}, {eol: "\n", noFinal: true}, {eol: "\r\n", bom: true, noFinal: true}, {eol: "\r"}}

func (d dress) put(src string) string {
	if d.noFinal {
		src = strings.TrimRight(src, "\n")
	} else if src != "" && !strings.HasSuffix(src, "\n") {
		src += "\n"
	}
	src = strings.ReplaceAll(src, "\n", d.eol)
	if d.bom {
		src = "\ufeff" + src
	}
	return src
}

// randomSource makes a page of samples in LF, tight and loose, sometimes with a
// frontmatter, an open end, or lines of noise.
func randomSource(r *rand.Rand) string {
	var b strings.Builder
	if r.IntN(3) == 0 {
		b.WriteString(fronts[r.IntN(len(fronts))])
	}
	for range r.IntN(9) {
		b.WriteString(samples[r.IntN(len(samples))].src)
		b.WriteString(strings.Repeat("\n", 1+r.IntN(3)))
		if r.IntN(20) == 0 {
			b.WriteString(" \t\n")
		}
	}
	if r.IntN(8) == 0 {
		b.WriteString(openEnded[r.IntN(len(openEnded))])
	}
	return b.String()
}

func randomPage(r *rand.Rand) *page.Page {
	return page.Parse([]byte(dresses[r.IntN(len(dresses))].put(randomSource(r))))
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }
