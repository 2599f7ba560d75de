package plugin

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/mnote-dev/mnote-host/plugin/internal/file"
)

// KeepManifest gives the two functions with which a Registry keeps the last
// good manifest in the state folder: manifests/<hash>.json, one for each kernel,
// workspace, profile and agent. With no state folder both are nil.
func KeepManifest(stateDir string, whose ...string) (load func() ([]byte, error), save func([]byte) error) {
	if stateDir == "" {
		return nil, nil
	}
	sum := sha256.Sum256([]byte(strings.Join(whose, "\x00")))
	folder := filepath.Join(stateDir, "manifests")
	name := filepath.Join(folder, hex.EncodeToString(sum[:16])+".json")
	load = func() ([]byte, error) { return os.ReadFile(name) }
	save = func(doc []byte) error {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return fmt.Errorf("keep the manifest: %w", err)
		}
		return file.Replace(name, doc, 0o600)
	}
	return load, save
}
