package vault

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
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
func (f *Folder) Lookup(id ID) (ID, error) {
	rel, info, err := f.resolve(id)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", ErrNotFound
	}
	return ID(norm.NFC.String(rel)), nil
}

// Read reads a document.
func (f *Folder) Read(id ID) (*File, error) {
	rel, info, err := f.resolve(id)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, ErrNotFound
	}
	return f.readAt(rel, -1)
}

// Head reads at most the first limit bytes of a document, and tells whether
// they are all; the hash is of what was read.
func (f *Folder) Head(id ID, limit int64) (file *File, whole bool, err error) {
	rel, info, err := f.resolve(id)
	if err != nil {
		return nil, false, err
	}
	if !info.Mode().IsRegular() {
		return nil, false, ErrNotFound
	}
	file, err = f.readAt(rel, limit)
	return file, err == nil && info.Size() <= limit && int64(len(file.Data)) == info.Size(), err
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
	if !info.Mode().IsRegular() || !os.SameFile(info, there) {
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
