package schema

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mnote-dev/mnote-host/tools"
)

// violations tells faults, one by one.
func (s *shape) violations(faults []fault) []violation {
	var all []violation
	for _, f := range faults {
		all = append(all, s.explain(f)...)
	}
	return all
}

// explain says a fault in words. None of them repeats what was sent.
func (s *shape) explain(f fault) []violation {
	schema := s.at(f.at)
	switch f.keyword {
	case "required", "dependentRequired":
		return s.missing(f.at, f.names)
	case "additionalProperties":
		var all []violation
		for _, name := range f.names {
			all = append(all, s.unknownAt(below(f.at, name), s.settle(schema).object("properties").names())...)
		}
		return all
	}
	return one(f.at, problemOf(f), s.allowed(schema))
}

// problemOf says what a keyword found wrong.
func problemOf(f fault) tools.Text {
	text, _ := f.value.(string)
	list, _ := f.value.([]any)
	switch f.keyword {
	case "enum":
		return words("不在允许的值之内", "not one of the allowed values")
	case "const":
		return words("不是唯一允许的值", "not the only allowed value")
	case "type":
		got := sentWord(f.value)
		return words("类型不对，给的是"+got.ZH, got.EN)
	case "minLength":
		return wordsf("太短（%d 个字符）", "too short (%d characters)", utf8.RuneCountInString(text))
	case "maxLength":
		return wordsf("太长（%d 个字符）", "too long (%d characters)", utf8.RuneCountInString(text))
	case "minItems":
		return wordsf("项目太少（%d 个）", "too few items (%d)", len(list))
	case "maxItems":
		return wordsf("项目太多（%d 个）", "too many items (%d)", len(list))
	case "minimum", "exclusiveMinimum":
		return words("太小", "too small")
	case "maximum", "exclusiveMaximum":
		return words("太大", "too large")
	case "uniqueItems":
		i, j := twins(list)
		return wordsf("第 %d 项和第 %d 项相同", "the same item twice (%d and %d)", i, j)
	case "pattern", "format":
		return words("格式不对", "not in the right form")
	case "not", "false":
		return words("这里不允许这个值", "not allowed here")
	case "anyOf", "oneOf":
		return words("不是允许的任何一种形式", "none of the allowed forms")
	case "":
		return words("不符合这里的规则", "breaks a rule here")
	}
	return words("不符合规则 "+f.keyword, "breaks the rule "+f.keyword)
}

// twins finds the first two equal items.
func twins(list []any) (int, int) {
	unique, err := (&jsonschema.Schema{UniqueItems: true}).Resolve(nil)
	if err != nil {
		return 0, 0
	}
	second := sort.Search(len(list), func(n int) bool { return unique.Validate(list[:n]) != nil }) - 1
	first := slices.IndexFunc(list, func(v any) bool { return jsonschema.Equal(v, list[max(second, 0)]) })
	return first, second
}

// sentWord names what was sent.
func sentWord(v any) tools.Text {
	switch v.(type) {
	case nil, string, []any, map[string]any:
		return typeWord(typeOf(v))
	case bool:
		return words("布尔值", "a boolean")
	}
	return typeWord("number")
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
