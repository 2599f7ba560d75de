package main

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A command that is made alone, because the first argument names it, is the one
// that is made among all: its help, and that of its own commands, is the same.
func TestCommandAlone(t *testing.T) {
	t.Parallel()
	p := &program{}
	help := func(made []string, args ...string) string {
		var out bytes.Buffer
		root := p.root(made)
		root.SetOut(&out)
		root.SetErr(&out)
		root.SetArgs(append(args, "--help"))
		if err := root.ExecuteContext(t.Context()); err != nil {
			t.Errorf("%v: %v", args, err)
		}
		return out.String()
	}
	for _, c := range p.root(nil).Commands() {
		if alone := p.commands([]string{c.Name()}); len(alone) != 1 || alone[0].Name() != c.Name() {
			t.Errorf("%s is not made alone", c.Name())
			continue
		}
		if diff := cmp.Diff(help(nil, c.Name()), help([]string{c.Name()}, c.Name())); diff != "" {
			t.Errorf("%s: %s", c.Name(), diff)
		}
		for _, below := range c.Commands() {
			if diff := cmp.Diff(help(nil, c.Name(), below.Name()), help([]string{c.Name()}, c.Name(), below.Name())); diff != "" {
				t.Errorf("%s %s: %s", c.Name(), below.Name(), diff)
			}
		}
	}
	if all := p.root([]string{"--lang", "en", "mcp"}).Commands(); len(all) < 10 {
		t.Errorf("behind a flag the program has %d commands", len(all))
	}
}
