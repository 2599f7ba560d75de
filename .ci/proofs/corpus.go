package proofs

import (
	"crypto/sha256"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// source is a file that no one here wrote.
type source struct {
	name string
	data []byte
}

// corpusRoots are the folders that corpus.sh names.
func corpusRoots(t testing.TB) []string {
	t.Helper()
	roots := filepath.SplitList(os.Getenv("MNOTE_CORPUS"))
	if len(roots) == 0 {
		t.Fatal("MNOTE_CORPUS is not set: run this through .ci/proofs.sh, which installs the corpora")
	}
	return roots
}

// editors is the folder whose node_modules holds tiptap.
func editors(t testing.TB) string { return filepath.Dir(corpusRoots(t)[0]) }

// corpus gives up to n different Markdown files, spread over the whole; all of
// them when n is 0.
func corpus(t testing.TB, n int) []source {
	t.Helper()
	var all []source
	seen := map[[32]byte]bool{}
	for _, root := range corpusRoots(t) {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || !strings.EqualFold(filepath.Ext(path), ".md") {
				return err
			}
			data, err := os.ReadFile(path)
			if sum := sha256.Sum256(data); err == nil && !seen[sum] {
				seen[sum] = true
				all = append(all, source{path, data})
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n == 0 || n >= len(all) {
		return all
	}
	some := make([]source, n)
	for i := range some {
		some[i] = all[i*len(all)/n]
	}
	return some
}
