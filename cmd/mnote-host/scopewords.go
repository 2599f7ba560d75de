package main

import (
	"slices"
	"strings"

	"github.com/mnote-dev/mnote-host/tools"
)

// scopeWords are the members of an access scope that narrow. One of them, or
// nearly one, where settings stand was meant to narrow.
var scopeWords = []string{"permissionLevel", "documentIds", "allowedResourceIds", "capabilityScope", "expiresAt", "readOnly"}

// scopeLike are short words for the same; shorter ones are near to too much, so
// that they count only as they stand.
var scopeLike = []string{"shared", "documents", "pages", "folders", "permission", "permissions", "level", "scope", "scopes", "access", "grant", "allow", "deny", "write", "writes"}

// scopeWord finds the word of an access scope that a word stands for.
func scopeWord(word string) (string, bool) {
	same := func(w string) bool { return tools.Fold(w) == tools.Fold(word) }
	if at := slices.IndexFunc(scopeWords, same); at >= 0 {
		return scopeWords[at], true
	}
	if slices.ContainsFunc(scopeLike, same) {
		return "permissionLevel", true
	}
	return "", false
}

// nearScope is scopeWord for one that may be misspelt too. What is the name of a
// setting's variable is that setting.
func nearScope(word string) (string, bool) {
	if found, ok := scopeWord(word); ok {
		return found, true
	}
	if slices.ContainsFunc(settings, func(s setting) bool { return tools.Fold(strings.TrimPrefix(s.env, varPrefix)) == tools.Fold(word) }) {
		return "", false
	}
	known := slices.Clone(scopeWords)
	for _, s := range settings {
		known = append(known, s.name)
	}
	near := tools.Nearest(word, known, 1)[0]
	return near, slices.Contains(scopeWords, near) && tools.Alike(word, near)
}

// missesScope notes a key of config.toml, or one in a table of it, that is a word
// of an access scope.
func (v *values) missesScope(path string) bool {
	near, ok := nearScope(path[strings.LastIndexByte(path, '.')+1:])
	if ok {
		v.narrowed(warn("config.toml 里的 %[1]s 不认识；限制一个会话要写 access_scope = '{\"permissionLevel\":…}'（是不是它的 %[2]s？）",
			"config.toml has an unknown key %[1]s; a session is narrowed by access_scope = '{\"permissionLevel\":…}' (is its %[2]s meant?)", path, near))
	}
	return ok
}

// nearProfile reports whether a word may be profile, misspelt: another profile may
// have tools switched off.
func nearProfile(word string) bool {
	const profile = "profile"
	n := len(tools.Fold(word)) - len(profile)
	return tools.Fold(word) != profile && -2 <= n && n <= 2 && tools.Alike(word, profile)
}
