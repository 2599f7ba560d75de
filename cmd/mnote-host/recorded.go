package main

import (
	"errors"
	"io/fs"
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

// noState reports whether a state folder was named that does not exist.
func (p *program) noState() bool {
	state := p.values.byName["state"]
	if state.text == "" || state.source == "default" {
		return false
	}
	_, err := os.Stat(state.text)
	return errors.Is(err, fs.ErrNotExist)
}

// standing refuses a command of the person's on a state folder that does not
// exist: what it said there would be of no agent that runs.
func (p *program) standing() error {
	if !p.noState() {
		return nil
	}
	state := p.values.byName["state"]
	return errors.New(p.say(
		"没有状态文件夹 %[1]s（来自 %[2]s）：没有 agent 用它，请检查路径；什么也没有做",
		"there is no state folder %[1]s (from %[2]s): no agent uses it, so check the path; nothing was done",
		visible(state.text), settingNamed("state").named(state.source)))
}

// tellNewState says that a state folder is made: its name may be misspelt.
func (p *program) tellNewState() {
	if p.noState() {
		state := p.values.byName["state"]
		p.log.Warn().Msg(p.say("新建了状态文件夹：%[1]s（来自 %[2]s）", "a new state folder is made: %[1]s (from %[2]s)", visible(state.text), settingNamed("state").named(state.source)))
	}
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
