package proofs

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// fragments are what random pages are made of: every construct that ends a
// block or may swallow the next one.
var fragments = []string{
	"Plain words.", "Two lines\nof words, trailing blanks   ", "会议纪要：今天下午三点，地点不变。\n第二行", "emoji 👩‍💻 🗒️ and a combining é",
	"# 标题 one", "## 📝｜ <span style=\"color:#888\">Notes:</span>", "Setext\n======", "Under\n---", "#", "- a\n- b\n  - nested\n\n  loose", "* star\n* [x] mixed",
	"- [ ] todo\n- [x] done", "1. one\n2. two", "7) seven", "```go\nx := 1\n\n\n// gap\n```", "~~~\n``` inside\n~~~", "    indented code\n\n    after a gap",
	"> quote\nlazy line", "> - list in quote\n>\n> > deeper", "| a | b |\n|---|:-:|\n| 1 | 中 |", "a|b\n-|-\n1|2", "<div>\n\n**x**\n\n</div>", "<!-- a comment\n\nwith a gap -->",
	"<details><summary>s</summary>\ntext\n</details>", "$$\nE = mc^2\n\nx\n$$", "[^1]: footnote\n\n    more of it", "[ref]: https://example.org 'title'", "![img](a.png)", "---", "***",
	"[[wiki link]] and #tag", "\\# no heading", "Line with a hard break\\\nnext", "*", "1.", "<script>\nif (a) {\n\n}\n</script>", "&nbsp;", "\u200bzero width",
}

// openEnded swallow what follows them.
var openEnded = []string{"```\nnever closed", "~~~ never", "<!-- never closed", "<script>\nnever", "<![CDATA[ never", "- ```\n  fence in an item"}

// hostile are contents that want to change their neighbours.
var hostile = append([]string{"===", "-", "    code", "> q", "| a |\n|-|", "+++\n+++", "---\na: b\n---", "```", "</div>", "", " ", "\t"}, openEnded...)

// fronts are frontmatters, valid and not.
var fronts = []string{
	"---\ntitle: 计划 # 注\ntags: [keep, 42, {m: p}]\n---\n", "---\na: \"open\nkeep: yes\n---\n", "---\n\tx: tab\n---\n", "---\n---\n", "+++\ntitle = \"t\"\n+++\n",
	"---\nmnote:\n  wideLayout: true\n---\n\n", "---\ntitle: [unclosed\n---\n", "---\na: 1\na: 2\n---\n", "---\nnever closed\n",
}

// roll makes random things; the same seed makes the same.
type roll struct{ *rand.Rand }

func newRoll(seed int) roll { return roll{rand.New(rand.NewPCG(uint64(seed), 20261130))} }

func (r roll) of(list []string) string { return list[r.IntN(len(list))] }

// page makes a file as an editor somewhere might have left it.
func (r roll) page() []byte {
	var b strings.Builder
	if r.IntN(3) == 0 {
		b.WriteString(r.of(fronts))
	}
	for range r.IntN(10) {
		b.WriteString(r.of(fragments))
		b.WriteString(strings.Repeat("\n", 1+r.IntN(3)))
	}
	if r.IntN(6) == 0 {
		b.WriteString(r.of(openEnded))
	}
	return []byte(r.dress(b.String()))
}

// dress gives a text its line ends, byte order mark and end.
func (r roll) dress(text string) string {
	if r.IntN(3) == 0 {
		text = strings.TrimRight(text, "\n")
	}
	switch r.IntN(6) {
	case 0, 1:
		text = strings.ReplaceAll(text, "\n", "\r\n")
	case 2: // an editor that mixed them
		lines := strings.Split(text, "\n")
		for i := range lines[:len(lines)-1] {
			if r.IntN(2) == 0 {
				lines[i] += "\r"
			}
		}
		text = strings.Join(lines, "\n")
	}
	if r.IntN(5) == 0 {
		text = "\ufeff" + text
	}
	return text
}

// content is what an agent might want to write.
func (r roll) content() string {
	switch r.IntN(6) {
	case 0:
		return r.of(hostile)
	case 1:
		return r.of(fragments) + "\n\n" + r.of(fragments)
	case 2:
		return strings.ReplaceAll(r.of(fragments), "\n", "\r\n")
	}
	return r.of(fragments)
}

// edit is a write that an agent might ask for.
type edit struct {
	tool string
	args map[string]any
}

// edit makes one for a page as it was read.
func (r roll) edit(page result) edit {
	e := edit{args: map[string]any{"dryRun": false, "expectedRevision": page.Revision}}
	anyBlock := func() string {
		if len(page.Blocks) == 0 {
			return "b_nonenonenone"
		}
		return page.Blocks[r.IntN(len(page.Blocks))].ID
	}
	switch r.IntN(9) {
	case 0:
		e.tool, e.args["mode"], e.args["content"] = "mnote_page_save", "append", []any{map[string]any{"text": r.content()}}
	case 1:
		e.tool, e.args["mode"], e.args["content"] = "mnote_page_save", "replace", r.rewritten(page.Blocks)
	case 2:
		e.tool, e.args["title"] = "mnote_page_update_title", r.of([]string{"新标题", "C #", "a: b", "'x'", "- x", "true", "😀", "[a]: b", "---"})
	case 3:
		delete(e.args, "expectedRevision")
		e.tool, e.args["options"] = "mnote_page_update_options", map[string]any{r.of([]string{"wideLayout", "smallText", "showToc"}): r.IntN(2) == 0}
	case 4:
		e.tool, e.args["blockId"] = "mnote_block_delete", anyBlock()
	case 5:
		e.tool, e.args["blockId"], e.args[r.of([]string{"after", "before"})] = "mnote_block_move", anyBlock(), anyBlock()
	case 6:
		e.tool, e.args["blockId"], e.args["content"] = "mnote_block_update", anyBlock(), r.content()
	default:
		e.tool, e.args["content"] = "mnote_block_insert", r.content()
		if where := r.of([]string{"after", "before", "position"}); where != "position" {
			e.args[where] = anyBlock()
		} else {
			e.args[where] = r.of([]string{"start", "end"})
		}
	}
	return e
}

// rewritten is the page as it was given, with a block new, gone or elsewhere.
func (r roll) rewritten(blocks []block) []any {
	var content []any
	for _, b := range blocks {
		content = append(content, b)
	}
	i := r.IntN(len(content) + 1)
	switch {
	case len(content) == 0 || r.IntN(3) == 0:
		return slices.Insert(content, i, any(map[string]any{"text": r.of(fragments)}))
	case i == len(content):
		return content
	case r.IntN(2) == 0 && len(content) > 1:
		return slices.Delete(content, i, i+1)
	}
	content[0], content[i] = content[i], content[0]
	return content
}
