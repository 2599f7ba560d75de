package vault

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/mnote-dev/mnote-host/plugin/internal/file"
)

const (
	markFolder = ".mnote"
	markFile   = ".mnote/workspace.json"
	recordFile = "workspace.json"
)

var workspaceForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ws_[a-z2-7]{16}$`) })

// mark is what .mnote/workspace.json holds: it goes where the folder goes.
type mark struct {
	ID string `json:"workspaceId"`
}

// record is what the state folder knows of a workspace.
type record struct {
	ID     string `json:"workspaceId"`
	Path   string `json:"path"`
	Device uint64 `json:"device"`
	Inode  uint64 `json:"inode"`
}

// WorkspaceID tells the workspace's id: ws_ and 16 of a-z2-7. It is made of the
// folder's path, device and inode, unless the folder brought one along: the same
// id at another path is a copy, and gets its own, while the old path still holds
// it, and a folder that was moved when it does not. It writes nothing.
func (f *Folder) WorkspaceID(stateDir string) (string, error) {
	own, err := f.ownRecord()
	if err != nil {
		return "", err
	}
	marked := f.readMark()
	if marked == "" || marked == own.ID {
		return own.ID, nil
	}
	if r, ok := readRecord(stateDir, own.ID); ok && r.Path == f.real {
		return own.ID, nil // it was found to be a copy before
	}
	if r, ok := readRecord(stateDir, marked); ok && f.copied(r) {
		return own.ID, nil
	}
	return marked, nil
}

// ownRecord makes the record that this folder has by itself.
func (f *Folder) ownRecord() (record, error) {
	d, err := f.root.Open(".")
	if err != nil {
		return record{}, f.fault(err)
	}
	defer closeFile(d)
	device, inode, err := identity(d)
	if err != nil {
		return record{}, &Storage{Cause: err}
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%d", f.real, device, inode))
	id := "ws_" + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10]))
	return record{ID: id, Path: f.real, Device: device, Inode: inode}, nil
}

// copied reports whether the folder of a record is still there, is not this
// one, and holds the record's id.
func (f *Folder) copied(r record) bool {
	if r.Path == f.real {
		return false
	}
	here, err := f.root.Stat(".")
	if err != nil {
		return false
	}
	there, err := os.Stat(r.Path)
	if err != nil || os.SameFile(here, there) {
		return false
	}
	data, err := os.ReadFile(filepath.Join(r.Path, filepath.FromSlash(markFile)))
	return err == nil && parseMark(data) == r.ID
}

func (f *Folder) readMark() string {
	data, err := f.root.ReadFile(markFile)
	if err != nil {
		return ""
	}
	return parseMark(data)
}

func parseMark(data []byte) string {
	var m mark
	if json.Unmarshal(data, &m) != nil || !workspaceForm().MatchString(m.ID) {
		return ""
	}
	return m.ID
}

func readRecord(stateDir, id string) (record, bool) {
	var r record
	if stateDir == "" {
		return r, false
	}
	data, err := os.ReadFile(filepath.Join(stateDir, id, recordFile))
	return r, err == nil && json.Unmarshal(data, &r) == nil && r.ID == id
}

// Remember writes into the state folder where the workspace is.
func (f *Folder) Remember(stateDir, id string) error {
	r, err := f.ownRecord()
	if err != nil {
		return err
	}
	r.ID = id
	if old, known := readRecord(stateDir, id); known && old == r {
		return nil
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	dir := filepath.Join(stateDir, id)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return file.Replace(filepath.Join(dir, recordFile), data, 0o600)
}

// Mark writes the id into the folder, with the first write to it.
func (f *Folder) Mark(id string) error {
	if f.readMark() == id {
		return nil
	}
	data, err := json.Marshal(mark{ID: id})
	if err != nil {
		return err
	}
	if err := f.root.Mkdir(markFolder, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return f.fault(err)
	}
	temp := markFile + "-" + strings.TrimPrefix(id, "ws_")
	if err := f.root.WriteFile(temp, append(data, '\n'), 0o666); err != nil {
		return f.fault(err)
	}
	return f.fault(f.root.Rename(temp, markFile))
}

// Remembered reports whether the state folder knows the workspace.
func (f *Folder) Remembered(stateDir, id string) bool {
	_, known := readRecord(stateDir, id)
	return known
}

// Marked reports whether the folder itself holds the id: something was written
// to it under that id before.
func (f *Folder) Marked(id string) bool { return f.readMark() == id }
