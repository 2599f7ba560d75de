package schema

import (
	"errors"
	"regexp"
	"slices"
	"testing"

	other "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// second is another library's opinion of a schema and a value: the judge is
// held against it. It finds all faults by itself.
type second struct{ schema *other.Schema }

func secondOpinion(doc any) (second, error) {
	c := other.NewCompiler()
	c.DefaultDraft(other.Draft2020)
	c.AssertFormat()
	c.UseLoader(refusing{})
	c.UseRegexpEngine(lenient)
	if err := c.AddResource("mnote:///schema", nullable(doc)); err != nil {
		return second{}, err
	}
	s, err := c.Compile("mnote:///schema")
	return second{s}, err
}

type refusing struct{}

func (refusing) Load(string) (any, error) { return nil, errors.New("another document") }

type anyText string

func (a anyText) String() string        { return string(a) }
func (anyText) MatchString(string) bool { return true }

func lenient(expr string) (other.Regexp, error) {
	if re, err := regexp.Compile(expr); err == nil {
		return re, nil
	}
	return anyText(expr), nil
}

// paths gives where a value breaks the schema, none if it fits.
func (s second) paths(v any) []string {
	found, ok := errors.AsType[*other.ValidationError](s.schema.Validate(v))
	if !ok {
		return nil
	}
	return sorted(leaves(found))
}

// somewhere is the place of a name that is not allowed: the library writes over
// the path that it gives.
const somewhere = "?"

func leaves(e *other.ValidationError) []string {
	var all []string
	at := e.InstanceLocation
	each := func(names []string) []string {
		for _, name := range names {
			all = append(all, pointer(below(at, name)))
		}
		return all
	}
	switch k := e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf, *kind.Not, *kind.Contains, *kind.MinContains, *kind.MaxContains:
		return []string{pointer(at)}
	case *kind.PropertyNames:
		return []string{somewhere}
	case *kind.Required:
		return each(k.Missing)
	case *kind.DependentRequired:
		return each(k.Missing)
	case *kind.Dependency:
		return each(k.Missing)
	case *kind.AdditionalProperties:
		return each(k.Properties)
	}
	if len(e.Causes) == 0 {
		return []string{pointer(at)}
	}
	for _, c := range e.Causes {
		all = append(all, leaves(c)...)
	}
	return all
}

// ours gives where the judge finds faults.
func ours(j *judge, v any) []string {
	var all []string
	for _, f := range j.faults(v) {
		if f.names == nil {
			all = append(all, pointer(f.at))
		}
		for _, name := range f.names {
			all = append(all, pointer(below(f.at, name)))
		}
	}
	return sorted(all)
}

func sorted(paths []string) []string {
	slices.Sort(paths)
	return slices.Compact(paths)
}

// tree reads JSON as calls and schemas are read.
func tree(tb testing.TB, text string) any {
	tb.Helper()
	v, err := decode([]byte(text), false, nil)
	if err != nil {
		tb.Fatalf("%s: %v", text, err)
	}
	return v
}

// agreement compares the two opinions of a schema text and values; it reports
// whether both could read the schema.
func agreement(t *testing.T, schema string, values ...string) bool {
	t.Helper()
	j, err := compile(func() any { return tree(t, schema) }, false)
	s, errOther := secondOpinion(tree(t, schema))
	if (err == nil) != (errOther == nil) {
		t.Errorf("%s\nthe judge says %v, the other %v", schema, err, errOther)
	}
	if err != nil || errOther != nil {
		return false
	}
	if err := j.fault(); err != nil {
		t.Errorf("%s\nthe library does not take it: %v", schema, err)
	}
	for _, v := range values {
		value := tree(t, v)
		got, want := ours(j, value), s.paths(value)
		if (got == nil) != (want == nil) {
			t.Errorf("%s\n%s\nthe judge finds faults at %q, the other at %q", schema, v, got, want)
		}
		if len(want) == 1 && want[0] != somewhere && !slices.Equal(got, want) {
			t.Errorf("%s\n%s\nthe judge finds the fault at %q, the other at %q", schema, v, got, want)
		}
		rules, shown, _ := j.shown(value)
		if j.simple.fits(value) && !rules.fit(shown) {
			t.Errorf("%s\n%s\nplainly fits, but not by the rules", schema, v)
		}
		if j.fits(value) != (got == nil) {
			t.Errorf("%s\n%s\na verdict without faults, or faults without a verdict: %q", schema, v, got)
		}
		if after := string(Canonical(value)); after != string(Canonical([]byte(v))) {
			t.Errorf("%s\n%s\nthe value was changed to %s", schema, v, after)
		}
	}
	return true
}
