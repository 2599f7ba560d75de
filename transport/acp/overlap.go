package acp

import (
	"maps"
	"slices"

	"github.com/mnote-dev/mnote-host/tools"
)

// severalPages goes behind a refusal for want of a page: by itself that reads as
// if nobody had said one.
var severalPages = tools.Text{
	ZH: "%s。这个会话里有几个关于不同页面的提问同时在进行，无法知道这次调用是为哪一个：请在调用里给出所指页面的 documentId",
	EN: "%s. Several prompts about different pages are in flight in this session, and nothing tells which of them the call is for: send the documentId of the page that is meant",
}

// split reports whether a call has no page because the prompts in flight are
// about different ones.
func (s *session) split(about focus) bool {
	return about.documentID == "" && slices.ContainsFunc(s.turns, func(t *turn) bool { return t.focus.documentID != "" })
}

// tellSplit says in a refusal for want of a page that several prompts are why.
func tellSplit(env tools.Envelope, lang tools.Lang) tools.Envelope {
	if env.Error == nil || env.Error.Code != tools.CodeMissingContext || !lacksPage(env.Error.Details["missing"]) {
		return env
	}
	e := tools.Errorf(env.Error.Code, severalPages, env.Error.Message).In(lang)
	e.Details = maps.Clone(env.Error.Details)
	e.Details["reason"] = "several_prompts"
	env.Error = e
	return env
}

// lacksPage reads what a refusal says is missing: one field, or a list of them
// of the host's own or as a kernel sent it.
func lacksPage(missing any) bool {
	const field = "documentId"
	switch m := missing.(type) {
	case string:
		return m == field
	case []string:
		return slices.Contains(m, field)
	case []any:
		return slices.Contains(m, any(field))
	}
	return false
}
