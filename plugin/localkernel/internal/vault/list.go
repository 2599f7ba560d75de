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
}

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
// folder was read for it.
type candidate struct {
	id ID
	d  fs.DirEntry
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
		child, err := ParseID(path.Join(id, norm.NFC.String(d.Name())))
		if err == nil && !skipped(child, after) && !rules.match(string(child), d.IsDir()) {
			out = append(out, candidate{child, d})
		}
	}
	slices.SortFunc(out, func(a, b candidate) int { return strings.Compare(string(a.id), string(b.id)) }) // of one folder
	return out, nil
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
