package schema

import (
	"errors"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/mnote-dev/mnote-host/tools"
)

// violations tells what a validator found, one by one.
func (s *shape) violations(err error) []violation {
	var found *jsonschema.ValidationError
	if !errors.As(err, &found) {
		return nil
	}
	return s.gather(found)
}

// gather walks down to the faults themselves. Where several forms were
// possible, it does not say how each of them was missed.
func (s *shape) gather(e *jsonschema.ValidationError) []violation {
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf, *kind.Not, *kind.Contains, *kind.PropertyNames:
	default:
		if len(e.Causes) > 0 {
			var all []violation
			for _, c := range e.Causes {
				all = append(all, s.gather(c)...)
			}
			return all
		}
	}
	return s.explain(e)
}

// explain says a fault in words. None of them repeats what was sent.
func (s *shape) explain(e *jsonschema.ValidationError) []violation {
	at := e.InstanceLocation
	schema := s.at(at)
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		return s.missing(at, k.Missing)
	case *kind.DependentRequired:
		return s.missing(at, k.Missing)
	case *kind.Dependency:
		return s.missing(at, k.Missing)
	case *kind.AdditionalProperties:
		var all []violation
		for _, name := range k.Properties {
			all = append(all, s.unknownAt(below(at, name), s.settle(schema).object("properties").names())...)
		}
		return all
	case *kind.Enum:
		return one(at, words("不在允许的值之内", "not one of the allowed values"), s.allowed(schema))
	case *kind.Const:
		return one(at, words("不是唯一允许的值", "not the only allowed value"), s.allowed(schema))
	case *kind.Type:
		got := typeWord(k.Got)
		if k.Got == "boolean" {
			got = words("布尔值", "a boolean")
		}
		return one(at, words("类型不对，给的是"+got.ZH, got.EN), s.allowed(schema))
	}
	return one(at, problemOf(e.ErrorKind), s.allowed(schema))
}

// problemOf says what a bound or a form found wrong.
func problemOf(k jsonschema.ErrorKind) tools.Text {
	switch k := k.(type) {
	case *kind.MinLength:
		return wordsf("太短（%d 个字符）", "too short (%d characters)", k.Got)
	case *kind.MaxLength:
		return wordsf("太长（%d 个字符）", "too long (%d characters)", k.Got)
	case *kind.MinItems:
		return wordsf("项目太少（%d 个）", "too few items (%d)", k.Got)
	case *kind.MaxItems:
		return wordsf("项目太多（%d 个）", "too many items (%d)", k.Got)
	case *kind.Minimum, *kind.ExclusiveMinimum:
		return words("太小", "too small")
	case *kind.Maximum, *kind.ExclusiveMaximum:
		return words("太大", "too large")
	case *kind.UniqueItems:
		return wordsf("第 %d 项和第 %d 项相同", "the same item twice (%d and %d)", k.Duplicates[0], k.Duplicates[1])
	case *kind.Pattern, *kind.Format:
		return words("格式不对", "not in the right form")
	case *kind.Not, *kind.FalseSchema:
		return words("这里不允许这个值", "not allowed here")
	case *kind.AnyOf, *kind.OneOf:
		return words("不是允许的任何一种形式", "none of the allowed forms")
	}
	word := strings.Join(k.KeywordPath(), "/")
	return words("不符合规则 "+word, "breaks the rule "+word)
}

func (s *shape) missing(at, names []string) []violation {
	var all []violation
	for _, name := range names {
		here := below(at, name)
		allowed := s.allowed(s.at(here))
		if allowed == otherValue {
			allowed = words("任意值", "any value")
		}
		all = append(all, one(here, words("缺少", "missing"), allowed)...)
	}
	return all
}

func one(at []string, problem, allowed tools.Text) []violation {
	return []violation{{path: pointer(at), problem: problem, allowed: allowed}}
}

// unknownAt is the violation of an argument that does not exist: it names the
// one that was likely meant, and what that takes.
func (s *shape) unknownAt(at, known []string) []violation {
	if len(known) == 0 {
		return one(at, unknown, words("没有参数", "no arguments"))
	}
	all := strings.Join(known[:min(len(known), 20)], ", ")
	near, ok := meant(at[len(at)-1], known)
	if !ok {
		return one(at, unknown, words("可用："+all, "known: "+all))
	}
	takes := s.allowed(s.at(below(at[:len(at)-1], near)))
	return one(at, unknown, tools.Text{
		ZH: "最接近的是 " + near + "（" + takes.ZH + "）；可用：" + all,
		EN: "the nearest is " + near + " (" + takes.EN + "); known: " + all,
	})
}

var unknown = words("未知参数", "unknown argument")

func below(at []string, step string) []string { return append(at[:len(at):len(at)], step) }

// at finds the schema of the value that a path leads to, as far as it says.
func (s *shape) at(path []string) any {
	if len(path) == 0 {
		o := &object{}
		o.set("type", "object")
		o.set("properties", s.args)
		return o
	}
	schema := s.argument(path[0])
	for _, step := range path[1:] {
		node := s.settle(schema)
		if props := node.object("properties"); props.has(step) {
			schema = props.member(step)
		} else {
			schema = node.member("items")
		}
	}
	return schema
}

// otherValue is all that can be said where the schema does not speak.
var otherValue = words("其他值", "another value")

// allowed says what a schema takes, down to the items of a list of lists.
func (s *shape) allowed(schema any) tools.Text { return s.allowedAt(schema, 0) }

func (s *shape) allowedAt(schema any, depth int) tools.Text {
	node := s.settle(schema)
	if node == nil || depth > 2 {
		return otherValue
	}
	if v, fixed := node.get("const"); fixed {
		return words(string(compact(v)), string(compact(v)))
	}
	if values := node.list("enum"); len(values) > 0 {
		return words("之一："+list(values), "one of "+list(values))
	}
	types := s.types(schema)
	if len(types) == 0 {
		types = s.types(node)
	}
	var forms tools.Text
	for i, t := range types {
		if i > 0 {
			forms.ZH, forms.EN = forms.ZH+"或", forms.EN+" or "
		}
		f := s.form(t, node, depth)
		forms.ZH, forms.EN = forms.ZH+f.ZH, forms.EN+f.EN
	}
	if forms.EN == "" {
		return otherValue
	}
	return forms
}

// form says what a type's value must look like.
func (s *shape) form(kind string, node *object, depth int) tools.Text {
	t := typeWord(kind)
	switch kind {
	case "object":
		members := s.membersOf(node, depth)
		t.ZH, t.EN = t.ZH+members.ZH, t.EN+members.EN
	case "array":
		if item := node.member("items"); item != nil {
			f := s.allowedAt(item, depth+1)
			t.ZH, t.EN = t.ZH+"，每项为"+f.ZH, t.EN+", each "+f.EN
		}
	}
	return bounded(t, node)
}

// membersOf lists an object's members in words, those that must be there with
// what they take.
func (s *shape) membersOf(node *object, depth int) tools.Text {
	const most = 12
	props := node.object("properties")
	var zh, en []string
	for _, name := range props.names()[:min(len(props.names()), most)] {
		if !slices.Contains(node.words("required"), name) {
			zh, en = append(zh, name), append(en, name)
			continue
		}
		takes := s.allowedAt(props.member(name), depth+1)
		zh, en = append(zh, name+"（必须，"+takes.ZH+"）"), append(en, name+" (required, "+takes.EN+")")
	}
	if zh == nil {
		return tools.Text{}
	}
	return tools.Text{ZH: " {" + strings.Join(zh, ", ") + "}", EN: " {" + strings.Join(en, ", ") + "}"}
}

// bounds are the keywords that limit a value, in words.
var bounds = []struct {
	keyword string
	text    tools.Text
}{
	{"minLength", words("，至少 %v 个字符", ", at least %v characters")},
	{"maxLength", words("，至多 %v 个字符", ", at most %v characters")},
	{"minimum", words("，至少 %v", ", at least %v")},
	{"maximum", words("，至多 %v", ", at most %v")},
	{"exclusiveMinimum", words("，大于 %v", ", above %v")},
	{"exclusiveMaximum", words("，小于 %v", ", below %v")},
	{"multipleOf", words("，是 %v 的倍数", ", a multiple of %v")},
	{"minItems", words("，至少 %v 项", ", at least %v items")},
	{"maxItems", words("，至多 %v 项", ", at most %v items")},
	{"pattern", words("，匹配 %v", ", matching %v")},
	{"format", words("，格式为 %v", ", in the form %v")},
}

func bounded(t tools.Text, node *object) tools.Text {
	for _, b := range bounds {
		switch v := node.member(b.keyword).(type) {
		case nil, *object, []any, bool:
		default:
			more := wordsf(b.text.ZH, b.text.EN, v)
			t.ZH, t.EN = t.ZH+more.ZH, t.EN+more.EN
		}
	}
	return t
}

func typeWord(kind string) tools.Text {
	switch kind {
	case "string":
		return words("字符串", "a string")
	case "boolean":
		return words("true 或 false", "true or false")
	case "integer":
		return words("整数", "an integer")
	case "number":
		return words("数字", "a number")
	case "array":
		return words("数组", "an array")
	case "object":
		return words("对象", "an object")
	}
	return words("null", "null")
}
