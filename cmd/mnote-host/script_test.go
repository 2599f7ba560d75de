package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the scripts run this very program as mnote-host, in a process
// of its own.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"mnote-host": main})
}

// TestScripts runs the command line as a person would, script by script: each
// has a home of its own and a copy of the sample notes.
func TestScripts(t *testing.T) {
	t.Parallel()
	notes, err := filepath.Abs(filepath.Join("..", "..", "testdata", "workspaces", "notes"))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:  filepath.Join("..", "..", "testdata", "scripts"),
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"capture": capture, "cmd-says": everyCommandSays},
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", filepath.Join(e.WorkDir, "home"))
			e.Setenv("NOTES", filepath.Join(e.WorkDir, "notes"))
			e.Setenv("LANG", "en_US.UTF-8")
			e.Setenv("DOLLAR", "$") // for a variable that nobody expands
			return os.CopyFS(filepath.Join(e.WorkDir, "notes"), os.DirFS(notes))
		},
	})
}

// capture NAME PATTERN sets a variable to what the pattern's group matched in
// the last command's output.
func capture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: capture NAME PATTERN")
	}
	pattern, err := regexp.Compile(args[1])
	ts.Check(err)
	found := pattern.FindStringSubmatch(ts.ReadFile("stdout"))
	if len(found) != 2 {
		ts.Fatalf("no match for %s", args[1])
	}
	ts.Setenv(args[0], found[1])
}

// everyCommandSays FOLDER PATTERN holds that each command which needs the notes
// fails for a folder with the same words.
func everyCommandSays(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: cmd-says FOLDER PATTERN")
	}
	says := regexp.MustCompile(args[1])
	for _, line := range [][]string{
		{"call", "mnote.page.get", "documentId=Welcome.md"}, {"undo", "some_command"}, {"tools"}, {"capabilities"},
		{"console", "--no-open"}, {"try"},
	} {
		if err := ts.Exec("mnote-host", append(line, "--workspace", args[0])...); err == nil {
			ts.Fatalf("%v succeeds", line)
		}
		if text := ts.ReadFile("stderr"); len(says.FindAllString(text, -1)) != 1 {
			ts.Fatalf("%v says %s", line, text)
		}
	}
}
