package page_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
	"github.com/mnote-dev/mnote-host/tools"
)

func TestControlCharactersAreRefused(t *testing.T) {
	t.Parallel()
	const src = "a\n\nold \x01 one\n"
	p := page.Parse([]byte(src))
	for name, edit := range map[string]func(string) (*page.Edit, error){
		"/content":          func(s string) (*page.Edit, error) { return p.Insert(page.Where{}, s) },
		"/content, replace": func(s string) (*page.Edit, error) { return p.Replace(p.Blocks()[0].ID, s) },
		"/content/1/text": func(s string) (*page.Edit, error) {
			return p.Save([]page.Content{text("b"), text(s)}, page.ModeAppend)
		},
		"/content/1/source": func(s string) (*page.Edit, error) {
			return p.Save([]page.Content{text("b"), source(s)}, page.ModeReplace)
		},
	} {
		for _, c := range []string{"\x00", "\x07", "\x0b", "\x0c", "\x1b", "\x1f"} {
			e, err := edit("one\r\n字" + c + "x")
			checkEdit(t, p, e, err, src, "", "control_character")
			got := tools.AsError(err)
			if diff := cmp.Diff([]any{tools.CodeInvalidArgs, 2, 2}, []any{got.Code, got.Details["line"], got.Details["character"]}); diff != "" {
				t.Errorf("%s, %q: %s", name, c, diff)
			}
		}
		if _, err := edit("tab\t, CRLF\r\nand\x7f\u0085 others"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := p.Bytes(); string(got) != src {
		t.Errorf("the page became %q", got)
	}
	e, err := p.Save(givenAll(p), page.ModeReplace)
	checkEdit(t, p, e, err, src, src, "") // what is there already may stay
}
