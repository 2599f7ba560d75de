package localkernel

import (
	"context"
	"encoding/base64"
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/store"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
)

// Bounds of a list.
const (
	defaultEntries = 50
	maxEntries     = 200
	// headBytes is how much of a page is read for its title.
	headBytes = 64 << 10
)

var textCursor = tools.Text{
	ZH: "cursor 无效，或属于另一次列表；请用同一列表上一次回答里的 nextCursor，或不带 cursor 从头开始",
	EN: "the cursor is none of ours, or another list's; send the nextCursor of this list's last answer, or none to begin anew",
}

var textNoFolder = tools.Text{
	ZH: "没有这个文件夹，或者不在授权范围内；不带 folder 调用 mnote.doc.list 查看有哪些",
	EN: "no such folder, or it is outside what was granted; mnote.doc.list without folder shows what there is",
}

// noFolder is said alike of what does not exist, is no folder, or is outside the
// grant.
func noFolder() error {
	return tools.Errorf(tools.CodeDocumentNotFound, textNoFolder).With("reason", "folder")
}

// listArgs are doc.list's own arguments.
type listArgs struct {
	Folder string `json:"folder"`
	Depth  int    `json:"depth"`
	Cursor string `json:"cursor"`
	Limit  int    `json:"limit"`
}

// listEntry is one line of doc.list.
type listEntry struct {
	DocumentID string     `json:"documentId"`
	Title      string     `json:"title"`
	Kind       vault.Kind `json:"kind"`
	Revision   int64      `json:"revision,omitempty"`
	ModifiedAt string     `json:"modifiedAt"`
}

// listResult is doc.list's result.
type listResult struct {
	Entries    []listEntry `json:"entries"`
	NextCursor string      `json:"nextCursor,omitempty"`
	// Skipped tells of files and folders that no id can stand for, up to here.
	Skipped []skipped `json:"skipped,omitempty"`
}

// skipped is how many names a list leaves out for one reason. The names are not
// told: what is wrong with them may be made to harm whoever shows them.
type skipped struct {
	Reason  string `json:"reason"`
	Count   int    `json:"count"`
	Message string `json:"message"`
}

// skips counts what a list leaves out; what comes behind its last line belongs
// to the next part of the list.
type skips struct{ behind, counted map[string]int }

func newSkips() skips { return skips{map[string]int{}, map[string]int{}} }

func (s skips) count(reason string) { s.behind[reason]++ }

// passed: a line was listed, or the list is at its end.
func (s skips) passed() {
	for reason, n := range s.behind {
		s.counted[reason] += n
	}
	clear(s.behind)
}

func (s skips) list(lang tools.Lang) []skipped {
	var list []skipped
	for _, reason := range slices.Sorted(maps.Keys(s.counted)) {
		list = append(list, skipped{reason, s.counted[reason], reasonWord(reason).In(lang)})
	}
	return list
}

// docList lists what a folder holds, as far as the grant reaches.
func docList(ctx context.Context, k *Kernel, c *call) (any, error) {
	var a listArgs
	if err := c.decode(&a); err != nil {
		return nil, err
	}
	l, err := a.listing()
	if err != nil {
		return nil, err
	}
	if l.Folder != "" && !k.listable(c.access, l.Folder) {
		return nil, noFolder()
	}
	r := listResult{Entries: []listEntry{}}
	room, last, left := maxReply, vault.ID(""), newSkips()
	if !c.access.narrowed() { // what lies beside a grant is not even counted
		l.LeftOut = left.count
	}
	err = k.folder.Walk(l, func(e vault.Entry) error {
		if err := ctx.Err(); err != nil {
			return tools.Errorf(tools.CodeCancelled, textCancelled)
		}
		if enter := k.lists(c.access, e); enter != nil {
			return enter()
		}
		line := k.listLine(ctx, e)
		size := jsonSize(line) + 1
		if len(r.Entries) > 0 && (len(r.Entries) >= a.Limit || size > room) {
			r.NextCursor = listCursor(last)
			return fs.SkipAll
		}
		room -= size
		r.Entries, last = append(r.Entries, line), e.ID
		left.passed()
		return nil
	})
	if errors.Is(err, vault.ErrNotFound) {
		return nil, noFolder()
	}
	if r.NextCursor == "" {
		left.passed()
	}
	r.Skipped = left.list(c.Lang)
	return r, coded(err)
}

func (a *listArgs) listing() (vault.Listing, error) {
	l := vault.Listing{Depth: a.Depth}
	if a.Limit <= 0 {
		a.Limit = defaultEntries
	}
	a.Limit = min(a.Limit, maxEntries)
	if folder := strings.TrimSuffix(a.Folder, "/"); folder != "" && folder != "." {
		id, err := vault.ParseID(folder)
		if err != nil {
			return l, err
		}
		l.Folder = id
	}
	if a.Cursor != "" {
		after, err := readListCursor(a.Cursor)
		if err != nil || l.Folder != "" && !strings.HasPrefix(string(after), string(l.Folder)+"/") {
			return l, badCursor()
		}
		l.After = after
	}
	return l, nil
}

// A list's cursor is the id of its last line, which its reader has seen.
const listCursorMark = "l1."

func listCursor(last vault.ID) string {
	return listCursorMark + base64.RawURLEncoding.EncodeToString([]byte(last))
}

func readListCursor(cursor string) (vault.ID, error) {
	text, ok := strings.CutPrefix(cursor, listCursorMark)
	if !ok {
		return "", fs.ErrInvalid
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return "", err
	}
	return vault.ParseID(string(raw))
}

// listable reports whether the grant holds anything of a folder, and of where
// its links lead. Outside the grant nothing is looked at: whether there is a
// folder, a link or nothing makes no difference.
func (k *Kernel) listable(a access, folder vault.ID) bool {
	if !a.narrowed() {
		return true
	}
	if a.overlaps(folder) == apart {
		return false
	}
	real, err := k.folder.Target(folder)
	return err == nil && a.overlaps(real) != apart
}

// lists says what the walk does with an entry that is not shown; nil is that it
// is shown. A granted link to what is not granted is not granted.
func (k *Kernel) lists(a access, e vault.Entry) func() error {
	skip := func() error { return nil }
	switch {
	case !a.narrowed():
		return nil
	case e.Kind == vault.KindFolder && !k.listable(a, e.ID):
		return func() error { return fs.SkipDir }
	case e.Kind == vault.KindFolder && a.overlaps(e.ID) == above:
		return skip
	case e.Kind == vault.KindFolder:
		return nil
	}
	if !a.reaches(e.ID) {
		return skip
	}
	if real, err := k.folder.Lookup(e.ID); err != nil || !a.reaches(real) {
		return skip
	}
	return nil
}

// overlap is how a folder lies to a grant.
type overlap int

// The overlaps: none of the folder is granted; it leads to what is granted; it
// holds something that is.
const (
	apart overlap = iota
	above
	within
)

// overlaps places a folder. A folder that only leads to the granted one is not
// named: its name is none of the session's business.
func (a access) overlaps(folder vault.ID) overlap {
	switch {
	case a.nowhere:
		return apart
	case a.folder != "" && strings.HasPrefix(a.folder+"/", string(folder)+"/"):
		return above
	case a.folder != "" && !strings.HasPrefix(string(folder), a.folder+"/"):
		return apart
	case a.ids == nil:
		return within
	}
	for _, id := range a.ids {
		if strings.HasPrefix(id, string(folder)+"/") {
			return within
		}
	}
	return apart
}

// listLine is one entry with its title and, where it is known without reading a
// long file, its revision.
func (k *Kernel) listLine(ctx context.Context, e vault.Entry) listEntry {
	line := listEntry{
		DocumentID: string(e.ID), Title: path.Base(string(e.ID)), Kind: e.Kind, ModifiedAt: e.ModTime.UTC().Format(time.RFC3339),
	}
	if e.Kind != vault.KindPage {
		return line
	}
	head, whole, err := k.folder.Head(e.ID, headBytes)
	if err != nil {
		return line
	}
	title, _ := page.Parse(head.Data).Title(path.Base(string(e.ID)))
	line.Title = bounded(title, maxHeading)
	if !whole || k.state == nil {
		return line
	}
	k.stateReady()
	_ = k.state.View(ctx, func(tx *store.Tx) error { // without a state there is no revision to show
		d, found, err := tx.Document(string(head.ID))
		if found && d.Hash == head.Hash {
			line.Revision = d.Revision
		}
		return err
	})
	return line
}
