package main

import (
	"slices"
	"strings"

	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/acp"
)

// varPrefix begins every variable of MNote's programs, ours and others.
const varPrefix = "MNOTE_"

// foreign looks at the variables of MNote's that are no setting of ours. Another
// program's are nobody's business; one that is a setting misspelt is told, and
// where that would take rights away it spoils the setting.
func (v *values) foreign(env map[string]string) {
	var names []string
	for name := range env {
		if strings.HasPrefix(name, varPrefix) && name != acp.VarSocket && name != acp.VarTicket &&
			!slices.ContainsFunc(settings, func(s setting) bool { return s.env == name }) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		if word, ok := scopeWord(strings.TrimPrefix(name, varPrefix)); ok && tools.Fold(word) == tools.Fold(strings.TrimPrefix(name, varPrefix)) {
			v.narrowed(warn("环境变量 %[1]s 不认识；限制一个会话要写 MNOTE_ACCESS_SCOPE='{\"permissionLevel\":…}'", "the variable %[1]s is none of ours; a session is narrowed by MNOTE_ACCESS_SCOPE='{\"permissionLevel\":…}'", name))
			continue
		}
		near, alike := nearSetting(strings.TrimPrefix(name, varPrefix), func(s setting) string { return strings.TrimPrefix(s.env, varPrefix) })
		switch wrong := warn("环境变量 %[1]s 不认识；是不是 %[2]s？", "the variable %[1]s is none of ours; is %[2]s meant?", name, near.env); {
		case alike && near.narrows:
			v.spoil(near.name, wrong)
		case misspelt(name, near.env) && near.name == "profile":
			v.narrowed(wrong) // another profile may have tools switched off
		case misspelt(name, near.env):
			v.warnings = append(v.warnings, wrong)
		}
	}
}

// misspelt reports whether two variables are of about the same length and begin
// alike: MNOTE_WORKSPCE is, MNOTE_HOST_BINARY is no MNOTE_HOST_STATE.
func misspelt(a, b string) bool {
	a, b = strings.TrimPrefix(a, varPrefix), strings.TrimPrefix(b, varPrefix)
	return len(a)-len(b) <= 2 && len(b)-len(a) <= 2 && tools.Alike(strings.ReplaceAll(a, "_", ""), strings.ReplaceAll(b, "_", ""))
}
