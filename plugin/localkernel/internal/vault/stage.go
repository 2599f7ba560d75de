package vault

import (
	"errors"
	"io/fs"
	"path"
	"strings"
)

// maxStaged bounds how often a new document is begun again because somebody
// made one of its folders meanwhile.
const maxStaged = 20

// errFolderCame: somebody made the folder that we were about to give its place.
var errFolderCame = errors.New("the folder was made meanwhile")

// create makes a new document. One whose folders are missing gets its place
// together with them, in one step, so that a crash leaves no empty folder.
func (f *Folder) create(w Write, data []byte) error {
	for range maxStaged {
		parent, missing, err := f.missing(path.Dir(w.Path))
		if err != nil {
			return err
		}
		if len(missing) == 0 {
			return f.applyIn(w, data)
		}
		if err = f.createStaged(parent, missing, w, data); !errors.Is(err, errFolderCame) {
			return err
		}
	}
	return &Storage{Cause: errFolderCame}
}

// missing splits a folder's path into what is there and what is not.
func (f *Folder) missing(dir string) (parent string, names []string, err error) {
	parent, names = ".", strings.Split(dir, "/")
	if dir == "." {
		return parent, nil, nil
	}
	for len(names) > 0 {
		next := path.Join(parent, names[0])
		_, err := f.root.Lstat(next)
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return "", nil, err
		}
		parent, names = next, names[1:]
	}
	return parent, names, nil
}

// createStaged makes the missing folders and the document in them under the
// temp name, all of it on the disk, and then gives it its place.
func (f *Folder) createStaged(parent string, missing []string, w Write, data []byte) error {
	s, err := f.spot(path.Join(parent, missing[0]))
	if err != nil {
		return err
	}
	defer s.close()
	if err := s.root.Mkdir(w.Temp, 0o777); err != nil {
		return err
	}
	if err := s.stage(missing[1:], w, data); err != nil {
		return errors.Join(err, s.root.RemoveAll(w.Temp))
	}
	if err := moveFolder(s.dir, w.Temp, s.name); err != nil {
		if errors.Is(err, fs.ErrExist) {
			err = errFolderCame
		}
		return errors.Join(err, s.root.RemoveAll(w.Temp))
	}
	if err := s.f.hook(StepSwapped); err != nil {
		return err
	}
	return s.finish(w.Temp)
}

// stage fills the temp folder: the folders below it, and the document in the
// last of them.
func (s *spot) stage(below []string, w Write, data []byte) error {
	for n := range below {
		if err := s.root.Mkdir(path.Join(w.Temp, path.Join(below[:n+1]...)), 0o777); err != nil {
			return err
		}
	}
	if err := s.f.hook(StepFolder); err != nil {
		return err
	}
	for n := len(below); n >= 0; n-- {
		dir := path.Join(w.Temp, path.Join(below[:n]...))
		if err := s.stageIn(dir, w, data, n == len(below)); err != nil {
			return err
		}
	}
	return nil
}

// stageIn makes one folder of the stage durable; the last one gets the document
// before. Its handles are closed again: some systems move no folder that
// somebody holds.
func (s *spot) stageIn(dir string, w Write, data []byte, last bool) error {
	in, err := s.f.within(s.root, path.Join(dir, path.Base(w.Path)))
	if err != nil {
		return err
	}
	defer in.close()
	if last {
		if err := in.writeTemp(Write{Temp: in.name}, data, nil, 0o666); err != nil {
			return err
		}
	}
	return syncFolder(in.dir)
}

// unstage takes away what a cut-off creation left under its temp name, in
// whatever folder on the document's way it was.
func (f *Folder) unstage(w Write) error {
	parent, _, err := f.missing(path.Dir(w.Path))
	for err == nil {
		temp := path.Join(parent, w.Temp)
		if info, statErr := f.root.Lstat(temp); statErr == nil && info.IsDir() {
			err = f.root.RemoveAll(temp)
		}
		if parent == "." {
			break
		}
		parent = path.Dir(parent)
	}
	return err
}
