package localkernel

import (
	"bytes"
	"errors"
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/store"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
)

var (
	textNarrowed = tools.Text{
		ZH: "当前授权只包含指定的文档，不能新建页面",
		EN: "the grant is for named documents; it permits no new pages",
	}
	textTitleInContent = tools.Text{
		ZH: "content 自带一级标题，它就是页面的标题；没有使用 title，要改标题请用 mnote.page.update_title",
		EN: "the content has a first heading of its own, and that is the page's title; title was not used, mnote.page.update_title changes it",
	}
	textPlace = tools.Text{
		ZH: "新页面需要 path（以 .md 结尾）或 title",
		EN: "a new page needs a path that ends in .md, or a title",
	}
)

// createArgs are doc.create's own arguments.
type createArgs struct {
	Path    string `json:"path"`
	Title   string `json:"title"`
	Content string `json:"content"`
}

// maxNumbered bounds the search for a name that is free.
const maxNumbered = 1000

// createDoc makes a new page, at a path or at a name made of its title. A page
// that is there with the same bytes is the answer to a retry; nothing is ever
// overwritten.
func createDoc(k *Kernel, tx *store.Tx, c *call) (*change, error) {
	var a createArgs
	if err := c.decode(&a); err != nil {
		return nil, err
	}
	if c.access.narrowed() {
		return nil, denied(textNarrowed).With("reason", "narrowed")
	}
	id, err := a.checked(k)
	if err != nil {
		return nil, err
	}
	for n := 2; ; n++ {
		after, warnings, err := a.bytes(c.Lang, path.Base(string(id)))
		if err != nil {
			return nil, err
		}
		ch, err := k.createAt(tx, c, id, after)
		if err == nil {
			ch.warnings = warnings
		}
		if a.Path != "" || n > maxNumbered || !errors.Is(err, vault.ErrExists) {
			return ch, coded(err)
		}
		first, _ := a.place()
		id = vault.ID(vault.Numbered(string(first), n))
	}
}

// checked holds the arguments against what a page may be, and gives its place.
func (a createArgs) checked(k *Kernel) (vault.ID, error) {
	if title := strings.TrimSpace(a.Title); title != "" {
		if err := page.CheckTitle(title); err != nil {
			return "", err
		}
	}
	if err := page.CheckText("/content", a.Content); err != nil {
		return "", err
	}
	id, err := a.place()
	if err != nil {
		return "", err
	}
	return id, k.folder.CheckNew(id)
}

// place is where the page goes, as the arguments say.
func (a createArgs) place() (vault.ID, error) {
	switch {
	case a.Path != "":
		id, err := vault.ParseID(a.Path)
		if err == nil && vault.KindOf(a.Path) != vault.KindPage {
			err = tools.Errorf(tools.CodeInvalidArgs, textPlace).With("violations", []violation{
				{Path: "/path", Fault: "no page's path", Allowed: "a path that ends in .md"},
			})
		}
		return id, err
	case strings.TrimSpace(a.Title) != "":
		return vault.ParseID(vault.NameFor(a.Title))
	}
	return "", tools.Errorf(tools.CodeInvalidArgs, textPlace).With("violations", []violation{
		{Path: "/title", Fault: "missing", Allowed: "path or title"},
	})
}

// bytes are the new page's. A title that the content does not carry becomes its
// first heading, or where a heading cannot say it or the content has a
// frontmatter, its frontmatter's. Content whose own first heading says something
// else keeps it, with a warning.
func (a createArgs) bytes(lang tools.Lang, fileName string) ([]byte, []warning, error) {
	data := present(page.New(a.Content))
	title := strings.TrimSpace(a.Title)
	p := page.Parse(data)
	now, from := p.Title(fileName)
	switch {
	case title == "" || from != page.PlaceFileName && now == title:
		return data, nil, nil
	case p.Frontmatter().Format != page.FormatNone:
		e, err := p.TitleData(title)
		if err != nil {
			return nil, nil, err
		}
		return e.Page.Bytes(), nil, nil
	case from == page.PlaceHeading:
		return data, []warning{{Reason: "title_in_content", Message: textTitleInContent.In(lang)}}, nil
	}
	headed := page.New("# " + title + "\n\n" + a.Content)
	if got, _ := page.Parse(headed).Title(fileName); got == title {
		return headed, nil, nil
	}
	e, err := p.TitleData(title)
	if err != nil {
		return nil, nil, err
	}
	return e.Page.Bytes(), nil, nil
}

// createAt makes the change that puts bytes at a free place.
func (k *Kernel) createAt(tx *store.Tx, c *call, id vault.ID, after []byte) (*change, error) {
	if same, err := k.sameThere(tx, c, id, after); same != nil || err != nil {
		return same, err
	}
	disk, err := k.folder.Vacant(id)
	if err != nil {
		return nil, err
	}
	ch := &change{id: vault.ID(norm.NFC.String(disk)), disk: disk, after: after, source: store.SourceAgent}
	ch.key = string(ch.id)
	if tx != nil {
		if err := k.settle(tx, ch.key); err != nil {
			return nil, err
		}
		if ch.base, err = tx.See(ch.key, ""); err != nil {
			return nil, err
		}
	}
	p := page.Parse(after)
	title, _ := p.Title(path.Base(disk))
	ch.ops = []page.Op{{Op: "create", Blocks: len(p.Blocks())}}
	ch.more = extra{DocumentID: string(ch.id), Title: bounded(title, maxTitle), Created: ptr(true)}
	return ch, nil
}

// sameThere is the change of a page that is there already, byte for byte.
func (k *Kernel) sameThere(tx *store.Tx, c *call, id vault.ID, after []byte) (*change, error) {
	if tx == nil {
		return nil, nil
	}
	d, err := k.lockedOpen(tx, c, id)
	if e := tools.AsError(coded(err)); err != nil && e.Code == tools.CodeDocumentNotFound {
		return nil, nil
	}
	if err != nil || !bytes.Equal(d.file.Data, after) {
		return nil, err
	}
	ch := d.change(after)
	ch.ops = []page.Op{}
	ch.more = extra{DocumentID: string(d.id), Title: d.title(), Created: ptr(false)}
	return ch, nil
}
