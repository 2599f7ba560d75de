package vault

import (
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
)

// TestIgnoreFileEncodings: a list that Windows saved in UTF-16 is read; what
// cannot be read as text hides everything, for it may list anything.
func TestIgnoreFileEncodings(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		file string
		err  error // of a page that the list names
		keep error // of one that it does not
	}{
		"UTF-8 with its mark": {"\ufeffprivate/\n", ErrNotFound, nil},
		"UTF-16LE":            {"\xff\xfe" + wide("private/\r\n", false), ErrNotFound, nil},
		"UTF-16BE":            {"\xfe\xff" + wide("private/\n", true), ErrNotFound, nil},
		"UTF-16LE, Chinese":   {"\xff\xfe" + wide("日记\nprivate/\n", false), ErrNotFound, nil},
		"UTF-16, no mark":     {wide("private/\n", false), ErrIgnoreFile, ErrIgnoreFile},
		"UTF-16, cut off":     {"\xff\xfe" + wide("private/", false) + "\n", ErrIgnoreFile, ErrIgnoreFile},
		"UTF-16, half a pair": {"\xff\xfe" + wide("private/\n", false) + "\x00\xd8", ErrIgnoreFile, ErrIgnoreFile},
		"UTF-32":              {"\xff\xfe\x00\x00p\x00\x00\x00", ErrIgnoreFile, ErrIgnoreFile},
		"GBK":                 {"\xc8\xd5\xbc\xc7/\nprivate/\n", ErrIgnoreFile, ErrIgnoreFile},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, _ := folder(t, map[string]string{"private/a.md": "p", "keep.md": "k", IgnoreFile: tc.file})
			if _, err := f.Read("private/a.md"); !errors.Is(err, tc.err) {
				t.Errorf("Read of what is listed = %v, want %v", err, tc.err)
			}
			if _, err := f.Read("keep.md"); !errors.Is(err, tc.keep) {
				t.Errorf("Read of what is not = %v, want %v", err, tc.keep)
			}
			seen := []ID{}
			err := f.Walk(Listing{}, func(e Entry) error { seen = append(seen, e.ID); return nil })
			if want := []ID{"keep.md"}; tc.keep == nil && !slices.Equal(seen, want) || tc.keep != nil && (len(seen) > 0 || !errors.Is(err, tc.keep)) {
				t.Errorf("listed %v, %v", seen, err)
			}
		})
	}
}

// wide is a text in UTF-16.
func wide(text string, big bool) string {
	var out []byte
	for _, u := range utf16.Encode([]rune(text)) {
		if big {
			out = binary.BigEndian.AppendUint16(out, u)
		} else {
			out = binary.LittleEndian.AppendUint16(out, u)
		}
	}
	return string(out)
}

const composed, apart = "caf\u00e9.md", "cafe\u0301.md"

// TestTwins: two names that differ in their Unicode form only are each refused
// by every spelling, and neither is listed; alone, each is found by every one.
func TestTwins(t *testing.T) {
	t.Parallel()
	for _, name := range []string{composed, apart} {
		f, _ := folder(t, map[string]string{name: name, "d/" + name: name, "x.md": "x"})
		for _, id := range []string{composed, "d/" + composed} {
			if got, err := f.Read(ID(id)); err != nil || string(got.Data) != name {
				t.Errorf("alone: %q reads %v, %v", id, got, err)
			}
		}
	}
	f, dir := folder(t, map[string]string{composed: "1", "z/" + composed + "/a.md": "2", "x.md": "x"})
	put(t, filepath.Join(dir, apart), "3")
	put(t, filepath.Join(dir, "z", apart, "b.md"), "4")
	if names, err := f.names("."); err != nil || !slices.Contains(names, composed) || !slices.Contains(names, apart) {
		return // this file system keeps one form only
	}
	for _, id := range []ID{composed, "z/" + composed, "z/" + composed + "/a.md", "z/" + composed + "/b.md"} {
		if _, err := f.Read(id); !errors.Is(err, ErrTwins) {
			t.Errorf("Read(%q) = %v", id, err)
		}
		if _, err := f.Vacant(id + ".md"); id != "z/"+composed && strings.HasPrefix(string(id), "z/") && !errors.Is(err, ErrTwins) {
			t.Errorf("Vacant(%q) = %v", id, err)
		}
	}
	var seen, left []string
	must(t, f.Walk(Listing{LeftOut: func(reason string) { left = append(left, reason) }}, func(e Entry) error {
		seen = append(seen, string(e.ID))
		return nil
	}))
	if d := cmp.Diff([]string{"x.md", "z"}, seen); d != "" {
		t.Errorf("listed (-want +got):\n%s", d)
	}
	if want := []string{ReasonTwins, ReasonTwins, ReasonTwins, ReasonTwins}; !slices.Equal(left, want) {
		t.Errorf("left out: %v", left)
	}
}

// TestWalkLeftOut: names that no id can stand for are told, each once however
// the walk is cut into pages.
func TestWalkLeftOut(t *testing.T) {
	t.Parallel()
	f, dir := folder(t, map[string]string{"a.md": "", "m.md": "", "z.md": "", "nul.txt": "", ".con.md": "", "hidden/nul.md": "", IgnoreFile: "hidden/\n"})
	want := map[string]int{}
	for name, reason := range map[string]string{"CON.md": "reserved", "nul.md": "reserved", `n\x.md`: "backslash", "n\nx.md": "control", "\xff.md": "encoding", "sub%2f.md": "percent"} {
		if os.WriteFile(filepath.Join(dir, name), nil, 0o644) == nil { // not every system has every name
			want[reason]++
		}
	}
	got, pages := map[string]int{}, 0
	for after := ID(""); ; pages++ {
		behind, last, n := map[string]int{}, ID(""), 0
		must(t, f.Walk(Listing{After: after, LeftOut: func(reason string) { behind[reason]++ }}, func(e Entry) error {
			if n++; n > 1 {
				return fs.SkipAll
			}
			for reason, c := range behind {
				got[reason] += c
			}
			clear(behind)
			last = e.ID
			return nil
		}))
		if n < 2 {
			for reason, c := range behind {
				got[reason] += c
			}
			break
		}
		after = last
	}
	if d := cmp.Diff(want, got); d != "" || pages != 2 {
		t.Errorf("%d pages (-want +got):\n%s", pages, d)
	}
}
