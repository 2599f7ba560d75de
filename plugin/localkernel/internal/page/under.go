package page

import (
	"html"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/mnote-dev/mnote-host/tools"
)

// Section is a heading and what stands below it: the blocks [First, Last) of
// Blocks, the heading itself left out.
type Section struct {
	Heading     Heading
	Index       int // of the heading in Blocks
	First, Last int
}

// Under finds the section that a heading's text, path (A/Tasks, or /Tasks from
// the top) or block id names. A text may be copied from the source or as it is
// shown: white space, normal form, variation selectors, inline HTML and marks of
// emphasis need not agree, but where an exact one is found, near ones do not
// count. None or several: mnote_tool_invalid_args with details.reason
// target_not_found or ambiguous_target and details.candidates
// [{path, blockId}].
func (p *Page) Under(target string) (Section, error) {
	tree := p.headings()
	for _, h := range tree {
		if p.blocks()[h.index].ID == target {
			return p.section(h), nil
		}
	}
	found := matches(tree, target)
	if len(found) == 1 {
		return p.section(found[0]), nil
	}
	return Section{}, p.noTarget(tree, found, target)
}

func (p *Page) section(h *headingNode) Section {
	blocks := p.blocks()
	s := Section{Heading: p.outlined(h), Index: h.index, First: h.index + 1, Last: h.index + 1}
	for s.Last < len(blocks) && !(blocks[s.Last].Type == TypeHeading && blocks[s.Last].Level <= h.level) {
		s.Last++
	}
	return s
}

// matches gives the headings that the target names in the strictest reading
// that names any.
func matches(tree []*headingNode, target string) []*headingNode {
	text, level := markedLevel(target)
	for _, read := range readings {
		if found := matching(tree, read, read(target), 0); len(found) > 0 {
			return found
		}
		if level == 0 {
			continue
		}
		if found := matching(tree, read, read(text), level); len(found) > 0 {
			return found
		}
	}
	return nil
}

// markedLevel reads a target that came with its #, as in "## Tasks".
func markedLevel(target string) (text string, level int) {
	rest := strings.TrimLeft(target, "#")
	level = len(target) - len(rest)
	if level == 0 || level > 6 || !strings.HasPrefix(rest, " ") {
		return target, 0
	}
	return strings.TrimSpace(rest), level
}

// readings are the ways to read a text, strictest first.
var readings = []func(string) string{
	oneLine,
	func(s string) string { return oneLine(plainForm(s)) },
	func(s string) string { return oneLine(plainForm(shown(s))) },
}

// plainForm is the text in NFC and without variation selectors, which editors
// and clipboards add and drop.
func plainForm(s string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef {
			return -1
		}
		return r
	}, s))
}

var (
	tagPattern  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`</?[A-Za-z][^<>]*>|<!--.*?-->`) })
	linkPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`!?\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])`) })
	wikiPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`!?\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]`) })
)

// shown is the text roughly as a reader sees it: no tags, links as their
// texts, no marks of emphasis or code.
func shown(s string) string {
	s = tagPattern().ReplaceAllString(s, "")
	s = wikiPattern().ReplaceAllString(s, "$1")
	s = linkPattern().ReplaceAllString(s, "$1")
	s = strings.NewReplacer("**", "", "__", "", "~~", "", "`", "", "*", "", "\\", "").Replace(s)
	return html.UnescapeString(s)
}

// matching gives the headings that the target names in one reading. It names a
// heading by its text, or by that and the texts above it; from the very top
// where it starts with a slash. Level, unless 0, must agree too.
func matching(tree []*headingNode, read func(string) string, target string, level int) []*headingNode {
	if target == "" {
		return nil
	}
	texts := make(map[*headingNode]string, len(tree))
	var found []*headingNode
	for _, h := range tree {
		texts[h] = read(h.text)
		if (level == 0 || level == h.level) && names(target, h, texts) {
			found = append(found, h)
		}
	}
	return found
}

func names(target string, h *headingNode, texts map[*headingNode]string) bool {
	if target == texts[h] {
		return true
	}
	rest, ok := strings.CutSuffix(target, texts[h])
	if rest = strings.TrimRight(rest, " "); !ok || !strings.HasSuffix(rest, "/") {
		return false
	}
	rest = strings.TrimRight(strings.TrimSuffix(rest, "/"), " ")
	if rest == "" {
		return h.up == nil
	}
	return h.up != nil && names(rest, h.up, texts)
}

// maxCandidates bounds what an error offers.
const maxCandidates = 20

func (p *Page) noTarget(tree, found []*headingNode, target string) error {
	if len(found) > 1 {
		return refuse(tools.CodeInvalidArgs, reasonAmbiguous, tools.Text{
			ZH: "有 %d 个标题符合；请用完整路径（如 A/任务）或块 id，见 details.candidates",
			EN: "%d headings match; use a whole path (A/Tasks) or a block id, see details.candidates",
		}, len(found)).With("candidates", p.candidates(found))
	}
	return refuse(tools.CodeInvalidArgs, reasonTargetNotFound, tools.Text{
		ZH: "页面上没有这个标题；现有的标题见 details.candidates",
		EN: "the page has no such heading; details.candidates lists the ones there are",
	}).With("candidates", p.candidates(nearest(tree, target)))
}

func (p *Page) candidates(list []*headingNode) []map[string]any {
	out := []map[string]any{}
	for _, h := range list[:min(len(list), maxCandidates)] {
		out = append(out, map[string]any{"path": addressAmong(h, list), "blockId": p.blocks()[h.index].ID})
	}
	return out
}

// addressAmong is the heading's path, from the top where it would name another
// one of the list that stands deeper as well.
func addressAmong(h *headingNode, list []*headingNode) string {
	path := h.path()
	for _, other := range list[:min(len(list), maxCandidates)] {
		if strings.HasSuffix(other.path(), "/"+path) {
			return "/" + path
		}
	}
	return path
}

// nearest puts the headings that hold the target's last part first.
func nearest(tree []*headingNode, target string) []*headingNode {
	last := strings.ToLower(oneLine(target[strings.LastIndexByte(target, '/')+1:]))
	var near, far []*headingNode
	for _, h := range tree {
		text := strings.ToLower(h.text)
		if last != "" && strings.Contains(text, last) || utf8.RuneCountInString(text) > 1 && strings.Contains(last, text) {
			near = append(near, h)
		} else {
			far = append(far, h)
		}
	}
	return append(near, far...)
}
