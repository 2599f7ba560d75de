package vault

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"time"

	"golang.org/x/text/unicode/norm"
)

// File is one file as it was read.
type File struct {
	// ID is where it lies: the asked id, or where that one's links lead.
	ID ID
	// Path is the same as spelled on the disk.
	Path    string
	Data    []byte
	Hash    string
	ModTime time.Time

	mode  fs.FileMode
	links uint64
}

// HashOf gives the content hash of bytes: sha256: and the hex digits.
func HashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Lookup finds where an id leads without reading the file.
func (f *Folder) Lookup(id ID) (found ID, err error) {
	err = f.seek(id, func(rel string, _ fs.FileInfo) error {
		found = ID(norm.NFC.String(rel))
		return nil
	})
	return found, err
}

// Target finds where an id leads, be it a file or a folder.
func (f *Folder) Target(id ID) (ID, error) {
	rel, _, err := f.resolve(id)
	return ID(norm.NFC.String(rel)), err
}

// Read reads a document.
func (f *Folder) Read(id ID) (file *File, err error) {
	err = f.seek(id, func(rel string, _ fs.FileInfo) error {
		file, err = f.readAt(rel, -1)
		return err
	})
	return file, err
}

// Head reads at most the first limit bytes of a document, and tells whether
// they are all; the hash is of what was read.
func (f *Folder) Head(id ID, limit int64) (file *File, whole bool, err error) {
	err = f.seek(id, func(rel string, info fs.FileInfo) error {
		file, err = f.readAt(rel, limit)
		whole = err == nil && info.Size() <= limit && int64(len(file.Data)) == info.Size()
		return err
	})
	return file, whole, err
}

// How often a document is looked for. An editor that saves by rename puts a new
// file in its place between two of our steps, and a folder that is listed in
// that instant may lack the name; neither means that there is no document.
const (
	maxLooks    = 3
	maxReplaced = 100
)

// errReplaced: another file took the place between the look and the open.
var errReplaced = errors.New("the file was replaced while it was opened")

// seek finds a plain file and does something with it, and looks again where it
// is not there or was replaced meanwhile.
func (f *Folder) seek(id ID, do func(rel string, info fs.FileInfo) error) error {
	for n := 1; ; n++ {
		rel, info, err := f.resolve(id)
		if err == nil && !info.Mode().IsRegular() {
			err = ErrNotFound
		}
		if err == nil {
			err = do(rel, info)
		}
		switch {
		case errors.Is(err, errReplaced) && n < maxReplaced, errors.Is(err, ErrNotFound) && n < maxLooks:
			continue
		case errors.Is(err, errReplaced):
			return &Storage{Cause: err}
		}
		return err
	}
}

// readAt reads a file by its path on the disk: all of it, or where limit is not
// negative its first bytes. What was opened must be what stands there: a link
// that took its place meanwhile would lead elsewhere.
func (f *Folder) readAt(rel string, limit int64) (*File, error) {
	file, err := f.root.OpenFile(rel, openFlags, 0)
	if err != nil {
		return nil, f.fault(err)
	}
	defer closeFile(file)
	there, err := f.root.Lstat(rel)
	if err != nil {
		return nil, f.fault(err)
	}
	info, err := file.Stat()
	if err != nil {
		return nil, f.fault(err)
	}
	if !os.SameFile(info, there) {
		return nil, errReplaced
	}
	if !info.Mode().IsRegular() {
		return nil, ErrNotFound
	}
	var data []byte
	if limit < 0 {
		data, err = readAll(file, info.Size(), f.config.MaxBytes)
	} else {
		data, err = io.ReadAll(io.LimitReader(file, limit))
	}
	if err != nil {
		return nil, f.fault(err)
	}
	return &File{
		ID: ID(norm.NFC.String(rel)), Path: rel, Data: data, Hash: HashOf(data), ModTime: info.ModTime(),
		mode: info.Mode(), links: linksOf(file),
	}, nil
}

func readAll(file *os.File, size, limit int64) ([]byte, error) {
	if size > limit {
		return nil, ErrTooLarge
	}
	data := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
	_, err := data.ReadFrom(io.LimitReader(file, limit+1))
	if err == nil && int64(data.Len()) > limit {
		err = ErrTooLarge
	}
	return data.Bytes(), err
}

// Writable reports a *ReadOnly where the file cannot be written: its mode, its
// folder or its volume say so, or it has a second name outside our sight.
func (f *Folder) Writable(file *File) error {
	if file.links > 1 {
		return &ReadOnly{Reason: "hard_link"}
	}
	if file.mode&0o222 == 0 {
		return &ReadOnly{Reason: "mode"}
	}
	s, err := f.spot(file.Path)
	if err != nil {
		return f.fault(err)
	}
	defer s.close()
	return f.fault(mayWrite(s.dir, path.Base(file.Path)))
}
