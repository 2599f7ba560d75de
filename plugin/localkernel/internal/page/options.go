package page

import (
	"bytes"

	"github.com/mnote-dev/mnote-host/tools"
)

// Options are the four switches of a page (seed 7-6).
type Options struct {
	WideLayout     bool `json:"wideLayout"`
	SmallText      bool `json:"smallText"`
	ShowToc        bool `json:"showToc"`
	ProtectEditing bool `json:"protectEditing"`
}

// OptionsPatch names the options to set; nil leaves one as it is.
type OptionsPatch struct {
	WideLayout     *bool `json:"wideLayout,omitempty"`
	SmallText      *bool `json:"smallText,omitempty"`
	ShowToc        *bool `json:"showToc,omitempty"`
	ProtectEditing *bool `json:"protectEditing,omitempty"`
}

// optionsKey is where the options stand in a frontmatter.
const optionsKey = "mnote"

// option ties an option's key to its places in Options and OptionsPatch.
type option struct {
	key   string
	value func(*Options) *bool
	wish  func(OptionsPatch) *bool
}

var options = []option{
	{"wideLayout", func(o *Options) *bool { return &o.WideLayout }, func(p OptionsPatch) *bool { return p.WideLayout }},
	{"smallText", func(o *Options) *bool { return &o.SmallText }, func(p OptionsPatch) *bool { return p.SmallText }},
	{"showToc", func(o *Options) *bool { return &o.ShowToc }, func(p OptionsPatch) *bool { return p.ShowToc }},
	{"protectEditing", func(o *Options) *bool { return &o.ProtectEditing }, func(p OptionsPatch) *bool { return p.ProtectEditing }},
}

// Options reads the options under mnote: in the frontmatter; an absent one is
// false. Where they cannot be read the error is mnote_tool_invalid_block with
// details.reason frontmatter_invalid, and ProtectEditing is still true if a
// line of the frontmatter says so: a guard must not fall to a typing error
// elsewhere.
func (p *Page) Options() (Options, error) {
	data, err := p.data()
	if err != nil {
		return Options{ProtectEditing: p.saysProtected()}, err
	}
	values, err := data.options()
	if err != nil {
		return Options{ProtectEditing: p.saysProtected()}, err
	}
	var o Options
	for _, opt := range options {
		*opt.value(&o) = values[opt.key]
	}
	return o, nil
}

// saysProtected looks for a line such as "protectEditing: true" by eye.
func (p *Page) saysProtected() bool {
	front := p.lay().front
	inner := toLF(p.src[front.From:front.To])
	for line := range bytes.Lines(inner) {
		_, after, ok := bytes.Cut(line, []byte("protectEditing"))
		after = bytes.TrimLeft(after, `"' :=`+"\t")
		if ok && len(after) > 0 && !bytes.HasPrefix(after, []byte("false")) && !bytes.HasPrefix(after, []byte("no")) &&
			!bytes.HasPrefix(after, []byte("off")) {
			return true
		}
	}
	return false
}

// SetOptions writes the options that the patch names and that are not so
// already, under mnote: in the frontmatter. Every other byte of it stays.
func (p *Page) SetOptions(patch OptionsPatch) (*Edit, error) {
	data, err := p.writableData()
	if err != nil {
		return nil, err
	}
	values, err := data.options()
	if err != nil {
		return nil, err
	}
	inner, changed := data.bytes(), false
	for _, opt := range options {
		wish := opt.wish(patch)
		if wish == nil || *wish == values[opt.key] {
			continue
		}
		if inner, err = data.setOption(opt.key, *wish, p.eol()); err != nil {
			return nil, err
		}
		if data, err = readData(p.dataFormat(), inner); err != nil {
			return nil, err
		}
		changed = true
	}
	if !changed {
		return &Edit{Page: p, Ops: []Op{{"update_options", 0}}}, nil
	}
	return p.withData(inner, "update_options")
}

func invalidData(cause error) *tools.Error {
	return refuse(tools.CodeInvalidBlock, reasonFrontmatter, tools.Text{
		ZH: "frontmatter 不是有效的 YAML/TOML（或者太长），不能读写其中的标题和选项；页面没有改动，请先改正它",
		EN: "the frontmatter is not valid YAML/TOML (or too long), so its title and options can be neither read nor written; nothing was changed, correct it first",
	}).Because(cause)
}

// wrongType refuses a value under the options' key that is valid YAML or TOML
// and none that the options can be read from.
func wrongType(member string, holds, needed tools.Text) *tools.Error {
	return refuse(tools.CodeInvalidBlock, reasonFrontmatterType, tools.Text{
		ZH: "frontmatter 有效，但其中 `%[1]s` 是%[2]s，需要%[3]s，所以页面选项不能读写；页面没有改动，请先改正它",
		EN: "the frontmatter is valid, but its member `%[1]s` holds %[4]s where %[5]s is needed, so the page's options can be neither read nor written; nothing was changed, correct it first",
	}, member, holds.ZH, needed.ZH, holds.EN, needed.EN)
}

var (
	typeObject = tools.Text{ZH: "对象", EN: "an object"}
	typeList   = tools.Text{ZH: "列表", EN: "a list"}
	typeText   = tools.Text{ZH: "文本", EN: "text"}
	typeNumber = tools.Text{ZH: "数字", EN: "a number"}
	typeBool   = tools.Text{ZH: "布尔值", EN: "a boolean"}
	typeOther  = tools.Text{ZH: "别的类型的值", EN: "a value of another type"}
)

func unsupportedData(what string) *tools.Error {
	return refuse(tools.CodeInvalidBlock, reasonFrontmatterForm, tools.Text{
		ZH: "frontmatter 有效，但这种写法（%s）不能只改一处；页面没有改动，请用编辑器修改",
		EN: "the frontmatter is valid, but this form (%s) cannot be changed in one place; nothing was changed, edit it in an editor",
	}, what)
}
