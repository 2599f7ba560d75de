package mcp_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"testing"
)

var rowName = regexp.MustCompile(`([LM])0?(\d+)`)

// TestEveryRowIsCovered: each row of the two checklists has a conversation or a
// test that is named after it.
func TestEveryRowIsCovered(t *testing.T) {
	t.Parallel()
	covered := map[string]bool{}
	conversations, err := filepath.Glob(sessions + "/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range conversations {
		note(covered, filepath.Base(file), regexp.MustCompile(`^[LM]\d+-`))
	}
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				note(covered, f.Name.Name, regexp.MustCompile(`^Test([LM]\d+)+`))
			}
		}
	}
	for letter, rows := range map[string]int{"L": 17, "M": 20} {
		for n := range rows {
			if row := fmt.Sprintf("%s%d", letter, n+1); !covered[row] {
				t.Errorf("no conversation or test is named after row %s", row)
			}
		}
	}
}

func note(covered map[string]bool, name string, form *regexp.Regexp) {
	for _, row := range rowName.FindAllStringSubmatch(form.FindString(name), -1) {
		covered[row[1]+row[2]] = true
	}
}
