package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/mnote-dev/mnote-host/"

// floors, lowest first. A package may import its own floor and the ones before
// it. testdata stands below all: it is data.
var floors = []string{"testdata", "skills", "tools", "capabilities", "plugin", "transport", "cmd"}

// source is one Go file of the module, with what it imports.
type source struct {
	path    string // from the module's root, with /
	dir     string
	test    bool
	imports []string
	file    *ast.File
}

// rule is one law of the house: broken names what an import breaks, or "".
type rule struct {
	name, why string
	broken    func(s source, imported string) bool
}

// only says that an import belongs to the given folders (and those below).
func only(what string, dirs ...string) func(source, string) bool {
	return func(s source, imported string) bool {
		return (imported == what || strings.HasPrefix(imported, what+"/")) && !slices.ContainsFunc(dirs, func(d string) bool { return within(s.dir, d) })
	}
}

func within(dir, parent string) bool { return dir == parent || strings.HasPrefix(dir, parent+"/") }

func isFace(dir string) bool { return within(dir, "transport/mcp") || within(dir, "transport/acp") }

// product limits a law to files that are not tests.
func product(broken func(source, string) bool) func(source, string) bool {
	return func(s source, imported string) bool { return !s.test && broken(s, imported) }
}

var rules = []rule{
	{"floors", "each folder may know the ones before it and none after it", func(s source, imported string) bool {
		to, ours := strings.CutPrefix(imported, module)
		return ours && floor(to) > floor(s.dir)
	}},
	{"no child", "a parent that imports its child can not be read without it", func(s source, imported string) bool {
		to, ours := strings.CutPrefix(imported, module)
		private := within(to, "plugin/internal") || within(to, "plugin/localkernel/internal")
		return ours && to != s.dir && within(to, s.dir) && !private && !s.test
	}},
	{"faces apart", "a face must be deletable without touching another, and none may talk to a kernel by itself", product(func(s source, imported string) bool {
		to, ours := strings.CutPrefix(imported, module)
		return isFace(s.dir) && (imported == "net/http" || ours && (within(to, "transport/kernel") || isFace(to) && !within(to, s.dir) && !within(s.dir, to)))
	})},
	{"who answers", "the host must not know which kernel answers", product(func(s source, imported string) bool {
		return imported == module+"plugin/localkernel" && !within(s.dir, "cmd")
	})},
	{"sql", "its pool and its watchers were most of what a write cost", only("database/sql")},
	{"sqlite", "every database of this program is opened the same way", only("modernc.org", "plugin/internal/sqlite")},
	{"jsonrpc2", "it carries only conversations that the host opens", only("github.com/sourcegraph/jsonrpc2", "transport/stdio", "transport/acp")},
	{"mcp-go", "MCP's words stay in MCP's face", only("github.com/mark3labs/mcp-go", "transport/mcp")},
	{"gjson", "tolerant reading of other people's JSON, never of a tool's arguments", only("github.com/tidwall/gjson", "capabilities", "transport/kernel", "transport/acp", "transport/mcp")},
	{"global logger", "loggers are made in cmd, on stderr, and passed down", only("github.com/rs/zerolog/log")},
	{"network", "only these speak to a network", product(only("net/http", "transport/kernel", "plugin/localkernel", "plugin/console", "cmd"))},
	{"template engine", "it calls methods by name, so the linker must keep every method of every type: 3 MB", product(func(_ source, imported string) bool {
		return imported == "text/template" || imported == "html/template"
	})},
	{"heavy inits", "each compiles schemas before main, a third of a start", product(func(_ source, imported string) bool {
		return imported == "github.com/mark3labs/mcp-go/server" || within(imported, "github.com/santhosh-tekuri/jsonschema")
	})},
	{"goldmark's extensions", "their patterns are compiled at every start", product(func(_ source, imported string) bool {
		return imported == "github.com/yuin/goldmark/extension" || imported == "github.com/yuin/goldmark"
	})},
}

func floor(dir string) int {
	top, _, _ := strings.Cut(dir, "/")
	return slices.Index(floors, top)
}

// TestLayout holds the import rules of the house (README, "How it is built").
func TestLayout(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if floor(s.dir) < 0 {
			t.Errorf("%s: its folder is none of %v", s.path, floors)
		}
		for _, imported := range s.imports {
			for _, r := range rules {
				if r.broken(s, imported) {
					t.Errorf("%s imports %s: breaks %q (%s)", s.path, imported, r.name, r.why)
				}
			}
		}
	}
}

// TestOneTakeOver: nobody but the stdio transport touches stdout, and nobody
// but cmd reads the environment; both come in as values.
func TestOneTakeOver(t *testing.T) {
	t.Parallel()
	owners := map[string]string{"Stdout": "transport/stdio", "Getenv": "cmd", "LookupEnv": "cmd", "Environ": "cmd"}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			sel, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if pkg, ok := sel.X.(*ast.Ident); ok && pkg.Name == "os" && owners[sel.Sel.Name] != "" && !within(s.dir, owners[sel.Sel.Name]) {
				t.Errorf("%s uses os.%s, which belongs to %s", s.path, sel.Sel.Name, owners[sel.Sel.Name])
			}
			return true
		})
	}
}

var toolString = regexp.MustCompile(`^mnote\.[a-z0-9_]+(\.[a-z0-9_]+)+$|^mnote_(page|doc|block|artifact|context|skill|mindmap|office|knowledge_rag|command)_[a-z_]+$`)

// TestNoToolNames: the host runs tools that it has never heard of, so their
// names are data.
func TestNoToolNames(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.test || within(s.dir, "capabilities") || within(s.dir, "plugin/localkernel") {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				if v, err := strconv.Unquote(lit.Value); err == nil && toolString.MatchString(v) {
					t.Errorf("%s names the tool %s in code", s.path, v)
				}
			}
			return true
		})
	}
}

// TestNoPatternAtStart: a pattern is compiled when it is first asked for, and not
// at every start of the process.
func TestNoPatternAtStart(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		for _, d := range s.file.Decls {
			vars, ok := d.(*ast.GenDecl)
			if !ok || vars.Tok != token.VAR {
				continue
			}
			ast.Inspect(vars, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "MustCompile" {
					t.Errorf("%s compiles a pattern at the start", s.path)
				}
				_, later := n.(*ast.FuncLit)
				return !later
			})
		}
	}
}

// TestTopLevel: the folders the person asked for, and no others.
func TestTopLevel(t *testing.T) {
	t.Parallel()
	allowed := []string{"cmd", "plugin", "transport", "tools", "capabilities", "skills", "testdata", "go.mod", "go.sum", "README.md"}
	entries, err := os.ReadDir(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(allowed, e.Name()) {
			t.Errorf("%s stands at the top level", e.Name())
		}
	}
}

// TestRulesCatch: a law that nothing can break is no law.
func TestRulesCatch(t *testing.T) {
	t.Parallel()
	tests := []struct{ rule, dir, imported string }{
		{"floors", "tools", module + "capabilities"},
		{"no child", "plugin", module + "plugin/clients"},
		{"faces apart", "transport/mcp", module + "transport/acp"},
		{"faces apart", "transport/acp", "net/http"},
		{"faces apart", "transport/mcp", module + "transport/kernel"},
		{"who answers", "transport/kernel", module + "plugin/localkernel"},
		{"sql", "plugin/internal/sqlite", "database/sql"},
		{"sqlite", "plugin/internal/ledger", "modernc.org/sqlite/lib"},
		{"jsonrpc2", "transport/mcp", "github.com/sourcegraph/jsonrpc2"},
		{"mcp-go", "plugin", "github.com/mark3labs/mcp-go/mcp"},
		{"gjson", "plugin", "github.com/tidwall/gjson"},
		{"global logger", "cmd/mnote-host", "github.com/rs/zerolog/log"},
		{"network", "plugin", "net/http"},
		{"template engine", "plugin/console", "html/template"},
		{"heavy inits", "transport/mcp", "github.com/mark3labs/mcp-go/server"},
		{"heavy inits", "tools/schema", "github.com/santhosh-tekuri/jsonschema/v6/kind"},
		{"goldmark's extensions", "plugin/localkernel/internal/page", "github.com/yuin/goldmark/extension"},
	}
	for _, tt := range tests {
		r := rules[slices.IndexFunc(rules, func(r rule) bool { return r.name == tt.rule })]
		if !r.broken(source{dir: tt.dir, path: tt.dir + "/x.go"}, tt.imported) {
			t.Errorf("%q lets %s import %s", tt.rule, tt.dir, tt.imported)
		}
	}
}

// sources parses every Go file of the module.
func sources(t *testing.T) []source {
	t.Helper()
	root := filepath.Join("..", "..")
	var all []source
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && strings.HasPrefix(d.Name(), ".") && d.Name() != ".." {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		s := source{path: filepath.ToSlash(rel), test: strings.HasSuffix(path, "_test.go"), file: file}
		s.dir = filepath.ToSlash(filepath.Dir(rel))
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			s.imports = append(s.imports, name)
		}
		all = append(all, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
