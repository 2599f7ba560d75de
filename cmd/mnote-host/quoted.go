package main

import (
	"net/url"
	"runtime"
	"strings"
)

// approveWith are the settings that a person's command needs to find the records
// of this host and to ask its kernel, as this host has them. Words that hold a
// password are left out.
func (p *program) approveWith() string {
	v, words := p.values, []string(nil)
	add := func(name string) {
		if at := v.byName[name]; at.text != "" && at.source != "default" {
			words = append(words, "--"+name, shellWord(at.text))
		}
	}
	add("state")
	add("workspace")
	if u, err := url.Parse(v.get("kernel")); err == nil && u.User == nil {
		add("kernel")
		if v.get("kernel") != "" {
			add("kernel-token-file")
		}
	}
	return strings.Join(words, " ")
}

// shellWord is a text as one word of a shell's line.
func shellWord(s string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-"
	switch windows := runtime.GOOS == "windows"; {
	case s != "" && strings.Trim(s, plain) == "", windows && strings.Trim(s, plain+`\`) == "":
		return s
	case windows:
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
