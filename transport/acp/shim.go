package acp

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// unshim replaces the batch file that npm puts before a program on Windows by
// node and the program itself: a batch file is a tree of its own, whose child
// outlives it, and its arguments go through a shell. Others are started as they
// are.
func unshim(path string, argv []string) (string, []string, error) {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".cmd", ".bat":
	default:
		return path, argv, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", nil, err
	}
	script := shimmed(string(text))
	if script == "" {
		return "", nil, fmt.Errorf("%s is a batch file and not npm's: name the program that it starts instead", path)
	}
	dir := filepath.Dir(path)
	node := filepath.Join(dir, "node.exe")
	if _, err := os.Stat(node); err != nil {
		if node, err = exec.LookPath("node"); err != nil {
			return "", nil, fmt.Errorf("%s needs node: %w", path, err)
		}
	}
	return node, append([]string{node, filepath.Join(dir, filepath.FromSlash(script))}, argv[1:]...), nil
}

var shimForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)"%(?:~dp0|dp0%)[\\/]([^"%]+\.[cm]?js)"\s+%\*`)
})

// shimmed finds the script, relative to the batch file and with slashes, that
// one of npm's batch files runs.
func shimmed(text string) string {
	m := shimForm().FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return strings.ReplaceAll(m[1], `\`, "/")
}
