package main

import (
	"net/url"
	"slices"
)

// strengths are the sources of a value, the strongest first.
var strengths = []string{"flag", "environment", "file", "default"}

func (v value) strength() int { return slices.Index(strengths, v.source) }

// decidePlace settles where the notes are. A folder and a kernel's address are
// two answers to one question, so the stronger source decides and the other is
// set aside: a flag must not lead to other notes because of a variable that was
// left from before. Given by the same source the two belong together: the
// folder is that kernel's root.
func (v *values) decidePlace() {
	folder, kernel := v.byName["workspace"], v.byName["kernel"]
	switch {
	case folder.strength() < kernel.strength() && kernel.text != "":
		v.setAside("kernel")
	case kernel.strength() < folder.strength() && folder.text != "":
		v.setAside("workspace")
	}
}

func (v *values) setAside(name string) {
	v.aside[name] = v.byName[name]
	v.byName[name] = value{source: "default"}
}

// folder is the folder of notes for a command that knows no kernel but itself.
func (v values) folder() string {
	if dir := v.get("workspace"); dir != "" {
		return dir
	}
	if v.byName["workspace"].source == "flag" {
		return "" // it was given, and is not to be understood
	}
	return v.aside["workspace"].text
}

// placed says which of two answers was used, where one was set aside.
func (v values) placed() text {
	for loser, winner := range map[string]string{"kernel": "workspace", "workspace": "kernel"} {
		if lost, ok := v.aside[loser]; ok {
			won := settingNamed(winner).named(v.byName[winner].source)
			return warn("用的是 %[1]s；%[2]s=%[3]s 被放在一边", "%[1]s is used; %[2]s=%[3]s was set aside", won, settingNamed(loser).named(lost.source), shownURL(lost.text))
		}
	}
	return text{}
}

// shownURL is an address, or a folder, without a password in it.
func shownURL(s string) string {
	if u, err := url.Parse(s); err == nil && u.User != nil {
		return u.Redacted()
	}
	return s
}
