package localkernel

import (
	"fmt"

	"github.com/mnote-dev/mnote-host/tools"
)

// violation is one thing wrong with the arguments, as details tell it: for
// whoever repairs the call, in English as everywhere.
type violation struct {
	Path    string `json:"path"`
	Fault   string `json:"problem"`
	Allowed string `json:"allowed"`
}

var (
	textArgs = tools.Text{ZH: "参数不对：%s：%s（应为：%s）", EN: "invalid arguments: %s: %s (allowed: %s)"}

	saidCut     = tools.Text{ZH: "不完整", EN: "cut off"}
	saidMissing = tools.Text{ZH: "缺失或为空", EN: "missing or empty"}
)

// invalid refuses an argument: where, what is wrong, what is allowed.
func invalid(path string, fault, allowed tools.Text) *tools.Error {
	return errorIn(tools.CodeInvalidArgs, textArgs, alike(path), fault, allowed).
		With("violations", []violation{{Path: path, Fault: fault.EN, Allowed: allowed.EN}})
}

// errorIn makes an error of a format and words that differ by language.
func errorIn(code tools.Code, format tools.Text, words ...tools.Text) *tools.Error {
	var zh, en []any
	for _, w := range words {
		zh, en = append(zh, w.ZH), append(en, w.EN)
	}
	return tools.Errorf(code, tools.Text{ZH: "%[1]s", EN: "%[2]s"}, fmt.Sprintf(format.ZH, zh...), fmt.Sprintf(format.EN, en...))
}

// textf fills both languages' formats alike.
func textf(format tools.Text, args ...any) tools.Text {
	return tools.Text{ZH: fmt.Sprintf(format.ZH, args...), EN: fmt.Sprintf(format.EN, args...)}
}

// alike is a word that is the same in each language, such as an argument's name.
func alike(word string) tools.Text { return tools.Text{ZH: word, EN: word} }

// under puts the name of the member that a fault is in before it.
func under(name string, fault tools.Text) tools.Text {
	return tools.Text{ZH: name + "：" + fault.ZH, EN: name + ": " + fault.EN}
}
