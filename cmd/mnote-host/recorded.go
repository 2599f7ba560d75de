package main

import (
	"errors"
	"os"
	"path/filepath"
)

// errNothingYet is for a person who looks before anything was done: nothing is
// wrong, and nothing is made for it.
var errNothingYet = errors.New("nothing is recorded yet")

// recorded gives the parts for a command that only reads what was recorded. Such
// a one makes no state folder: one that was named and holds no record is a
// mistake, most likely in its name.
func (p *program) recorded() (*parts, error) {
	state := p.values.byName["state"]
	if state.text == "" || holdsRecord(state.text) {
		return p.assemble(), nil
	}
	if state.source == "default" {
		return nil, errNothingYet
	}
	return nil, errors.New(p.say(
		"%[1]s（来自 %[2]s）里没有记录：没有 agent 用它作过状态文件夹，请检查路径",
		"there is no record in %[1]s (from %[2]s): no agent has used that as its state folder; check the path",
		state.text, settingNamed("state").named(state.source)))
}

// holdsRecord reports whether a state folder has, or had, the host's record.
func holdsRecord(state string) bool {
	for _, name := range []string{"host.db", "audit.head"} {
		if _, err := os.Stat(filepath.Join(state, name)); err == nil || os.IsPermission(err) {
			return true
		}
	}
	return false
}

// nothingYet tells of errNothingYet; other errors are given back.
func (p *program) nothingYet(err error) error {
	if errors.Is(err, errNothingYet) {
		p.log.Warn().Msg(p.say("还没有任何记录（%s）", "nothing is recorded yet (%s)", p.values.get("state")))
		return nil
	}
	return err
}
