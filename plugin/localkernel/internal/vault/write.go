package vault

import (
	"errors"
	"io/fs"
	"os"
	"path"
)

// TempPrefix starts the name of every temp file. They are hidden, and ignored.
const TempPrefix = ".mnote-tmp-"

// Step is a place in a write where a crash leaves something to settle.
type Step string

// The steps of Apply, in order.
const (
	StepStart    Step = "start"    // nothing was done
	StepFolder   Step = "folder"   // a new document's folders are there, under the temp name
	StepTemp     Step = "temp"     // the temp file is there, empty
	StepHalf     Step = "half"     // half of its bytes are written
	StepWritten  Step = "written"  // all of them
	StepSynced   Step = "synced"   // and on the disk
	StepSwapped  Step = "swapped"  // the new bytes are in place
	StepChecked  Step = "checked"  // what came out was what was expected
	StepReturned Step = "returned" // it was not, and stands in place again
	StepDurable  Step = "durable"  // the folder is on the disk
	StepCleaned  Step = "cleaned"  // the temp file is gone
)

// Write is one change of one file, as an intent keeps it.
type Write struct {
	// Path is the file's path as spelled on the disk.
	Path string
	// Temp is the temp file's name, in the same folder; of a new document whose
	// folders are missing, the name that the first of them has until it is whole.
	Temp string
	// Before and After are content hashes; "" is no file.
	Before, After string
}

// spot is one file's folder behind a handle: what happens there cannot be led
// elsewhere by a link.
type spot struct {
	f    *Folder
	root *os.Root
	dir  *os.File
	name string
}

// spot opens the folder of a path on the disk.
func (f *Folder) spot(rel string) (*spot, error) { return f.within(f.root, rel) }

// within opens the folder of a path below a handle.
func (f *Folder) within(base *os.Root, rel string) (*spot, error) {
	root, err := base.OpenRoot(path.Dir(rel))
	if err != nil {
		return nil, err
	}
	dir, err := root.Open(".")
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &spot{f: f, root: root, dir: dir, name: path.Base(rel)}, nil
}

func (s *spot) close() {
	closeFile(s.dir)
	_ = s.root.Close() // a handle for reading names
}

func (f *Folder) hook(step Step) error {
	if f.config.Hook == nil {
		return nil
	}
	return f.config.Hook(step)
}

// Apply carries a write out. data is what After is the hash of. It returns nil
// when the file is the new bytes, durably; a *Changed when the file was not
// Before, and then it is what the other program made it; anything else when a
// step failed, and then Settle tells what is there. A crash at any instant
// leaves Before or After in place.
func (f *Folder) Apply(w Write, data []byte) error {
	if err := f.hook(StepStart); err != nil {
		return f.fault(err)
	}
	if w.Before == "" {
		return f.fault(f.create(w, data))
	}
	return f.fault(f.applyIn(w, data))
}

// applyIn carries a write out in its folder, which is there.
func (f *Folder) applyIn(w Write, data []byte) error {
	s, err := f.spot(w.Path)
	if err != nil {
		return err
	}
	defer s.close()
	switch {
	case w.After == "":
		return s.remove(w)
	case w.Before == "":
		return s.create(w, data)
	}
	return s.replace(w, data)
}

// writeTemp makes the temp file, whole and on the disk. old is the file it will
// replace, or nil.
func (s *spot) writeTemp(w Write, data []byte, old *os.File, mode fs.FileMode) (err error) {
	temp, err := s.root.OpenFile(w.Temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode.Perm()|0o200)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, temp.Close()) }()
	if err := s.f.hook(StepTemp); err != nil {
		return err
	}
	for _, part := range []struct {
		bytes []byte
		step  Step
	}{{data[:len(data)/2], StepHalf}, {data[len(data)/2:], StepWritten}} {
		if _, err := temp.Write(part.bytes); err != nil {
			return err
		}
		if err := s.f.hook(part.step); err != nil {
			return err
		}
	}
	if old != nil {
		if err := adopt(temp, old, mode); err != nil {
			return err
		}
	}
	if err := temp.Sync(); err != nil {
		return err
	}
	return s.f.hook(StepSynced)
}

// drop removes a name; one that is not there is fine.
func (s *spot) drop(name string) error {
	err := s.root.Remove(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// hashOf hashes a plain file of the spot; "" means there is none, "other" that
// the name is a link, a folder or a device.
func (s *spot) hashOf(name string) (string, error) {
	data, err := s.bytes(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case errors.Is(err, errNotPlain), errors.Is(err, ErrTooLarge):
		return "other", nil
	case err != nil:
		return "", err
	}
	return HashOf(data), nil
}

var errNotPlain = errors.New("no plain file")

// bytes reads a plain file of the spot.
func (s *spot) bytes(name string) ([]byte, error) {
	there, err := s.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !there.Mode().IsRegular() {
		return nil, errNotPlain
	}
	file, err := s.root.OpenFile(name, openFlags, 0)
	if err != nil {
		return nil, err
	}
	defer closeFile(file)
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !os.SameFile(there, info) {
		return nil, errNotPlain
	}
	return readAll(file, info.Size(), s.f.config.MaxBytes)
}
