package main

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// Bounds of the copy that try works on: a taste of a folder, however big.
const (
	mostPages = 200
	mostBytes = 20 << 20
)

// errEnough ends the walk once the copy is big enough.
var errEnough = errors.New("enough pages")

// copyNotes copies pages of a folder of notes, within bounds, and lists them. A
// name that is not UTF-8 is no page's, and is left out.
func copyNotes(from fs.FS, to string) (pages, left []string, err error) {
	var total int
	err = fs.WalkDir(from, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case !utf8.ValidString(name) && d != nil:
			left = append(left, name)
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.IsDir() || !d.Type().IsRegular() || strings.HasPrefix(d.Name(), ".") || path.Ext(name) != ".md":
			return nil
		}
		data, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		if total += len(data); total > mostBytes || len(pages) >= mostPages {
			return errEnough
		}
		pages = append(pages, name)
		return writeNote(filepath.Join(to, filepath.FromSlash(name)), data)
	})
	if err != nil && !errors.Is(err, errEnough) {
		return nil, left, fmt.Errorf("copy the notes: %w", err)
	}
	if len(pages) == 0 {
		return nil, left, errors.New("there is no Markdown page (.md) in that folder")
	}
	return pages, left, nil
}

func writeNote(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o600)
}

// hashes gives each page's content hash.
func hashes(from fs.FS, pages []string) (map[string][32]byte, error) {
	sums := map[string][32]byte{}
	for _, page := range pages {
		data, err := fs.ReadFile(from, page)
		if err != nil {
			return nil, fmt.Errorf("read the original %s: %w", page, err)
		}
		sums[page] = sha256.Sum256(data)
	}
	return sums, nil
}

// favourite picks the page to work on: a welcome page, else the first.
func favourite(pages []string) string {
	for _, page := range pages {
		if strings.EqualFold(path.Base(page), "Welcome.md") {
			return page
		}
	}
	return pages[0]
}
