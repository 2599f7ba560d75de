package main

import (
	"fmt"
	"strings"

	"github.com/mnote-dev/mnote-host/tools"
)

// text is a message for people in both languages.
type text struct{ zh, en string }

// in picks the text of a language.
func (t text) in(lang tools.Lang) string { return tools.Text{ZH: t.zh, EN: t.en}.In(lang) }

// warn fills both languages' formats with the same arguments.
func warn(zh, en string, args ...any) text {
	return text{fmt.Sprintf(zh, args...), fmt.Sprintf(en, args...)}
}

// langOf picks the language of what a person reads on the terminal, before any
// flag is parsed: --lang, MNOTE_LANG, then the locale. What an agent reads is
// Chinese unless a language is set, as in the seeds.
func langOf(args, environ []string) tools.Lang {
	env := environment(environ)
	for i, a := range args {
		if v, ok := strings.CutPrefix(a, "--lang="); ok {
			return lang(v)
		}
		if a == "--lang" && i+1 < len(args) {
			return lang(args[i+1])
		}
	}
	for _, key := range []string{"MNOTE_LANG", "LC_ALL", "LC_MESSAGES", "LANG"} {
		if v := env[key]; v != "" {
			return lang(v)
		}
	}
	return tools.EN
}

func lang(v string) tools.Lang {
	if strings.HasPrefix(v, "zh") {
		return tools.ZH
	}
	return tools.EN
}
