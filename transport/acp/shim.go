package acp

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// disk is what of a system shows which program a batch file runs.
type disk struct {
	read func(path string) ([]byte, error)
	// look finds a program by its path, or by its name as the system does.
	look func(name string) (string, error)
}

// thisDisk is this system's own.
func thisDisk() disk { return disk{os.ReadFile, exec.LookPath} }

// unshim replaces the batch file that npm and its like put before a program on
// Windows by what it runs: node and a script, mostly. A batch file is a tree of
// its own, whose child outlives it, and it hands its arguments to a shell, for
// which no quoting is safe; so one that is not understood is refused and never
// run. What is no batch file is started as it is.
func (d disk) unshim(path string, argv []string) (string, []string, error) {
	if !batch(path) {
		return path, argv, nil
	}
	text, err := d.read(path)
	if err != nil {
		return "", nil, err
	}
	run, ok := shimmed(string(text))
	if !ok {
		return "", nil, fmt.Errorf("%s is a batch file of a kind that is not known: name the program that it starts instead", path)
	}
	dir := filepath.Dir(path)
	for i, word := range run[1:] {
		run[i+1] = beside(dir, word)
	}
	if run[0], err = d.program(dir, run[0]); err != nil {
		return "", nil, fmt.Errorf("%s: %w", path, err)
	}
	return run[0], append(run, argv[1:]...), nil
}

// batch reports whether Windows gives a file to its shell.
func batch(path string) bool {
	switch strings.ToLower(filepath.Ext(strings.TrimRight(path, ". "))) { // as Windows reads names
	case ".cmd", ".bat":
		return true
	}
	return false
}

// interpreters are the programs that batch files run scripts with. A shell is
// none of them: it would read the arguments anew.
var interpreters = []string{"node", "bun", "deno", "python", "python3"}

// program finds the program that a batch file in dir runs: the one beside it,
// else an interpreter where the system has it.
func (d disk) program(dir, word string) (string, error) {
	name := strings.TrimSuffix(strings.ToLower(last(word)), ".exe")
	if strings.HasPrefix(word, here) && strings.HasSuffix(strings.ToLower(word), ".exe") {
		found, err := d.look(beside(dir, word))
		if err == nil || !slices.Contains(interpreters, name) {
			return found, err
		}
	} else if !slices.Contains(interpreters, name) || word != last(word) {
		return "", fmt.Errorf("it starts %s, which is no program that may be started for it", word)
	}
	found, err := d.look(name)
	if err == nil && batch(found) {
		err = fmt.Errorf("%s is a batch file too", found)
	}
	return found, err
}

// here stands for the batch file's own folder at the beginning of a word.
const here = "%~dp0/"

// beside makes a word that begins in the batch file's folder a path.
func beside(dir, word string) string {
	if rest, ok := strings.CutPrefix(word, here); ok {
		return filepath.Join(dir, filepath.FromSlash(rest))
	}
	return word
}

// last is the last element of a word that is a path with slashes.
func last(word string) string { return word[strings.LastIndexByte(word, '/')+1:] }

var (
	setForm  = pattern(`(?im)^[ \t]*@?set[ \t]+"(\w+)=([^"%]*(?:%~?\w+%?[^"%]*)?)"[ \t]*\r?$`)
	lastLine = pattern(`(?m)^(.*\S)[ \t]+%\*[ \t]*\r?$`)
	wordForm = pattern(`"([^"]*)"|[^" \t]+`)
	nameForm = pattern(`%(\w+)%`)
	ownDir   = pattern(`(?i)^(?:%~dp0|%dp0%)[\\/]*`)
)

// pattern is compiled at its first use.
func pattern(form string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(form) })
}

// shimmed finds the words of the command that a batch file runs with its own
// arguments behind them; here stands for its folder, and slashes are what they
// should be. What is not understood to the last word is not ok.
func shimmed(text string) (words []string, ok bool) {
	lines := lastLine().FindAllStringSubmatch(text, -1)
	if len(lines) == 0 {
		return nil, false
	}
	set := map[string]string{}
	for _, m := range setForm().FindAllStringSubmatch(text, -1) {
		if name := strings.ToLower(m[1]); set[name] == "" {
			set[name] = m[2] // the first: those behind it stand in ifs
		}
	}
	for _, m := range wordForm().FindAllStringSubmatch(afterAmpersand(lines[len(lines)-1][1]), -1) {
		word := nameForm().ReplaceAllStringFunc(m[1]+plain(m), func(name string) string {
			if value, known := set[strings.ToLower(strings.Trim(name, "%"))]; known {
				return value
			}
			return name
		})
		if rest := ownDir().ReplaceAllString(word, ""); rest != word {
			word = here + strings.ReplaceAll(rest, `\`, "/")
		}
		if strings.ContainsAny(strings.TrimPrefix(word, here), "%!^|<>&\"\r\n") {
			return nil, false
		}
		words = append(words, word)
	}
	return words, len(words) > 0
}

// plain is a word without quotes, "" for one that has them.
func plain(m []string) string {
	if strings.HasPrefix(m[0], `"`) {
		return ""
	}
	return m[0]
}

// afterAmpersand is the last of the commands that stand on a line.
func afterAmpersand(line string) string {
	quoted, from := false, 0
	for i, c := range line {
		switch {
		case c == '"':
			quoted = !quoted
		case c == '&' && !quoted:
			from = i + 1
		}
	}
	return line[from:]
}
