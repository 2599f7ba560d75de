package page_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
)

// A list beside a list of its kind is an item of it, not a refusal: that is the
// commonest edit there is.
func TestListGrows(t *testing.T) {
	t.Parallel()
	const shop = "# Shop\n\n- bread\n- eggs\n\n# Other\n\ntext\n"
	end, under := page.Where{}, page.Where{Under: "Shop"}
	top := page.Where{Under: "Shop", At: page.EdgeStart}
	for _, tc := range []struct {
		name, src    string
		where        page.Where
		after        string // a block's source, instead of where
		before       string
		content      string
		want, reason string
	}{
		{name: "the end of a page", src: "- bread\n", where: end, content: "- milk", want: "- bread\n- milk\n"},
		{name: "the end of a section", src: shop, where: under, content: "- milk", want: strings.Replace(shop, "eggs\n", "eggs\n- milk\n", 1)},
		{name: "the start of a section", src: shop, where: top, content: "- milk", want: strings.Replace(shop, "- bread", "- milk\n- bread", 1)},
		{name: "after it", src: shop, after: "- bread\n- eggs", content: "- milk\n- oil", want: strings.Replace(shop, "eggs\n", "eggs\n- milk\n- oil\n", 1)},
		{name: "before it", src: shop, before: "- bread\n- eggs", content: "- milk", want: strings.Replace(shop, "- bread", "- milk\n- bread", 1)},
		{name: "after the heading over it", src: shop, after: "# Shop", content: "- milk", want: strings.Replace(shop, "- bread", "- milk\n- bread", 1)},
		{name: "no final newline", src: "- bread", where: end, content: "- milk\n", want: "- bread\n- milk"},
		{name: "blank lines behind it stay", src: "- bread\n\n\n", where: end, content: "- milk", want: "- bread\n- milk\n\n\n"},
		{name: "CRLF", src: "a\r\n\r\n- bread\r\n- eggs\r\n", where: end, content: "- milk\n- oil", want: "a\r\n\r\n- bread\r\n- eggs\r\n- milk\r\n- oil\r\n"},
		{name: "a loose list", src: "- bread\n\n- eggs\n", where: end, content: "- milk", want: "- bread\n\n- eggs\n\n- milk\n"},
		{name: "a loose list, CRLF", src: "- bread\r\n\r\n- eggs\r\n", where: end, content: "- milk", want: "- bread\r\n\r\n- eggs\r\n\r\n- milk\r\n"},
		{name: "before a loose list", src: "- bread\n\n- eggs\n", where: page.Where{At: page.EdgeStart}, content: "- milk", want: "- milk\n\n- bread\n\n- eggs\n"},
		{name: "one loose item", src: "- bread\n\n  of rye\n", where: end, content: "- milk", want: "- bread\n\n  of rye\n\n- milk\n"},
		{name: "tasks", src: "- [ ] a\n- [x] b\n", where: end, content: "- [ ] c", want: "- [ ] a\n- [x] b\n- [ ] c\n"},
		{name: "an item without a box to tasks", src: "- [ ] a\n", where: end, content: "- c", want: "- [ ] a\n- c\n"},
		{name: "numbers as the caller wrote them", src: "1. a\n2. b\n", where: end, content: "7. c", want: "1. a\n2. b\n7. c\n"},
		{name: "a last item of several lines", src: "- a\n  more\n  - below\n", where: end, content: "- b", want: "- a\n  more\n  - below\n- b\n"},
		{name: "code left open in the last item", src: "- a\n\n  ```\n  x\n", where: end, content: "- b", want: "- a\n\n  ```\n  x\n\n- b\n"},
		{name: "an empty last item", src: "- a\n-\n", where: end, content: "- b", want: "- a\n-\n- b\n"},
		{name: "an indented list", src: "  - a\n", where: end, content: "  - b", want: "  - a\n  - b\n"},
		{name: "another mark is another list", src: "- a\n", where: end, content: "* b", want: "- a\n\n* b\n"},
		{name: "another kind is another list", src: "- a\n", where: end, content: "1. b", want: "- a\n\n1. b\n"},
		{name: "between two kinds", src: "* a\n\n- b\n", after: "* a", content: "- x", want: "* a\n\n- x\n- b\n"},
		{name: "an item that would stand below another", src: "- a\n", where: end, content: "  - b", reason: "would_change_blocks"},
		{name: "indented before items that would stand below", src: "  - a\n", where: page.Where{At: page.EdgeStart}, content: "- b", reason: "would_change_blocks"},
		{name: "a list and more", src: "- a\n", where: end, content: "- b\n\ntext", reason: "would_change_blocks"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			p := page.Parse([]byte(tc.src))
			if tc.after != "" {
				tc.where = page.Where{After: at(t, p, tc.after)}
			}
			if tc.before != "" {
				tc.where = page.Where{Before: at(t, p, tc.before)}
			}
			e, err := p.Insert(tc.where, tc.content)
			checkEdit(t, p, e, err, tc.src, tc.want, tc.reason)
		})
	}
}

func TestListGrowsTellsTheList(t *testing.T) {
	t.Parallel()
	p := page.Parse([]byte("# Shop\n\n- bread\n"))
	e, err := p.Save([]page.Content{{Type: page.TypeBulletList, Text: ptr("- milk\n")}}, page.ModeAppend)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"heading: # Shop", "bulletList: - bread\n- milk"}, outline(e.Page)); diff != "" {
		t.Error(diff)
	}
	want := []page.Change{{OldID: p.Blocks()[1].ID, NewID: e.Page.Blocks()[1].ID, Type: page.TypeBulletList}}
	if diff := cmp.Diff(want, e.Changes); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]page.Op{{Op: "append", Blocks: 1}}, e.Ops); diff != "" {
		t.Error(diff)
	}
}
