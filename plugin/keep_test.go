package plugin_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/mnote-dev/mnote-host/plugin"
)

func TestKeepManifestKeepsOneForEachKernel(t *testing.T) {
	t.Parallel()
	state := filepath.Join(t.TempDir(), "state")
	load, save := plugin.KeepManifest(state, "http://a", "", "default", "mcp")
	if _, err := load(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before the first save: %v", err)
	}
	if err := save([]byte(`{"ok":true}`)); err != nil {
		t.Fatal(err)
	}
	if doc, err := load(); err != nil || string(doc) != `{"ok":true}` {
		t.Errorf("load gave %q, %v", doc, err)
	}
	other, _ := plugin.KeepManifest(state, "http://a", "", "default", "hermes")
	if _, err := other(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("another agent read the same manifest: %v", err)
	}
	entries, err := os.ReadDir(filepath.Join(state, "manifests"))
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder holds %v, %v", entries, err)
	}
}

func TestKeepManifestWithoutStateKeepsNothing(t *testing.T) {
	t.Parallel()
	if load, save := plugin.KeepManifest("", "x"); load != nil || save != nil {
		t.Error("there is nowhere to keep it")
	}
}
