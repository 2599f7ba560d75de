package vault

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxName is how long a made name gets, in bytes, without its extension.
const maxName = 180

// Untitled names a page whose title has nothing that a name can hold.
const Untitled = "untitled"

// NameFor makes a page's file name of its title. It is the title where it can
// be: every character that some system cannot hold in a name becomes a dash,
// no name is hidden or a device, none is too long.
func NameFor(title string) string {
	name := strings.Map(nameRune, norm.NFC.String(strings.ToValidUTF8(title, "-")))
	name = strings.TrimLeft(strings.Trim(strings.Join(strings.Fields(name), " "), ". "), "~. ")
	name = cut(name, maxName)
	if name == "" {
		return Untitled + ".md"
	}
	if isReserved(name) {
		name = "_" + name
	}
	if refusePercent(name) != "" {
		name = strings.ReplaceAll(name, "%", "-")
	}
	return name + ".md"
}

// Numbered gives the n-th name beside a taken one: note.md, note 2.md, …
func Numbered(name string, n int) string {
	ext := path.Ext(name)
	return fmt.Sprintf("%s %d%s", strings.TrimSuffix(name, ext), n, ext)
}

// nameRune keeps a character, replaces it, or drops it (-1).
func nameRune(r rune) rune {
	switch {
	case strings.ContainsRune(`/\:*?"<>|`, r):
		return '-'
	case unicode.IsSpace(r):
		return ' '
	case unicode.IsControl(r), r == 0xfeff, isBidi(r):
		return -1
	}
	return r
}

// isBidi reports a mark that turns the shown order of a text around.
func isBidi(r rune) bool { return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 }

// CheckNew refuses a new document's id where a name that is not there yet is one
// that people cannot see as it is or that programs take for something else. What
// is there with such a name is read and written all the same.
func (f *Folder) CheckNew(id ID) error {
	names := strings.Split(string(id), "/")
	for i, name := range names {
		reason := refuseNew(name)
		if reason == "" {
			continue
		}
		if _, err := f.Target(ID(strings.Join(names[:i+1], "/"))); err != nil {
			return &Denied{Reason: reason}
		}
	}
	return nil
}

func refuseNew(name string) string {
	switch {
	case strings.ContainsFunc(name, unicode.IsControl):
		return "control"
	case strings.ContainsFunc(name, isBidi):
		return "bidi"
	case strings.TrimSpace(name) != name:
		return "space"
	case strings.HasPrefix(name, "~"):
		return "tilde" // editors' and Office's temp files
	}
	return ""
}

// cut shortens a name at a character, and not behind a joiner.
func cut(name string, limit int) string {
	if len(name) <= limit {
		return name
	}
	for limit > 0 && !utf8.RuneStart(name[limit]) {
		limit--
	}
	return strings.TrimRight(name[:limit], ". \u200d")
}
