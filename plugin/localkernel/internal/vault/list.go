package vault

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

// Entry is one document or folder of a list.
type Entry struct {
	ID      ID
	Kind    Kind
	ModTime time.Time
	Size    int64
}

// Listing says what Walk visits.
type Listing struct {
	// Folder is where to start; "" is the root.
	Folder ID
	// Depth is how many levels of folders are entered; 0 is all of them.
	Depth int
	// After skips everything up to and with this id: the last one of the page
	// before.
	After ID
	// LeftOut, if set, is told the reason of each name that a document or folder
	// has and that no id can stand for: one of Denied's, or ReasonTwins.
	LeftOut func(reason string)
}

// ReasonTwins is the reason of names that differ in their Unicode form only.
const ReasonTwins = "ambiguous_name"

// Walk visits the documents and folders below a folder, sorted by name within
// each folder, a folder before what lies in it. It reads each folder once and
// no file. visit may return fs.SkipAll to end it, or fs.SkipDir at a folder.
func (f *Folder) Walk(l Listing, visit func(Entry) error) error {
	rel := "."
	if l.Folder != "" {
		found, info, err := f.resolve(l.Folder)
		if err != nil {
			return err
		}
		if !info.IsDir() {
			return ErrNotFound
		}
		rel = found
	}
	err := f.walk(rel, string(l.Folder), l, 1, visit)
	if errors.Is(err, fs.SkipAll) {
		return nil
	}
	return f.fault(err)
}

// walk visits one folder: rel on the disk, id as the caller knows it.
func (f *Folder) walk(rel, id string, l Listing, level int, visit func(Entry) error) error {
	candidates, err := f.candidates(rel, id, l.After)
	if err != nil {
		return err
	}
	for _, c := range candidates {
		if c.leftOut != "" {
			if l.LeftOut != nil {
				l.LeftOut(c.leftOut)
			}
			continue
		}
		e, enter, ok := f.entry(c)
		if !ok {
			continue
		}
		if order(e.ID) > order(l.After) {
			err := visit(e)
			if errors.Is(err, fs.SkipDir) { // a linked folder is not entered anyway
				continue
			}
			if err != nil {
				return err
			}
		}
		if !enter || l.Depth > 0 && level >= l.Depth {
			continue
		}
		err := f.walk(path.Join(rel, c.d.Name()), string(e.ID), l, level+1, visit)
		if err != nil && !errors.Is(f.fault(err), ErrNotFound) { // it went away meanwhile
			return err
		}
	}
	return nil
}

// candidate is a name of a folder that may be a document's; nothing but the
// folder was read for it. One that is left out has its reason, and its id is
// none.
type candidate struct {
	id      ID
	d       fs.DirEntry
	leftOut string
}

// candidates lists one folder, sorted, less what is ignored, no document, or
// wholly before after.
func (f *Folder) candidates(rel, id string, after ID) ([]candidate, error) {
	d, err := f.root.Open(rel)
	if err != nil {
		return nil, err
	}
	list, err := d.ReadDir(-1)
	closeFile(d)
	if err != nil {
		return nil, err
	}
	rules, err := f.ignoreRules()
	if err != nil {
		return nil, err
	}
	var out []candidate
	for _, d := range list {
		if hiddenName(d.Name()) || d.Type().IsRegular() && KindOf(d.Name()) == KindOther {
			continue
		}
		child, leftOut := ID(path.Join(id, norm.NFC.String(d.Name()))), ""
		if _, err := ParseID(string(child)); err != nil {
			leftOut = reasonOf(err)
		}
		if !skipped(child, after) && !rules.match(string(child), d.IsDir()) {
			out = append(out, candidate{child, d, leftOut})
		}
	}
	slices.SortFunc(out, func(a, b candidate) int { return strings.Compare(string(a.id), string(b.id)) }) // of one folder
	return withoutTwins(out), nil
}

func reasonOf(err error) string {
	denied, _ := errors.AsType[*Denied](err) // ParseID knows no other
	return denied.Reason
}

// withoutTwins leaves out the names that share an id.
func withoutTwins(sorted []candidate) []candidate {
	for i := 1; i < len(sorted); i++ {
		if a, b := &sorted[i-1], &sorted[i]; a.id == b.id && b.leftOut == "" {
			a.leftOut, b.leftOut = ReasonTwins, ReasonTwins
		}
	}
	return sorted
}

// order is what a walk is sorted by: bytes, with the slash before all others,
// so that what lies in a folder comes right behind it.
func order(id ID) string { return strings.ReplaceAll(string(id), "/", "\x00") }

// skipped reports whether an id and all below it come at or before after.
func skipped(id, after ID) bool {
	return order(id) <= order(after) && id != after && !strings.HasPrefix(string(after), string(id)+"/")
}

func hiddenName(name string) bool {
	return strings.HasPrefix(name, ".") || strings.EqualFold(name, "node_modules")
}

// entry makes one entry, and tells whether it is a folder to enter: a link is
// what it leads to, and a linked folder is not entered.
func (f *Folder) entry(c candidate) (e Entry, enter, ok bool) {
	info, err := c.d.Info()
	linked := c.d.Type()&fs.ModeSymlink != 0
	if linked {
		_, info, err = f.resolve(c.id)
	}
	if err != nil {
		return e, false, false
	}
	e = Entry{ID: c.id, Kind: KindFolder, ModTime: info.ModTime(), Size: info.Size()}
	if !info.IsDir() {
		e.Kind = KindOf(c.d.Name())
	}
	return e, info.IsDir() && !linked, info.IsDir() || info.Mode().IsRegular() && e.Kind != KindOther
}
