package vault

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestSaveInPlace: an editor that saves in place empties the file, fills it and
// closes it. Whatever it does between our look and our exchange stands.
func TestSaveInPlace(t *testing.T) {
	t.Parallel()
	const theirs = "what the person saved\n"
	t.Run("emptied before we look", func(t *testing.T) {
		t.Parallel()
		f, dir := folder(t, map[string]string{"a.md": before})
		path := filepath.Join(dir, "a.md")
		editor, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
		must(t, err)
		w := write("a.md")
		w.Before = HashOf(nil)
		var readOnly *ReadOnly
		if err := f.Apply(w, []byte(after)); !errors.As(err, &readOnly) || readOnly.Reason != "open_for_writing" {
			t.Errorf("Apply = %v while an editor has the file open for writing", err)
		}
		finishSave(t, editor, path, theirs)
		clean(t, dir)
	})
	for _, step := range []Step{StepTemp, StepSynced, StepSwapped} {
		t.Run("opened at "+string(step), func(t *testing.T) {
			t.Parallel()
			f, dir := folder(t, map[string]string{"a.md": before})
			path := filepath.Join(dir, "a.md")
			var editor *os.File
			f.config.Hook = func(now Step) error {
				if now != step || editor != nil {
					return nil
				}
				name := path
				if step == StepSwapped { // the old file has only this name by now
					name = filepath.Join(dir, TempPrefix+"t")
				}
				var err error
				editor, err = os.OpenFile(name, os.O_WRONLY|os.O_TRUNC, 0)
				return err
			}
			var changed *Changed
			if err := f.Apply(write("a.md"), []byte(after)); !errors.As(err, &changed) {
				t.Errorf("Apply = %v though an editor opened the file at %s", err, step)
			}
			finishSave(t, editor, path, theirs)
			clean(t, dir)
		})
	}
}

// finishSave writes the rest of a save and closes, as an editor does, and wants
// it to stand.
func finishSave(t *testing.T, editor *os.File, path, theirs string) {
	t.Helper()
	_, err := editor.WriteString(theirs)
	must(t, errors.Join(err, editor.Close()))
	if got := text(t, path); got != theirs {
		t.Errorf("the editor's save is gone: the file holds %q", got)
	}
}
