package localkernel

import (
	"path"
	"slices"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/store"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
)

var (
	textProtected = tools.Text{
		ZH: "页面开启了编辑保护（protectEditing），不能写入；只有用户同意后才能用 mnote.page.update_options 关闭它",
		EN: "the page is protected (protectEditing) and is not written; only with the person's yes can mnote.page.update_options clear that",
	}
	textRevision = tools.Text{
		ZH: "页面版本冲突：现在的 revision 是 %d；请重新读取后再决定",
		EN: "the page's revision is %d now; read it again, then decide again",
	}
	textNeedsRevision = tools.Text{
		ZH: "%s 需要 expectedRevision 或 planId；现在的 revision 是 %d",
		EN: "%s needs expectedRevision or planId; the revision is %d now",
	}
	textNotWired = tools.Text{
		ZH: "运行时还不支持选项 %s，没有写入",
		EN: "the runtime does not act on the option %s yet; nothing was written",
	}
)

// pageEdit says what a tool makes of a page: pure, from bytes to bytes.
type pageEdit func(k *Kernel, c *call, d *document) (*page.Edit, []warning, error)

// onPage turns a page edit into a tool: the page is opened under the lock and
// every guard of writing to it passes first.
func onPage(edit pageEdit) editTool {
	return func(k *Kernel, tx *store.Tx, c *call) (*change, error) {
		d, err := k.openForWrite(tx, c)
		if err != nil {
			return nil, err
		}
		if err := c.expects(d); err != nil {
			return nil, err
		}
		if err := d.page.Unwritable(); err != nil {
			return nil, err
		}
		e, warnings, err := edit(k, c, d)
		if err != nil {
			return nil, err
		}
		ch := d.change(present(e.Page.Bytes()))
		ch.new = k.recent.keep(hashOrNone(ch.after), e.Page)
		ch.ops, ch.warnings = e.Ops, append(warnings, warningsOf(e.Warnings, c.Lang)...)
		return ch, nil
	}
}

// change starts the change of a document to other bytes.
func (d *document) change(after []byte) *change {
	return &change{
		id: d.id, key: d.key(), disk: d.file.Path, before: present(d.file.Data), after: after, old: d.page, source: store.SourceAgent,
		base: store.Document{Path: d.key(), Revision: d.revision, Hash: d.file.Hash},
	}
}

func warningsOf(list []page.Warning, lang tools.Lang) []warning {
	var out []warning
	for _, w := range list {
		out = append(out, warning{Reason: w.Reason, Block: ptr(w.Block), Message: w.Text.In(lang)})
	}
	return out
}

// openForWrite opens the page that a write names and holds it against what may
// not be written: a protected page, and a file that is read-only or has a second
// name. Without a state (tx nil) it is read as it is.
func (k *Kernel) openForWrite(tx *store.Tx, c *call) (*document, error) {
	id, err := c.documentID()
	if err != nil {
		return nil, err
	}
	return k.openIDForWrite(tx, c, id)
}

func (k *Kernel) openIDForWrite(tx *store.Tx, c *call, id vault.ID) (d *document, err error) {
	if tx == nil {
		d, err = k.load(c, id)
	} else {
		d, err = k.lockedOpen(tx, c, id)
	}
	if err != nil {
		return nil, coded(err)
	}
	if err := protected(c, d); err != nil {
		return nil, err
	}
	return d, coded(k.folder.Writable(d.file))
}

// protected refuses a write to a protected page; the two ways out are the write
// that clears the protection and the undo of the one that set it, and the host
// asks a person before either.
func protected(c *call, d *document) error {
	if c.lifts {
		return nil
	}
	options, _ := d.page.Options() // even an unreadable frontmatter may say so
	if !options.ProtectEditing || string(c.args["options"]) != "" && clearsProtection(c) {
		return nil
	}
	return tools.Errorf(tools.CodePageProtected, textProtected)
}

func clearsProtection(c *call) bool {
	var a optionsArgs
	return c.decode(&a) == nil && a.Options.ProtectEditing != nil && !*a.Options.ProtectEditing
}

// expects holds a page's revision against the one that the call expects.
func (c *call) expects(d *document) error { return c.expectsRevision(d.revision) }

func (c *call) expectsRevision(now int64) error {
	var a struct {
		ExpectedRevision *int64 `json:"expectedRevision"`
	}
	if err := c.decode(&a); err != nil {
		return err
	}
	if a.ExpectedRevision == nil || *a.ExpectedRevision == now {
		return nil
	}
	return tools.Errorf(tools.CodeConflict, textRevision, now).With("reason", "revision").
		With("currentRevision", now).With("expectedRevision", *a.ExpectedRevision)
}

// needsRevision refuses a write over a whole page that names neither the
// revision it saw nor a plan: it would go over a save that nobody has seen.
func (c *call) needsRevision(what string, now int64) error {
	if _, named := c.args["expectedRevision"]; named || c.planID() != "" || c.DryRun {
		return nil
	}
	return tools.Errorf(tools.CodeConflict, textNeedsRevision, what, now).
		With("reason", "expected_revision_required").With("currentRevision", now)
}

// saveArgs are page.save's own arguments.
type saveArgs struct {
	Content []page.Content `json:"content"`
	Mode    page.Mode      `json:"mode"`
}

// savePage writes the body anew or adds to its end.
func savePage(_ *Kernel, c *call, d *document) (*page.Edit, []warning, error) {
	if err := readBlocks(c.args["content"]); err != nil {
		return nil, nil, err
	}
	var a saveArgs
	if err := c.decode(&a); err != nil {
		return nil, nil, err
	}
	if a.Mode == "" {
		a.Mode = page.ModeReplace
	}
	if a.Mode == page.ModeReplace {
		if err := c.needsRevision(string(a.Mode), d.revision); err != nil {
			return nil, nil, err
		}
	}
	e, err := d.page.Save(a.Content, a.Mode)
	return e, nil, err
}

// updateTitle writes the title where the page has it.
func updateTitle(_ *Kernel, c *call, d *document) (*page.Edit, []warning, error) {
	var a struct {
		Title string `json:"title"`
	}
	if err := c.decode(&a); err != nil {
		return nil, nil, err
	}
	e, err := d.page.SetTitle(a.Title, path.Base(string(d.id)))
	return e, nil, err
}

// optionsArgs are page.update_options' own arguments.
type optionsArgs struct {
	Options page.OptionsPatch `json:"options"`
}

// updateOptions writes the options that the call names. One that the runtime
// does not act on is a warning in a dry run and a refusal in a write (7-6).
func updateOptions(k *Kernel, c *call, d *document) (*page.Edit, []warning, error) {
	var a optionsArgs
	if err := c.decode(&a); err != nil {
		return nil, nil, err
	}
	named, err := strictMembers(c.args["options"], optionNames)
	if err != nil {
		return nil, nil, invalid("/options", saidOf(err), tools.Text{ZH: "含四个布尔值的对象", EN: "an object of four booleans"})
	}
	var warnings []warning
	for _, name := range optionNames {
		if _, is := named[name]; !is || !slices.Contains(k.opts.Unwired, name) {
			continue
		}
		if !c.DryRun {
			return nil, nil, tools.Errorf(tools.CodeNotWired, textNotWired, name).With("option", name)
		}
		warnings = append(warnings, warning{Reason: "not_wired", Option: name})
	}
	e, err := d.page.SetOptions(a.Options)
	return e, warnings, err
}
