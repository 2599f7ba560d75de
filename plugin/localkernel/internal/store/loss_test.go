package store

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/tools"
)

// TestSwitchesLost: whatever happens to the file, what a person switched off is
// never taken to be on: in a process that had the file open, in one that comes
// later, and after a person said something anew.
func TestSwitchesLost(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(path string, good []byte) error{
		"deleted": func(path string, _ []byte) error {
			return firstOf(os.Remove(path), removeAll(path+"-wal", path+"-shm"))
		},
		"the name alone deleted": func(path string, _ []byte) error { return os.Remove(path) },
		"emptied":                func(path string, _ []byte) error { return os.Truncate(path, 0) },
		"emptied, and what belongs to it gone": func(path string, _ []byte) error {
			return firstOf(os.Truncate(path, 0), removeAll(path+"-wal", path+"-shm"))
		},
		"truncated": func(path string, good []byte) error {
			return firstOf(removeAll(path+"-wal", path+"-shm"), replaced(path, good[:5000]))
		},
		"garbage": func(path string, _ []byte) error {
			return firstOf(removeAll(path+"-wal", path+"-shm"), replaced(path, bytes.Repeat([]byte("no database "), 999)))
		},
		"a head with nothing behind": func(path string, good []byte) error {
			return firstOf(removeAll(path+"-wal", path+"-shm"), replaced(path, append(good[:100:100], make([]byte, len(good)-100)...)))
		},
		"a file of before": func(path string, _ []byte) error {
			old, err := os.ReadFile(path + ".before")
			return firstOf(err, removeAll(path+"-wal", path+"-shm"), replaced(path, old))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "switches.db")
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			once := func(do func(s *Switches) error) {
				t.Helper()
				s := NewSwitches(dir, Config{})
				must(do(s))
				must(s.Close()) // folds the -wal in
			}
			once(func(s *Switches) error { return s.SetPack(t.Context(), "chat", true) })
			before, err := os.ReadFile(path)
			must(firstOf(err, os.WriteFile(path+".before", before, 0o600)))
			once(func(s *Switches) error { return s.SetPack(t.Context(), "page", false) })
			good, err := os.ReadFile(path)
			must(err)

			running := NewSwitches(dir, Config{})
			t.Cleanup(func() { _ = running.Close() })
			if v, err := running.Load(t.Context(), "p"); err != nil || v.Lost || v.Packs["page"] {
				t.Fatalf("%+v, %v", v, err)
			}
			must(damage(path, good))
			later := NewSwitches(dir, Config{})
			t.Cleanup(func() { _ = later.Close() })
			for range 2 {
				for who, s := range map[string]*Switches{"later": later, "running": running} {
					v, err := s.Load(t.Context(), "p")
					if on, said := v.Packs["page"]; err != nil || !v.Lost && (on || !said) {
						t.Errorf("%s: %+v, %v", who, v, err)
					}
				}
			}
			if v, err := later.Load(t.Context(), "p"); err != nil || !v.Lost || len(v.Packs) != 0 || v.Generation < 2 {
				t.Errorf("later: %+v, %v", v, err)
			}

			must(later.SetPack(t.Context(), "chat", true))
			want := Switched{Generation: 3, Lost: true, Packs: map[string]bool{"chat": true}, ToolsOff: map[string]bool{}}
			for _, s := range []*Switches{later, running, NewSwitches(dir, Config{})} {
				v, err := s.Load(t.Context(), "p")
				must(err)
				if d := cmp.Diff(want, v); d != "" {
					t.Errorf("one thing said anew (-want +got):\n%s", d)
				}
			}
			must(running.Reset(t.Context()))
			want = Switched{Generation: 4, Packs: map[string]bool{}, ToolsOff: map[string]bool{}}
			for _, s := range []*Switches{later, running} {
				v, err := s.Load(t.Context(), "p")
				must(err)
				if d := cmp.Diff(want, v); d != "" {
					t.Errorf("reset (-want +got):\n%s", d)
				}
			}
		})
	}
}

// TestFirstSwitches: a folder where nothing was ever switched has lost nothing,
// and switches of a program that kept no count are taken as they are, and counted.
func TestFirstSwitches(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := NewSwitches(dir, Config{})
	t.Cleanup(func() { _ = s.Close() })
	if v, err := s.Load(t.Context(), "p"); err != nil || v.Lost {
		t.Errorf("%+v, %v", v, err)
	}
	if err := s.SetPack(t.Context(), "page", false); err != nil {
		t.Fatal(err)
	}
	for _, name := range (turns{dir}).places() {
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	old := NewSwitches(dir, Config{})
	t.Cleanup(func() { _ = old.Close() })
	if v, err := old.Load(t.Context(), "p"); err != nil || v.Lost || v.Packs["page"] {
		t.Errorf("%+v, %v", v, err)
	}
	if got := (turns{dir}).count(); got != 1 {
		t.Errorf("counted %d", got)
	}
	before := Stamp(dir)
	if err := s.SetPack(t.Context(), "page", true); err != nil {
		t.Fatal(err)
	}
	if Stamp(dir) == before {
		t.Error("a turn is not seen")
	}
}

func removeAll(names ...string) error {
	for _, name := range names {
		if err := os.RemoveAll(name); err != nil {
			return err
		}
	}
	return nil
}

// replaced puts another file in the place, as a restored or half copied one is.
func replaced(path string, data []byte) error {
	return firstOf(os.WriteFile(path+".new", data, 0o600), os.Rename(path+".new", path))
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// TestSwitchesUnread: of a file that is there and cannot be read nobody knows what
// is off; the text says so, and promises no reading.
func TestSwitchesUnread(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "switches.db"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := NewSwitches(dir, Config{})
	t.Cleanup(func() { _ = s.Close() })
	_, err := s.Load(t.Context(), "p")
	for _, err := range []error{err, s.SetPack(t.Context(), "page", true), s.Reset(t.Context())} {
		e, ok := errors.AsType[*tools.Error](err)
		if !ok || e.Code != tools.CodeKernelUnavailable || e.Details["reason"] != "no_state" ||
			!strings.Contains(e.In(tools.EN).Message, "every call is refused") || strings.Contains(e.In(tools.EN).Message, "reading still works") {
			t.Errorf("%v", err)
		}
	}
}
