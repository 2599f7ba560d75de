package acp

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What npm's cmd-shim, pnpm and npm's own installer write, and what they do not.
const (
	// head is how npm's begin.
	shimHead = "@ECHO off\r\nGOTO start\r\n:find_dp0\r\nSET dp0=%~dp0\r\nEXIT /b\r\n:start\r\nSETLOCAL\r\nCALL :find_dp0\r\n\r\n"
	shimNode = shimHead + "IF EXIST \"%dp0%\\node.exe\" (\r\n  SET \"_prog=%dp0%\\node.exe\"\r\n) ELSE (\r\n  SET \"_prog=node\"\r\n  SET PATHEXT=%PATHEXT:;.JS;=;%\r\n)\r\n\r\n" +
		"endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & \"%_prog%\" "
	shimPnpm = "@SETLOCAL\n@IF NOT DEFINED NODE_PATH (\n  @SET \"NODE_PATH=C:\\x\\node_modules\"\n) ELSE (\n  @SET \"NODE_PATH=C:\\x\\node_modules;%NODE_PATH%\"\n)\n" +
		"@IF EXIST \"%~dp0\\node.exe\" (\n  \"%~dp0\\node.exe\"  \"%~dp0\\..\\a\\bin.mjs\" %*\n) ELSE (\n  @SET PATHEXT=%PATHEXT:;.JS;=;%\n  node  \"%~dp0\\..\\a\\bin.mjs\" %*\n)\n"
	shimNpx = "@ECHO OFF\nSETLOCAL\nSET \"NODE_EXE=%~dp0\\node.exe\"\nIF NOT EXIST \"%NODE_EXE%\" (\n  SET \"NODE_EXE=node\"\n)\n" +
		"SET \"NPX_CLI_JS=%~dp0\\node_modules\\npm\\bin\\npx-cli.js\"\nFOR /F \"delims=\" %%F IN ('CALL \"%NODE_EXE%\" \"%X%\"') DO (\n  SET \"PREFIX=%%F\\npx-cli.js\"\n)\n" +
		"IF EXIST \"%PREFIX%\" (\n  SET \"NPX_CLI_JS=%PREFIX%\"\n)\n\n\"%NODE_EXE%\" \"%NPX_CLI_JS%\" %*\n"
)

// fakeDisk is a Windows with these files, whose Path is C:/npm;C:/node.
func fakeDisk(files map[string]string) disk {
	exists := func(name string) bool { _, ok := files[name]; return ok }
	return disk{
		read: func(name string) ([]byte, error) {
			if !exists(name) {
				return nil, fs.ErrNotExist
			}
			return []byte(files[name]), nil
		},
		look: func(name string) (string, error) {
			dirs := []string{"C:/npm", "C:/node"}
			if strings.Contains(name, "/") {
				dirs = []string{""}
			}
			for _, dir := range dirs {
				for _, ext := range []string{"", ".com", ".exe", ".bat", ".cmd"} { // PATHEXT
					if found := path.Join(dir, name+ext); path.Ext(found) != "" && exists(found) {
						return found, nil
					}
				}
			}
			return "", errors.New("not found: " + name)
		},
	}
}

// TestUnshim: what is started for an agent's name on Windows. Whatever the
// arguments are, they reach the program word for word and no shell.
func TestUnshim(t *testing.T) {
	t.Parallel()
	hostile := []string{`"&calc.exe&"`, `%PATH%`, `a"^&whoami`, `\`, `--x="y z"`, "!v!", "line\nbreak", ""}
	const node = "C:/node/node.exe"
	for name, tt := range map[string]struct {
		shim   string // of C:/npm/agent.cmd
		others []string
		want   []string // without the arguments; nil for a refusal
	}{
		"npm":                  {shimNode + ` "%dp0%\node_modules\agent\bin\agent.js" %*` + "\r\n", nil, []string{node, "C:/npm/node_modules/agent/bin/agent.js"}},
		"npm, node beside":     {shimNode + ` "%dp0%\..\agent\cli.cjs" %*`, []string{"C:/npm/node.exe"}, []string{"C:/npm/node.exe", "C:/agent/cli.cjs"}},
		"npm, flags":           {shimNode + `--no-warnings "%dp0%\a.js" %*` + "\r\n", nil, []string{node, "--no-warnings", "C:/npm/a.js"}},
		"npm, a program":       {shimHead + `"%dp0%\node_modules\agent\agent.exe"   %*` + "\r\n", []string{"C:/npm/node_modules/agent/agent.exe"}, []string{"C:/npm/node_modules/agent/agent.exe"}},
		"a program gone":       {shimHead + `"%dp0%\node_modules\agent\agent.exe"   %*` + "\r\n", nil, nil},
		"pnpm":                 {shimPnpm, nil, []string{node, "C:/a/bin.mjs"}},
		"npx":                  {shimNpx, nil, []string{node, "C:/npm/node_modules/npm/bin/npx-cli.js"}},
		"python":               {strings.ReplaceAll(shimNode, "node", "python3") + ` "%dp0%\d.py" %*`, []string{"C:/node/python3.exe"}, []string{"C:/node/python3.exe", "C:/npm/d.py"}},
		"no node":              {strings.ReplaceAll(shimNode, "node", "bun") + ` "%dp0%\d.ts" %*`, nil, nil},
		"node is a batch":      {strings.ReplaceAll(shimNode, "node", "deno") + ` "%dp0%\d.ts" %*`, []string{"C:/npm/deno.cmd"}, nil},
		"a shell":              {`@cmd /c "%~dp0\x.bat" %*`, nil, nil},
		"a shell of npm's":     {strings.ReplaceAll(shimNode, "node", "sh") + ` "%dp0%\x.sh" %*`, []string{"C:/node/sh.exe"}, nil},
		"another folder's":     {`"C:\evil\node.exe" "%~dp0\x.js" %*`, nil, nil},
		"a pipe":               {`node "%~dp0\x.js" | more %*`, nil, nil},
		"an unknown name":      {`node "%SOMEWHERE%\x.js" %*`, nil, nil},
		"escapes":              {`node "%~dp0\x^y.js" %*`, nil, nil},
		"arguments elsewhere":  {`node %* "%~dp0\x.js"`, nil, nil},
		"a batch of one's own": {"@echo off\r\nagent.exe --config %1 %2\r\n", nil, nil},
		"empty":                {"", nil, nil},
		"only arguments":       {"%*", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"C:/npm/agent.cmd": tt.shim, node: ""}
			for _, other := range tt.others {
				files[other] = ""
			}
			d := fakeDisk(files)
			found, err := d.look("agent")
			if err != nil {
				t.Fatal(err)
			}
			program, argv, err := d.unshim(found, append([]string{"agent"}, hostile...))
			if (err != nil) != (tt.want == nil) {
				t.Fatalf("%q %q, %v", program, argv, err)
			}
			if err != nil {
				return
			}
			if diff := cmp.Diff(append(slices.Clone(tt.want), hostile...), argv); diff != "" || program != argv[0] || batch(program) {
				t.Errorf("%s is started; %s", program, diff)
			}
		})
	}
}

// What is no batch file is started as it is; what only looks like none is one.
func TestBatch(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"C:/x/agent.exe": false, "agent": false, "x.cmd.exe": false, "a.com": false,
		"a.CMD": true, "b.Bat": true, "c.bat.": true, "c.cmd. .": true, "d.bat ": true,
	} {
		if batch(name) != want {
			t.Errorf("batch(%q) is %v", name, !want)
		}
	}
	program, argv, err := fakeDisk(nil).unshim("C:/x/agent.exe", []string{"agent", "&"})
	if program != "C:/x/agent.exe" || !slices.Equal(argv, []string{"agent", "&"}) || err != nil {
		t.Error(program, argv, err)
	}
	if _, _, err := fakeDisk(nil).unshim("C:/x/agent.cmd", []string{"agent"}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that cannot be read: %v", err)
	}
}

// FuzzShimmed: whatever a batch file says, no word of what is run can mean
// something to a shell.
func FuzzShimmed(f *testing.F) {
	for _, text := range []string{shimNode + ` "%dp0%\a.js" %*`, shimPnpm, shimNpx, "node x %*"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		words, ok := shimmed(text)
		if ok == (len(words) == 0) {
			t.Fatalf("%q, %v", words, ok)
		}
		for _, word := range words {
			if strings.ContainsAny(strings.TrimPrefix(word, here), "%&|<>^\"\n") {
				t.Fatalf("%q of %q", word, text)
			}
		}
	})
}
