package vault

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// IgnoreFile lists, at the root, what is no document; it reads as a .gitignore
// does.
const IgnoreFile = ".mnoteignore"

// maxIgnoreFile is the longest ignore file that is read.
const maxIgnoreFile = 1 << 20

// rule is one line of an ignore file.
type rule struct {
	form    *regexp.Regexp
	negated bool
	dirOnly bool
}

// rules are an ignore file's lines in order; the last one that matches counts.
type rules []rule

// ignores keeps the parsed ignore file; parsing again costs more than reading.
type ignores struct {
	mu     sync.Mutex
	source string
	rules  rules
	// folded are the same rules for names in any case, once somebody asked.
	folded func() rules
}

// ignored reports whether a path below the root is no document's: hidden,
// node_modules, or listed. Where the list cannot be read nothing is a document.
func (f *Folder) ignored(rel string, dir bool) (bool, error) {
	for segment := range strings.SplitSeq(rel, "/") {
		if strings.HasPrefix(segment, ".") || strings.EqualFold(segment, "node_modules") {
			return true, nil
		}
	}
	list, err := f.ignoreRules()
	return list.match(rel, dir), err
}

// ignoredInAnyCase reports whether a document's path is ignored, or is listed in
// another case: on some disks that is the same file. Nobody has to look for that
// file, so that the answer does not tell whether it is there.
func (f *Folder) ignoredInAnyCase(rel string) (bool, error) {
	if hidden, err := f.ignored(rel, false); hidden || err != nil {
		return hidden, err
	}
	f.ignores.mu.Lock()
	folded := f.ignores.folded
	f.ignores.mu.Unlock()
	return folded != nil && folded().match(rel, false), nil
}

func (f *Folder) ignoreRules() (rules, error) {
	text, err := f.readIgnoreFile()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrIgnoreFile, err)
	}
	f.ignores.mu.Lock()
	defer f.ignores.mu.Unlock()
	if text != f.ignores.source {
		f.ignores.source, f.ignores.rules = text, parseRules(text, exactCase)
		f.ignores.folded = sync.OnceValue(func() rules { return parseRules(text, anyCase) })
	}
	return f.ignores.rules, nil
}

func (f *Folder) readIgnoreFile() (string, error) {
	file, err := f.root.OpenFile(IgnoreFile, openFlags, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	defer closeFile(file)
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > maxIgnoreFile {
		return "", errors.Join(err, errors.New(IgnoreFile+" is no file of at most 1 MiB"))
	}
	data, err := io.ReadAll(io.LimitReader(file, maxIgnoreFile))
	if err != nil {
		return "", err
	}
	return ignoreText(data)
}

// ignoreText reads UTF-8, and UTF-16 that says so, as Windows editors save it.
// What it cannot read may list anything, and is an error.
func ignoreText(data []byte) (string, error) {
	text := string(data)
	switch {
	case bytes.HasPrefix(data, []byte{0xff, 0xfe}):
		text = utf16Text(data[2:], binary.LittleEndian)
	case bytes.HasPrefix(data, []byte{0xfe, 0xff}):
		text = utf16Text(data[2:], binary.BigEndian)
	}
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return "", errors.New(IgnoreFile + " is neither UTF-8 nor UTF-16 with its mark")
	}
	return text, nil
}

// utf16Text decodes UTF-16; what is none becomes a byte that no text has.
func utf16Text(data []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	runes := utf16.Decode(units)
	if len(data)%2 != 0 || slices.Contains(runes, utf8.RuneError) {
		return "\xff"
	}
	return string(runes)
}

func closeFile(f *os.File) { _ = f.Close() } // it was only read

// match reports whether a path or a folder above it is listed. What lies in a
// listed folder cannot be taken out again, as in git.
func (l rules) match(rel string, dir bool) bool {
	if len(l) == 0 {
		return false
	}
	for i := 0; i < len(rel); i++ {
		if rel[i] == '/' && l.matchOne(rel[:i], true) {
			return true
		}
	}
	return l.matchOne(rel, dir)
}

func (l rules) matchOne(rel string, dir bool) bool {
	for _, r := range slices.Backward(l) {
		if (dir || !r.dirOnly) && r.form.MatchString(rel) {
			return !r.negated
		}
	}
	return false
}

// What the names of a file's rules match: as they are spelled, or in any case.
const (
	exactCase = "(?s)"
	anyCase   = "(?si)"
)

func parseRules(text, spelling string) rules {
	var list rules
	for line := range strings.SplitSeq(strings.TrimPrefix(text, "\ufeff"), "\n") {
		if r, ok := parseRule(strings.TrimSuffix(line, "\r"), spelling); ok {
			list = append(list, r)
		}
	}
	return list
}

func parseRule(line, spelling string) (rule, bool) {
	var r rule
	line = trimBlanks(line)
	if line == "" || line[0] == '#' {
		return r, false
	}
	if rest, ok := strings.CutPrefix(line, "!"); ok {
		line, r.negated = rest, true
	}
	if rest, ok := strings.CutSuffix(line, "/"); ok {
		line, r.dirOnly = rest, true
	}
	anchored := strings.Contains(line, "/")
	line = strings.TrimPrefix(line, "/")
	if line == "" {
		return r, false
	}
	head := `^(?:.*/)?`
	if anchored {
		head = `^`
	}
	form, err := regexp.Compile(spelling + head + translate(line) + `$`)
	if err != nil { // a broken class: git matches nothing with it either
		return r, false
	}
	r.form = form
	return r, true
}

// trimBlanks drops blanks at the end that no backslash keeps.
func trimBlanks(line string) string {
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	return line
}

// translate turns a glob into a regular expression.
func translate(glob string) string {
	var out strings.Builder
	for i := 0; i < len(glob); {
		n, expr := translateAt(glob, i)
		out.WriteString(expr)
		i += n
	}
	return out.String()
}

// translateAt translates what stands at i and says how many bytes that was.
func translateAt(glob string, i int) (int, string) {
	rest := glob[i:]
	atStart := i == 0 || glob[i-1] == '/'
	switch {
	case atStart && strings.HasPrefix(rest, "**/"):
		return 3, `(?:.*/)?`
	case atStart && rest == "**":
		return 2, `.+`
	case rest[0] == '*':
		return len(rest) - len(strings.TrimLeft(rest, "*")), `[^/]*`
	case rest[0] == '?':
		return 1, `[^/]`
	case rest[0] == '[':
		if end := strings.IndexByte(rest[min(2, len(rest)):], ']'); end >= 0 {
			return end + 3, class(rest[1 : end+2])
		}
	case rest[0] == '\\' && len(rest) > 1:
		return 2, regexp.QuoteMeta(rest[1:2])
	}
	return 1, regexp.QuoteMeta(rest[:1])
}

// class writes the inside of a glob's [...] as a regular expression's. It keeps
// its case: [A-Z] is written to tell the cases apart.
func class(inside string) string {
	sign := ""
	if inside[0] == '!' || inside[0] == '^' {
		sign, inside = "^/", inside[1:]
	}
	return "(?-i:[" + sign + strings.NewReplacer(`\`, `\\`, `[`, `\[`, `^`, `\^`).Replace(inside) + "])"
}
