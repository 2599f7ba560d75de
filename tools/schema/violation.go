package schema

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/mnote-dev/mnote-host/tools"
)

// Violation is one fault of a call's arguments, in details.violations: where,
// what is wrong, what is allowed. It never repeats what was sent.
type Violation struct {
	Path    string `json:"path"`
	Problem string `json:"problem"`
	Allowed string `json:"allowed"`
}

// violation is a Violation in each language.
type violation struct {
	path             string
	problem, allowed tools.Text
}

// shown is how many violations an error tells.
const shown = 8

// refuse makes the error for arguments that break the schema. Its message
// alone must let a model repair the call.
func refuse(all ...violation) *tools.Error {
	slices.SortStableFunc(all, func(a, b violation) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.problem.EN, b.problem.EN))
	})
	all = slices.Compact(all)
	more := len(all) - shown
	all = all[:min(len(all), shown)]
	var zh, en []string
	details := make([]Violation, len(all))
	for i, v := range all {
		zh, en = append(zh, v.in(tools.ZH)), append(en, v.in(tools.EN))
		details[i] = Violation{v.path, v.problem.EN, v.allowed.EN}
	}
	if more > 0 {
		zh, en = append(zh, fmt.Sprintf("另有 %d 处", more)), append(en, fmt.Sprintf("and %d more", more))
	}
	text := tools.Text{ZH: "参数不合要求：" + strings.Join(zh, "；"), EN: "the arguments do not fit: " + strings.Join(en, "; ")}
	return tools.Errorf(tools.CodeInvalidArgs, tools.Text{ZH: "%[1]s", EN: "%[2]s"}, text.ZH, text.EN).With("violations", details)
}

// in tells a violation in a language.
func (v violation) in(lang tools.Lang) string {
	where := v.path
	if where == "" {
		where = words("参数", "arguments").In(lang)
	}
	if lang == tools.EN {
		return fmt.Sprintf("%s: %s (allowed: %s)", where, v.problem.EN, v.allowed.EN)
	}
	return fmt.Sprintf("%s：%s（应为：%s）", where, v.problem.ZH, v.allowed.ZH)
}

func words(zh, en string) tools.Text { return tools.Text{ZH: zh, EN: en} }

func wordsf(zh, en string, args ...any) tools.Text {
	return tools.Text{ZH: fmt.Sprintf(zh, args...), EN: fmt.Sprintf(en, args...)}
}

var (
	notUnicode  = words("文字不是 Unicode", "text that is not Unicode")
	unicodeText = words("UTF-8，成对的 \\u 代理项", "UTF-8, and \\u surrogates in pairs")
	oneValue    = words("一个 JSON 值", "one JSON value")
)

// pointer writes a path as a JSON pointer. Long steps are cut.
func pointer(path []string) string {
	var b strings.Builder
	for _, step := range path {
		b.WriteByte('/')
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(cut(step)))
	}
	return b.String()
}

// cut bounds a stranger's word.
func cut(word string) string {
	const most = 64
	n := 0
	for i := range word {
		if n == most {
			return word[:i] + "…"
		}
		n++
	}
	return word
}

func quoted(word string) string { return strconv.Quote(cut(word)) }
