package page

import (
	"strings"
	"unicode/utf8"

	"github.com/mnote-dev/mnote-host/tools"
)

// CheckText refuses new text that has a control character other than tab and
// line end: no editor shows one, and NUL makes a file binary to most programs.
// path names the argument that the text is.
func CheckText(path, text string) error {
	at := strings.IndexFunc(text, isHiddenControl)
	if at < 0 {
		return nil
	}
	before := strings.NewReplacer(crlf, lf, cr, lf).Replace(text[:at])
	line := strings.Count(before, lf) + 1
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	return refuse(tools.CodeInvalidArgs, reasonControl, tools.Text{
		ZH: "%s 第 %d 行第 %d 个字符是控制字符 U+%04X；除制表符和换行外不接受控制字符",
		EN: "%s has the control character U+%04[4]X in line %[2]d at character %[3]d; of control characters only tab and line ends are accepted",
	}, path, line, column, text[at]).With("violations", []map[string]any{{
		"path": path, "problem": "control character", "allowed": "text; tab and line ends are the only control characters",
	}}).With("line", line).With("character", column)
}

func isHiddenControl(r rune) bool { return r < ' ' && r != '\t' && r != '\n' && r != '\r' }
