package localkernel

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"time"

	"golang.org/x/text/unicode/norm"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/store"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
)

// Bounds of a history; the size of a reply bounds it too.
const (
	defaultRevisions = 20
	maxRevisions     = 200
)

var (
	textNoRevision = tools.Text{
		ZH: "没有版本 %d；用 mnote.doc.history 查看可用的版本",
		EN: "there is no revision %d; mnote.doc.history shows what there is",
	}
	textNotKept = tools.Text{
		ZH: "版本 %d 的内容没有保存，不能恢复",
		EN: "the bytes of revision %d are not kept, so it cannot be restored",
	}
	textReplacesAlien = tools.Text{
		ZH: "页面现在不是 UTF-8。恢复会替换整个文件，不会混入两种编码；现在的字节留在历史里，撤销这次恢复可逐字节找回",
		EN: "the page is not UTF-8 now. A restore replaces the whole file, so that no encodings are mixed; the bytes of now stay in the history, and undoing the restore brings them back, every byte",
	}
	textRestoresAlien = tools.Text{
		ZH: "版本 %d 不是 UTF-8：恢复之后页面能读不能改，直到用编辑器存成 UTF-8，或者撤销这次恢复",
		EN: "revision %d is not UTF-8: restored, the page can be read and not edited until an editor saves it as UTF-8, or the restore is undone",
	}
)

// revisionLine is one line of a history.
type revisionLine struct {
	Revision    int64        `json:"revision"`
	ContentHash string       `json:"contentHash"`
	At          string       `json:"at"`
	Source      store.Source `json:"source"`
	ActorID     string       `json:"actorId,omitempty"`
	CommandID   string       `json:"commandId,omitempty"`
	Summary     string       `json:"summary"`
}

// historyArgs are doc.history's own arguments.
type historyArgs struct {
	Cursor string `json:"cursor"`
	Limit  int    `json:"limit"`
}

// historyResult is doc.history's result.
type historyResult struct {
	DocumentID string         `json:"documentId"`
	Revisions  []revisionLine `json:"revisions"`
	NextCursor string         `json:"nextCursor,omitempty"`
}

// docHistory lists a page's revisions, newest first; a page that was deleted
// has its history still.
func docHistory(ctx context.Context, k *Kernel, c *call) (any, error) {
	var a historyArgs
	if err := c.decode(&a); err != nil {
		return nil, err
	}
	if k.state == nil {
		return nil, noState()
	}
	key, err := k.historyKey(ctx, c)
	if err != nil {
		return nil, err
	}
	before, err := a.before(key)
	if err != nil {
		return nil, err
	}
	limit := defaultRevisions
	if a.Limit > 0 {
		limit = min(a.Limit, maxRevisions)
	}
	r := historyResult{DocumentID: c.Document(), Revisions: []revisionLine{}}
	err = k.state.View(ctx, func(tx *store.Tx) error {
		list, err := tx.Revisions(key, before, limit+1)
		r.fill(list, limit, key)
		return err
	})
	if err == nil && len(r.Revisions) == 0 && a.Cursor == "" {
		err = notFound()
	}
	return r, err
}

// fill takes as many of the revisions as the limit and a reply's size allow, and
// at least one.
func (r *historyResult) fill(list []store.Revision, limit int, key string) {
	room := maxReply
	for n, rev := range list {
		line := lineOf(rev)
		room -= jsonSize(line) + 1
		if n > 0 && (n >= limit || room < 0) {
			r.NextCursor = historyCursor(key, list[n-1].Revision)
			return
		}
		r.Revisions = append(r.Revisions, line)
	}
}

// maxWord bounds the words of a line that a caller chose.
const maxWord = 200

func lineOf(r store.Revision) revisionLine {
	return revisionLine{
		Revision: r.Revision, ContentHash: r.Hash, At: r.At.Format(time.RFC3339), Source: r.Source,
		ActorID: bounded(r.Actor, maxWord), CommandID: r.CommandID, Summary: bounded(summaryOf(r), maxWord),
	}
}

// A history's cursor is the last revision that its reader has seen.
const historyCursorMark = "h1"

func historyCursor(key string, last int64) string {
	return placeCursor(historyCursorMark, strconv.FormatInt(last, 10), key)
}

// before is the revision that a history goes on below: all of them without a
// cursor.
func (a historyArgs) before(key string) (n int64, err error) {
	if a.Cursor == "" {
		return math.MaxInt64, nil
	}
	_, err = readPlaceCursor(historyCursorMark, a.Cursor, key, func(place string) bool {
		n, err = strconv.ParseInt(place, 10, 64)
		return err == nil && n > 0
	})
	return n, err
}

func summaryOf(r store.Revision) string {
	switch {
	case r.Summary != "":
		return r.Summary
	case r.Hash == "":
		return "gone"
	}
	return "changed by another program"
}

// historyKey is the state's name of the page, which may be gone.
func (k *Kernel) historyKey(ctx context.Context, c *call) (string, error) {
	id, err := c.documentID()
	if err != nil {
		return "", err
	}
	d, err := k.openID(ctx, c, id)
	if err == nil {
		return d.key(), nil
	}
	if tools.AsError(err).Code != tools.CodeDocumentNotFound || vault.KindOf(string(id)) != vault.KindPage || !c.access.reaches(id) {
		return "", err
	}
	return string(id), nil
}

// restoreDoc brings a revision's bytes back; a page that is gone is made again.
// Like a replace it names the revision that it goes over, or a plan.
func restoreDoc(k *Kernel, tx *store.Tx, c *call) (*change, error) {
	var a struct {
		Revision int64 `json:"revision"`
	}
	if err := c.decode(&a); err != nil {
		return nil, err
	}
	if tx == nil {
		return nil, noState()
	}
	id, err := c.documentID()
	if err != nil {
		return nil, err
	}
	ch, err := k.changeOf(tx, c, id)
	if err != nil {
		return nil, err
	}
	if err := firstOf(c.expectsRevision(ch.base.Revision), c.needsRevision("restore", ch.base.Revision)); err != nil {
		return nil, err
	}
	if ch.after, err = bytesAt(tx, ch.key, a.Revision); err != nil {
		return nil, err
	}
	ch.source = store.SourceUndo
	old, restored := k.pages(ch)
	ch.ops = []page.Op{{Op: "restore", Blocks: len(restored.Blocks())}}
	ch.warnings = c.alienWarnings(old, restored, a.Revision)
	ch.more = extra{Restored: a.Revision}
	return ch, nil
}

// alienWarnings tells of bytes that are not UTF-8 on either side of a restore. It
// is made all the same: it is the way back from a page that something has
// damaged, it mixes nothing, and what it replaces is kept.
func (c *call) alienWarnings(old, restored *page.Page, revision int64) (list []warning) {
	if old.Unwritable() != nil {
		list = append(list, warning{Reason: "replaces_encoding", Message: textReplacesAlien.In(c.Lang)})
	}
	if restored.Unwritable() != nil {
		list = append(list, warning{Reason: "encoding", Message: fmt.Sprintf(textRestoresAlien.In(c.Lang), revision)})
	}
	return list
}

func bytesAt(tx *store.Tx, key string, revision int64) ([]byte, error) {
	r, found, err := tx.RevisionAt(key, revision)
	if err != nil {
		return nil, err
	}
	if !found || r.Hash == "" {
		return nil, tools.Errorf(tools.CodeInvalidArgs, textNoRevision, revision).With("violations", []violation{
			{Path: "/revision", Fault: "unknown revision", Allowed: "one of doc.history"},
		})
	}
	data, kept, err := tx.Content(r.Hash)
	if err == nil && !kept {
		err = tools.Errorf(tools.CodeConflict, textNotKept, revision).With("reason", "not_kept")
	}
	return present(data), err
}

// changeOf starts the change of a page that is there, or that the state knows
// to be gone.
func (k *Kernel) changeOf(tx *store.Tx, c *call, id vault.ID) (*change, error) {
	d, err := k.openIDForWrite(tx, c, id)
	if err == nil {
		return d.change(nil), nil
	}
	if tools.AsError(err).Code != tools.CodeDocumentNotFound || !c.access.reaches(id) || vault.KindOf(string(id)) != vault.KindPage {
		return nil, err
	}
	if _, known, stateErr := tx.Document(string(id)); stateErr != nil || !known {
		return nil, firstOf(stateErr, err)
	}
	if err := k.settle(tx, string(id)); err != nil {
		return nil, err
	}
	disk, err := k.folder.Vacant(id)
	if err != nil {
		return nil, coded(err)
	}
	ch := &change{id: id, key: norm.NFC.String(disk), disk: disk, source: store.SourceUndo}
	ch.base, err = tx.See(ch.key, "")
	return ch, err
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
