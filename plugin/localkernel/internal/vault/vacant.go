package vault

import (
	"cmp"
	"errors"
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Vacant finds the place for a new document: its folders as spelled on the
// disk, as far as they are there. ErrExists where something has the name,
// ErrIgnored where no document can be, or what has the name is ignored.
func (f *Folder) Vacant(id ID) (string, error) {
	if hidden, err := f.ignoredInAnyCase(string(id)); err != nil || hidden {
		return "", cmp.Or(err, ErrIgnored)
	}
	parent, name := path.Split(string(id))
	var missing []string
	for parent = strings.TrimSuffix(parent, "/"); parent != ""; {
		rel, info, err := f.resolve(ID(parent))
		if err == nil && !info.IsDir() {
			return "", ErrExists
		}
		if err == nil {
			return f.vacantIn(rel, missing, name)
		}
		if !errors.Is(err, ErrNotFound) {
			return "", err
		}
		missing = append([]string{path.Base(parent)}, missing...)
		if parent = path.Dir(parent); parent == "." {
			parent = ""
		}
	}
	return f.vacantIn(".", missing, name)
}

// vacantIn looks whether the first missing name is free in a folder; a name
// that differs in case or Unicode form only is not.
func (f *Folder) vacantIn(dir string, missing []string, name string) (string, error) {
	way := append(append([]string(nil), missing...), name)
	names, err := f.names(dir)
	if err != nil {
		return "", f.fault(err)
	}
	for _, n := range names {
		if strings.EqualFold(norm.NFC.String(n), way[0]) {
			return "", f.taken(path.Join(dir, n))
		}
	}
	return path.Join(append([]string{dir}, way...)...), nil
}

// taken says why a name that is there is no new document's. One that no reader
// is told of, ignored or a link to what is, is not told of here either.
func (f *Folder) taken(rel string) error {
	if _, _, err := f.resolve(ID(norm.NFC.String(rel))); errors.Is(err, ErrNotFound) {
		return ErrIgnored
	}
	return ErrExists
}
