package console

import (
	"encoding/json"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/mnote-dev/mnote-host/plugin"
)

// maxDiff bounds what is shown of a diff in bytes.
const maxDiff = 1 << 20

// namedDiff is a diff with its heading.
type namedDiff struct {
	Title string
	Lines []diffLine
}

// diffLine is one line of a unified diff, with what hides from the eye made
// visible; Kind is add, del, hunk, file or "".
type diffLine struct{ Kind, Text string }

// diffLines splits a unified diff for the page, as much of it as fits, and gives
// that much.
func diffLines(text string) (lines []diffLine, shown string) {
	cut := len(text) > maxDiff // a person who cannot see all of it is told
	if cut {
		text = text[:maxDiff]
		for len(text) > 0 && !utf8.RuneStart(text[len(text)-1]) {
			text = text[:len(text)-1]
		}
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		lines = append(lines, diffLine{kindOf(line, len(lines)), plugin.VisibleDiff(line)})
	}
	if cut {
		lines = append(lines, diffLine{"cut", "…"})
	}
	return lines, text
}

// kindOf tells what a line of a diff is; its first two lines name the files.
func kindOf(line string, at int) string {
	switch {
	case at < 2 && (strings.HasPrefix(line, "--- ") || strings.HasPrefix(line, "+++ ")):
		return "file"
	case strings.HasPrefix(line, "@@"):
		return "hunk"
	case strings.HasPrefix(line, "+"):
		return "add"
	case strings.HasPrefix(line, "-"):
		return "del"
	}
	return ""
}

// diff shows what one write changed.
func (c *Console) diff(w http.ResponseWriter, r *http.Request) {
	command := r.URL.Query().Get("command")
	text, err := c.cfg.Records.Diff(r.Context(), command)
	if err != nil {
		n := c.failed(c.langOf(r), err)
		c.render(w, r, http.StatusNotFound, "diff", diffView{Command: command, Fault: n.Text})
		return
	}
	v := diffView{Command: command}
	lines, shown := diffLines(text)
	v.Lines = lines
	if len(shown) < len(text) {
		change, _ := plugin.ChangeOf(asPreview(text))
		v.Cut = change.HiddenText(shown).In(c.langOf(r))
	}
	c.render(w, r, http.StatusOK, "diff", v)
}

type diffView struct {
	Command, Fault, Cut string
	Lines               []diffLine
}

// asPreview is a whole diff as a plan's preview holds it.
func asPreview(diff string) json.RawMessage {
	raw, _ := json.Marshal(map[string]string{"unifiedDiff": diff}) // a text always can
	return raw
}

func (v diffView) title(p *pen) string { return p.t("diff_of", v.Command) }

func (v diffView) main(p *pen, _ view) {
	switch {
	case v.Fault != "":
		p.put(`<p class="note bad" data-diff>%s</p>`, v.Fault)
	case len(v.Lines) > 0:
		p.put(`<div data-diff>`)
		p.bad(v.Cut)
		p.diff(v.Lines, p.t("diff_of", v.Command))
		p.put(`</div>`)
	default:
		p.put(`<p data-diff>%s</p>`, p.t("diff_none"))
	}
	p.put(`
<p><a href="/records">%s</a></p>`, p.t("nav_records"))
}
