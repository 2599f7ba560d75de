package localkernel

import (
	"context"
	"errors"
	"path"
	"time"
	"unicode/utf8"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/store"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
)

// document is one page as a call sees it: the file, the page in it, and what
// the state knows of it.
type document struct {
	// id is as the call names it.
	id   vault.ID
	file *vault.File
	page *page.Page
	// revision is 0 where there is no state to count in, or uncounted.
	revision int64
	// uncounted: the state cannot be used now, so the revision is not known.
	uncounted bool
}

// key is the document's name in the state: where links lead.
func (d *document) key() string { return string(d.file.ID) }

// title is the page's title, bounded.
func (d *document) title() string {
	title, _ := d.page.Title(path.Base(string(d.id)))
	return bounded(title, maxTitle)
}

// maxTitle bounds a title where it is shown; a page's first line may be a book.
const maxTitle = 300

// bounded cuts a text at a character and marks the cut.
func bounded(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit]) + "…"
}

// load reads a page from the folder; the state is not asked.
func (k *Kernel) load(c *call, id vault.ID) (*document, error) {
	if vault.KindOf(string(id)) != vault.KindPage {
		return nil, notFound()
	}
	file, err := k.folder.Read(id)
	if err != nil {
		return nil, coded(err)
	}
	if !c.access.reaches(file.ID) || vault.KindOf(string(file.ID)) != vault.KindPage {
		return nil, notFound()
	}
	return &document{id: id, file: file, page: k.recent.parse(file.Hash, file.Data)}, nil
}

// open reads the page that a call names, with its revision.
func (k *Kernel) open(ctx context.Context, c *call) (*document, error) {
	id, err := c.documentID()
	if err != nil {
		return nil, err
	}
	return k.openID(ctx, c, id)
}

// documentID gives the document that a call names.
func (c *call) documentID() (vault.ID, error) {
	if c.Document() == "" {
		return "", tools.Errorf(tools.CodeMissingContext, textNoDocumentID).With("missing", "documentId")
	}
	return vault.ParseID(c.Document())
}

func (k *Kernel) openID(ctx context.Context, c *call, id vault.ID) (*document, error) {
	if !c.access.reaches(id) {
		return nil, notFound()
	}
	d, err := k.loadKnown(c, id, func() bool { return k.wasThere(ctx, id) })
	if err == nil {
		return k.count(ctx, c, d)
	}
	if isNotFound(err) {
		k.noteGone(ctx, id)
	}
	return nil, err
}

// readPatience bounds how long a read waits for other processes' writes: its
// bytes are whole without, and only their revision is not known.
const readPatience = 2 * time.Second

// count finds a read page's revision. The state is written only where it knows
// the page otherwise, or a write to it was cut off; then the page is read again
// under the lock, so that bytes and revision belong together. Without a usable
// state, or one that another process keeps, a page can still be read.
func (k *Kernel) count(ctx context.Context, c *call, d *document) (*document, error) {
	if k.state == nil {
		return d, nil
	}
	k.stateReady()
	var known, open bool
	err := k.state.View(ctx, func(tx *store.Tx) error {
		seen, found, err := tx.Document(d.key())
		if err != nil {
			return err
		}
		if known = found && seen.Hash == d.file.Hash; known {
			d.revision = seen.Revision
		}
		open, err = tx.HasIntents(d.key())
		return err
	})
	if err == nil && (open || !known) {
		err = k.recount(ctx, c, d)
	}
	switch {
	case err == nil || known && isBusy(err): // the write under way has not touched these bytes
		return d, nil
	case !isBusy(err) && !k.readable(err):
		return nil, err
	}
	d.revision, d.uncounted = 0, true
	return d, nil
}

// recount settles what is open, reads the page again and notes what it holds.
func (k *Kernel) recount(ctx context.Context, c *call, d *document) error {
	ctx, cancel := context.WithTimeout(ctx, readPatience)
	defer cancel()
	var fresh *document
	err := k.alone(ctx, k.state.Update, func(tx *store.Tx) (err error) {
		fresh, err = k.lockedOpen(tx, c, d.id)
		return err
	})
	if err == nil {
		*d = *fresh
	}
	return err
}

// lockedOpen reads a page with its revision, under the state's write lock.
func (k *Kernel) lockedOpen(tx *store.Tx, c *call, id vault.ID) (*document, error) {
	d, err := k.loadKnown(c, id, func() bool { return wasThere(tx, id) })
	if err != nil {
		return nil, err
	}
	open, err := tx.HasIntents(d.key())
	if err != nil {
		return nil, err
	}
	if open {
		if err := k.settle(tx, d.key()); err != nil {
			return nil, err
		}
		if d, err = k.load(c, id); err != nil {
			return nil, err
		}
	}
	seen, err := k.see(tx, d)
	d.revision = seen.Revision
	return d, err
}

// alone runs f as the only writer among all processes. A coded error, and a
// fault of the folder, is f's word on the call: what f noted is kept all the
// same. Any other error undoes it.
func (k *Kernel) alone(ctx context.Context, run func(context.Context, func(*store.Tx) error) error, f func(*store.Tx) error) error {
	var refusal error
	err := run(ctx, func(tx *store.Tx) error {
		refusal = nil
		err := coded(f(tx))
		if _, isWord := errors.AsType[*tools.Error](err); isWord {
			refusal = err
			return nil
		}
		return err
	})
	if err != nil {
		return err
	}
	return refusal
}

// maxSeen is the largest page whose bytes are kept when somebody else changed
// it. What a write of ours replaces is always kept.
const maxSeen = 8 << 20

// see notes what a page holds now, and keeps its bytes for the history.
func (k *Kernel) see(tx *store.Tx, d *document) (store.Document, error) {
	seen, err := tx.See(d.key(), d.file.Hash)
	if err == nil && len(d.file.Data) <= maxSeen {
		_, err = tx.PutContent(d.file.Data)
	}
	return seen, err
}

// readable reports whether reading goes on without the state: where it is
// missing or damaged, but not where it is only busy.
func (k *Kernel) readable(err error) bool {
	if tools.AsError(err).Code != tools.CodeKernelUnavailable || isBusy(err) {
		return false
	}
	k.opts.Log.Warn().Err(err).Msg("a page is read without its revision: the state cannot be used")
	return true
}

func isBusy(err error) bool {
	e := tools.AsError(err)
	return err != nil && e.Code == tools.CodeKernelUnavailable && e.Details["reason"] == "busy"
}
