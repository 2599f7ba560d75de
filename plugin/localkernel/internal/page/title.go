package page

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mnote-dev/mnote-host/tools"
)

// Place says where a page's title comes from.
type Place string

// The places, first found first.
const (
	PlaceFrontmatter Place = "frontmatter"
	PlaceHeading     Place = "heading"
	PlaceFileName    Place = "fileName"
)

// Title gives the page's title, on one line, and where it stands: the
// frontmatter's title, else the first heading of level 1, else the file's name
// without its folder and extension. A frontmatter that cannot be read has none.
func (p *Page) Title(fileName string) (string, Place) {
	if data, err := p.data(); err == nil {
		if title := oneLine(data.title()); title != "" {
			return title, PlaceFrontmatter
		}
	}
	if i, title := p.firstHeading(); i >= 0 {
		return title, PlaceHeading
	}
	name := fileName[strings.LastIndexAny(fileName, `/\`)+1:]
	if i := strings.LastIndexByte(name, '.'); i > 0 {
		name = name[:i]
	}
	return name, PlaceFileName
}

// firstHeading finds the first heading of level 1 that says something.
func (p *Page) firstHeading() (int, string) {
	for i, s := range p.lay().spans {
		if s.typ != TypeHeading || s.level != 1 {
			continue
		}
		if title := oneLine(headingText(toLF(p.src[s.start:s.end]))); title != "" {
			return i, title
		}
	}
	return -1, ""
}

// SetTitle writes the title where Title takes it from; a title that comes from
// the file's name is added to the frontmatter. Nothing is renamed. A frontmatter
// that cannot be read is refused: nobody knows then where the title stands.
func (p *Page) SetTitle(title, fileName string) (*Edit, error) {
	title = strings.TrimSpace(title)
	if err := CheckTitle(title); err != nil {
		return nil, err
	}
	if _, err := p.writableData(); err != nil {
		return nil, err
	}
	now, place := p.Title(fileName)
	switch {
	case now == title:
		return &Edit{Page: p, Ops: []Op{{"update_title", 0}}}, nil
	case place == PlaceHeading:
		return p.retitle(title)
	}
	return p.TitleData(title)
}

// TitleData writes the title into the frontmatter, whatever the headings say.
func (p *Page) TitleData(title string) (*Edit, error) {
	title = strings.TrimSpace(title)
	if err := CheckTitle(title); err != nil {
		return nil, err
	}
	data, err := p.writableData()
	if err != nil {
		return nil, err
	}
	inner, err := data.setTitle(title, p.eol())
	if err != nil {
		return nil, err
	}
	return p.withData(inner, "update_title")
}

// MaxTitle is the longest title that is written, in characters.
const MaxTitle = 300

// CheckTitle refuses what cannot be a page's title.
func CheckTitle(title string) error {
	if n := utf8.RuneCountInString(title); n > MaxTitle {
		return refuse(tools.CodeInvalidArgs, reasonTitleTooLong, tools.Text{
			ZH: "标题有 %d 个字符，上限是 %d；请缩短标题，长的内容写进正文",
			EN: "the title has %d characters, the limit is %d; shorten it and put the rest into the page",
		}, n, MaxTitle).With("limit", MaxTitle)
	}
	if err := CheckText("/title", title); err != nil {
		return err
	}
	if title != "" && utf8.ValidString(title) && !strings.ContainsFunc(title, unicode.IsControl) && title == oneLine(title) {
		return nil
	}
	return refuse(tools.CodeInvalidArgs, reasonTitleInvalid, tools.Text{
		ZH: "标题要有一行可见的文字，不能有换行、控制字符或连续空白",
		EN: "a title is one line of visible text, without line ends, control characters or runs of white space",
	})
}

// retitle writes the title into the first heading of level 1, in the form that
// it has where that can carry the title.
func (p *Page) retitle(title string) (*Edit, error) {
	i, _ := p.firstHeading()
	s := p.lay().spans[i]
	for _, raw := range headingForms(string(p.src[s.start:s.end]), title) {
		fresh := p.content(raw)
		if len(fresh.spans) != 1 || fresh.spans[0].typ != TypeHeading || fresh.spans[0].level != 1 ||
			headingText(toLF(fresh.raw)) != title {
			continue
		}
		return p.between(i, i+1, fresh).joined(i).edit(Op{"update_title", 1})
	}
	return nil, refuse(tools.CodeInvalidArgs, reasonTitleInvalid, tools.Text{
		ZH: "这个标题不能写成一级标题", EN: "this title cannot be written as a heading of level 1",
	})
}

// joined keeps the gaps around part i as they were around block i.
func (s splice) joined(i int) splice {
	s.joints = append(s.joints, joint{at: i, gaps: [][]byte{s.page.gap(i - 1)}})
	if i+1 < len(s.parts) {
		s.joints = append(s.joints, joint{at: i + 1, gaps: [][]byte{s.page.gap(i)}})
	}
	return s
}

// headingForms gives the ways to write the title: as the old heading is
// written, with # alone, and with a closing # for a title that ends in one.
func headingForms(old, title string) []string {
	forms := []string{"# " + title, "# " + title + " #"}
	lines := strings.FieldsFunc(old, func(r rune) bool { return r == '\r' || r == '\n' })
	if len(lines) > 1 {
		return append([]string{title + lf + lines[len(lines)-1]}, forms...)
	}
	text := headingText([]byte(old))
	lead := len(old) - len(strings.TrimLeft(strings.TrimLeft(old, " "), "# \t"))
	if lead+len(text) > len(old) || old[lead:lead+len(text)] != text {
		return forms
	}
	return append([]string{old[:lead] + title + old[lead+len(text):]}, forms...)
}
