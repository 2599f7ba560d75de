package vault

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxLinks is how many links one path may go through.
const maxLinks = 40

// segment is one name on the way to a file. One that the caller spelled must be
// there exactly; one out of a link is taken as it stands.
type segment struct {
	name  string
	asked bool
}

// walk is the way from the root to a file, one segment at a time.
type walk struct {
	f     *Folder
	at    string // where we are: a path without links, "." at the root
	info  fs.FileInfo
	todo  []segment
	links int
}

// resolve finds the file or folder that an id leads to: its path on the disk,
// without links, and what it is. Ignored on the way, by the id or by where a
// link leads, is not found.
func (f *Folder) resolve(id ID) (rel string, info fs.FileInfo, err error) {
	w := &walk{f: f, at: "."}
	for name := range strings.SplitSeq(string(id), "/") {
		w.todo = append(w.todo, segment{name: name, asked: true})
	}
	for len(w.todo) > 0 {
		if err := w.step(); err != nil {
			return "", nil, f.fault(err)
		}
	}
	for _, p := range []string{string(id), w.at} {
		if hidden, err := f.ignored(p, w.info.IsDir()); err != nil {
			return "", nil, err
		} else if hidden {
			return "", nil, ErrNotFound
		}
	}
	return w.at, w.info, nil
}

// step goes one segment further.
func (w *walk) step() error {
	next := w.todo[0]
	w.todo = w.todo[1:]
	switch next.name {
	case "", ".":
		return nil
	case "..":
		return w.up()
	}
	name, info, err := w.look(next)
	if err != nil {
		return err
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return w.follow(name)
	case info.Mode()&fs.ModeIrregular != 0: // a mount point or junction
		return &Denied{Reason: "link"}
	case len(w.todo) > 0 && !info.IsDir():
		return ErrNotFound
	}
	w.at, w.info = path.Join(w.at, name), info
	return nil
}

// up goes to the parent folder, which only a link's own path may ask for.
func (w *walk) up() error {
	if w.at == "." {
		return &Denied{Reason: "link"}
	}
	w.at = path.Dir(w.at)
	info, err := w.f.root.Lstat(w.at)
	w.info = info
	return err
}

// follow puts a link's own path before what is still to walk.
func (w *walk) follow(name string) error {
	if w.links++; w.links > maxLinks {
		return &Denied{Reason: "link"}
	}
	target, err := w.f.root.Readlink(path.Join(w.at, name))
	if err != nil {
		return err
	}
	if filepath.IsAbs(target) {
		if target, err = w.f.below(target); err != nil {
			return err
		}
		w.at = "."
	}
	var way []segment
	for name := range strings.SplitSeq(filepath.ToSlash(target), "/") {
		way = append(way, segment{name: name})
	}
	w.todo = append(way, w.todo...)
	if w.info, err = w.f.root.Lstat(w.at); err != nil {
		return err
	}
	return nil
}

// below gives an absolute path as one from the root, where it is one.
func (f *Folder) below(abs string) (string, error) {
	for _, base := range []string{f.real, f.path} {
		if rel, err := filepath.Rel(base, abs); err == nil && filepath.IsLocal(rel) {
			return rel, nil
		}
	}
	return "", &Denied{Reason: "link"}
}

// look finds a segment in the folder where we are, by its exact name. A name
// that has other Unicode forms is looked for among all of the folder's: its twin
// would be another file.
func (w *walk) look(s segment) (string, fs.FileInfo, error) {
	if s.asked && norm.NFD.String(s.name) != s.name {
		return w.lookInForms(s.name)
	}
	info, err := w.f.root.Lstat(path.Join(w.at, s.name))
	switch {
	case err == nil && (!s.asked || w.exact(s.name, info)):
		return s.name, info, nil
	case err == nil:
		return "", nil, ErrNotFound
	case errors.Is(err, fs.ErrNotExist) && s.asked && !isASCII(s.name):
		return w.lookInForms(s.name)
	}
	return "", nil, err
}

// lookInForms finds the one name that is the asked one in some Unicode form.
func (w *walk) lookInForms(name string) (string, fs.FileInfo, error) {
	names, err := w.f.names(w.at)
	if err != nil {
		return "", nil, err
	}
	found := ""
	for _, n := range names {
		if norm.NFC.String(n) != name {
			continue
		}
		if found != "" {
			return "", nil, ErrTwins
		}
		found = n
	}
	if found == "" {
		return "", nil, ErrNotFound
	}
	info, err := w.f.root.Lstat(path.Join(w.at, found))
	return found, info, err
}

// exact reports whether a name that was found is spelled like that on the disk.
// A file system that folds case finds the same file under the name with every
// case turned; only then is the folder's list looked at.
func (w *walk) exact(name string, info fs.FileInfo) bool {
	turned := strings.Map(turnCase, name)
	if turned == name {
		return true
	}
	other, err := w.f.root.Lstat(path.Join(w.at, turned))
	if err != nil || !os.SameFile(info, other) {
		return true
	}
	names, err := w.f.names(w.at)
	if err != nil {
		return false
	}
	for _, n := range names {
		if norm.NFC.String(n) == name {
			return true
		}
	}
	return false
}

func turnCase(r rune) rune {
	if unicode.IsUpper(r) {
		return unicode.ToLower(r)
	}
	return unicode.ToUpper(r)
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}

func (f *Folder) names(dir string) ([]string, error) {
	d, err := f.root.Open(dir)
	if err != nil {
		return nil, err
	}
	defer closeFile(d)
	return d.Readdirnames(-1)
}
