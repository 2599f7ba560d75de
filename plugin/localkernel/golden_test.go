package localkernel

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/mnote-dev/mnote-host/tools"
)

// examples reads the seed's examples by name.
func examples(tb testing.TB) map[string]map[string]any {
	tb.Helper()
	a, err := txtar.ParseFile("testdata/seed-7-6.txtar")
	if err != nil {
		tb.Fatal(err)
	}
	list := map[string]map[string]any{}
	for _, f := range a.Files {
		var v map[string]any
		if err := json.Unmarshal(f.Data, &v); err != nil {
			tb.Fatalf("%s: %v", f.Name, err)
		}
		list[f.Name] = v
	}
	return list
}

// equal are the members whose value is the seed's; of all others only the type.
var equal = []string{"ok", "toolName", "effect", "commandName", "code", "dryRun"}

// keeps reports what of an example is not in ours.
func keeps(path string, example, ours any) []string {
	if example == nil || slices.Contains(equal, path[strings.LastIndex(path, "/")+1:]) {
		if d := cmp.Diff(example, ours); d != "" {
			return []string{fmt.Sprintf("%s (-seed +ours):\n%s", path, d)}
		}
		return nil
	}
	if reflect.TypeOf(example) != reflect.TypeOf(ours) {
		return []string{fmt.Sprintf("%s is %T in the seed and %T in ours", path, example, ours)}
	}
	var faults []string
	switch e := example.(type) {
	case map[string]any:
		for name, value := range e {
			mine, is := ours.(map[string]any)[name]
			if !is {
				faults = append(faults, path+"/"+name+" is missing")
				continue
			}
			faults = append(faults, keeps(path+"/"+name, value, mine)...)
		}
	case []any:
		mine := ours.([]any)
		for i := range e {
			if i >= len(mine) {
				return append(faults, fmt.Sprintf("%s has %d of %d", path, len(mine), len(e)))
			}
			faults = append(faults, keeps(fmt.Sprintf("%s/%d", path, i), e[i], mine[i])...)
		}
	}
	return faults
}

// TestSeedExamples: each example of seed 7-6 is what this kernel answers.
func TestSeedExamples(t *testing.T) {
	t.Parallel()
	const id = "项目/计划.md"
	seed := examples(t)
	b := begin(t, map[string]string{id: "---\nmnote:\n  wideLayout: true\n---\n# 项目计划\n\n第一段...\n\n## 章节一\n"})
	get := func(change ...func(map[string]any)) answer { return b.call("mnote.page.get", id, nil, change...) }
	save := func(change ...func(map[string]any)) answer {
		return b.call("mnote.page.save", id, map[string]any{"content": paragraphs("一段"), "mode": "append"}, change...)
	}
	stale := with("args", map[string]any{"content": paragraphs("x"), "mode": "replace", "expectedRevision": 1})
	readOnly := with("accessScope", map[string]any{"permissionLevel": "read"})
	nothing := with("accessScope", map[string]any{"permissionLevel": "none"})
	title := func(change ...func(map[string]any)) answer {
		return b.call("mnote.page.update_title", id, map[string]any{"title": "新的题目"}, change...)
	}
	options := func(change ...func(map[string]any)) answer {
		return b.call("mnote.page.update_options", id, map[string]any{"options": map[string]any{"showToc": true}}, change...)
	}
	shaped := func(example, tool, command string) map[string]any {
		raw, _ := json.Marshal(seed[example])
		text := strings.NewReplacer("mnote.page.save", tool, "page.body.save", command).Replace(string(raw))
		var v map[string]any
		_ = json.Unmarshal([]byte(text), &v)
		return v
	}
	keyed := with("idempotencyKey", "one key")
	summary := func(text string) answer {
		return b.call("mnote.artifact.create_summary", id, map[string]any{"summary": text}, keyed)
	}
	first := summary("一")
	tests := []struct {
		name string
		seed map[string]any
		ours answer
	}{
		{"envelope ok", seed["envelope ok"], get()},
		{"envelope refused", seed["envelope refused"], save(readOnly)},
		{"page.get ok", seed["mnote.page.get ok"], get()},
		{"page.get refused", seed["mnote.page.get refused"], get(nothing)},
		{"page.save dry run", seed["mnote.page.save dry run"], save(dryRun)},
		{"page.save ok", seed["mnote.page.save ok"], save()},
		{"page.save denied", seed["mnote.page.save denied"], save(readOnly)},
		{"page.save conflict", seed["mnote.page.save conflict"], save(stale)},
		{"update_title dry run", shaped("mnote.page.save dry run", "mnote.page.update_title", ""), title(dryRun)},
		{"update_title ok", shaped("mnote.page.save ok", "mnote.page.update_title", "page.head.updateTitle"), title()},
		{"update_title denied", shaped("mnote.page.save denied", "mnote.page.update_title", ""), title(readOnly)},
		{"update_title conflict", shaped("mnote.page.save conflict", "mnote.page.update_title", ""), title(with("args", map[string]any{"title": "t", "expectedRevision": 1}))},
		{"update_options dry run", shaped("mnote.page.save dry run", "mnote.page.update_options", ""), options(dryRun)},
		{"update_options ok", shaped("mnote.page.save ok", "mnote.page.update_options", "page.layout.updateOptions"), options()},
		{"update_options denied", shaped("mnote.page.save denied", "mnote.page.update_options", ""), options(readOnly)},
		{"create_summary key used", seed["mnote.artifact.create_summary key used"], summary("二")},
	}
	if !first.OK {
		t.Fatalf("create_summary: %s", first.raw)
	}
	for _, tt := range tests {
		var ours map[string]any
		b.must(json.Unmarshal(tt.ours.raw, &ours))
		delete(tt.seed, "toolCallId") // given by the caller, and compared by send
		for _, fault := range keeps("", any(tt.seed), any(ours)) {
			t.Errorf("%s: %s\nours: %s", tt.name, fault, tt.ours.raw)
		}
	}
}

// TestSeedRequest: the request of 7-6 §2, as it stands, with our fixture's ids.
func TestSeedRequest(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"doc_1.md": "# x\n"})
	r := examples(t)["request"]
	r["workspaceId"], r["documentId"] = b.id, "doc_1.md"
	if a := b.send(r); !a.OK {
		t.Errorf("%s", a.raw)
	}
}

// TestSeedSchemas: all that a schema of 7-6 §4 says is said by ours.
func TestSeedSchemas(t *testing.T) {
	t.Parallel()
	for name, example := range examples(t) {
		tool, is := strings.CutSuffix(name, " schema")
		if !is {
			continue
		}
		var ours map[string]any
		if err := json.Unmarshal(ownCatalogue().byName[tools.Name(tool)].InputSchema, &ours); err != nil {
			t.Fatal(err)
		}
		for _, field := range example["required"].([]any) {
			if !slices.Contains(ours["required"].([]any), field) {
				t.Errorf("%s: %v is not required", tool, field)
			}
		}
		delete(example, "required")
		for _, fault := range says("", example, ours) {
			t.Errorf("%s: %s", tool, fault)
		}
	}
}

// says reports what an example schema says and ours does not.
func says(path string, example, ours map[string]any) []string {
	var faults []string
	for name, value := range example {
		inner, isObject := value.(map[string]any)
		mine, _ := ours[name].(map[string]any)
		if isObject && mine != nil {
			faults = append(faults, says(path+"/"+name, inner, mine)...)
		} else if d := cmp.Diff(value, ours[name]); d != "" {
			faults = append(faults, fmt.Sprintf("%s/%s (-seed +ours):\n%s", path, name, d))
		}
	}
	return faults
}

// TestCatalogue: every tool that can be called has exactly one implementation,
// every implementation has a line, and a planned tool says so.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "a\n"})
	for _, e := range ownCatalogue().tools {
		i, has := b.tools[e.Name]
		built := 0
		for _, is := range []bool{i.read != nil, i.edit != nil, i.node != nil, i.pick != nil} {
			if is {
				built++
			}
		}
		switch callable := e.Status == tools.StatusAvailable || e.Status == tools.StatusCompat; {
		case callable && built != 1:
			t.Errorf("%s is %s and has %d implementations", e.Name, e.Status, built)
		case callable && e.Writes() != (i.read == nil):
			t.Errorf("%s is a %s tool and implemented as the other kind", e.Name, e.Kind)
		case callable && e.Writes() && e.Command == "":
			t.Errorf("%s writes and names no command", e.Name)
		case e.Status == tools.StatusPlanned && !has:
			b.refused(tools.CodeNotFound, "", string(e.Name), "a.md", nil)
		}
	}
	for name := range b.tools {
		if ownCatalogue().byName[name] == nil {
			t.Errorf("%s is implemented and has no line in the manifest", name)
		}
	}
}
