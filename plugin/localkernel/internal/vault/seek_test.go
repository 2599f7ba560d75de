package vault

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// TestSavedByRename: an editor that saves by rename, as fast as it can, makes
// no look at the document miss it, and none sees half of a save.
func TestSavedByRename(t *testing.T) {
	t.Parallel()
	f, dir := folder(t, map[string]string{"d/季度.md": "save 0\n", "d/plain.md": "save 0\n"})
	stop := make(chan struct{})
	var saves sync.WaitGroup
	for _, name := range []string{"季度.md", "plain.md"} {
		path := filepath.Join(dir, "d", name)
		saves.Go(func() {
			for n := 1; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				temp := path + ".tmp"
				if os.WriteFile(temp, fmt.Appendf(nil, "save %d\n", n), 0o644) != nil || os.Rename(temp, path) != nil {
					return
				}
			}
		})
	}
	for range 4000 {
		for _, id := range []ID{"d/季度.md", "d/plain.md"} {
			file, err := f.Read(id)
			var n int
			if err == nil {
				_, err = fmt.Sscanf(string(file.Data), "save %d\n", &n)
			}
			if err != nil {
				t.Errorf("Read(%q): %v", id, err)
			}
			if _, err := f.Lookup(id); err != nil {
				t.Errorf("Lookup(%q): %v", id, err)
			}
			if _, _, err := f.Head(id, 4); err != nil {
				t.Errorf("Head(%q): %v", id, err)
			}
		}
		if t.Failed() {
			break
		}
	}
	close(stop)
	saves.Wait()
}
