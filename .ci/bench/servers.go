// Command bench measures mnote-host beside a hand-written loop and mcp-go's
// ServeStdio, all three in every round, with one kernel on loopback behind
// them, and prints the ratios. Its figures are for this machine at this moment.
package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// contender is one server under test.
type contender struct {
	name, binary string
	args         []string
	read, write  string // tools
	logs         bool   // says in its log what the ledger took
}

// build builds the three binaries, stripped: ours as a release is.
func build(dir, kernel string) ([]contender, error) {
	state := filepath.Join(dir, "state")
	all := []contender{
		{name: "loop", args: []string{kernel}, read: "page_get", write: "page_save"},
		{name: "mcp-go", args: []string{kernel}, read: "page_get", write: "page_save"},
		{name: "mnote-host", logs: true, read: "mnote_page_get", write: "mnote_page_save", args: []string{
			"mcp", "--kernel", kernel, "--workspace-id", "ws_1", "--state", state, "--max-result", "4000000", "--rate", "0", "--log", "off"}},
	}
	packages := map[string]string{"loop": "./raw", "mcp-go": "./mcpgo"}
	for i, c := range all {
		all[i].binary = filepath.Join(dir, c.name)
		cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", all[i].binary, packages[c.name])
		if packages[c.name] == "" {
			cmd = exec.Command("../build.sh", all[i].binary)
		}
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("build %s: %w\n%s", c.name, err, out)
		}
	}
	return all, nil
}
