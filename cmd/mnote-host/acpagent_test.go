package main

import (
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/plugin/clients"
)

// An agent that an interpreter runs is known by its script, and by nothing that
// may be another's argument.
func TestScripted(t *testing.T) {
	t.Parallel()
	for argv, want := range map[string]string{
		"node /opt/reasonix/bin/reasonix acp":       "reasonix",
		`C:\nodejs\node.exe C:\x\Reasonix.mjs acp`:  "reasonix",
		"npx -y reasonix@0.5.1 acp":                 "reasonix",
		"/usr/bin/python3 -m hermes acp":            "hermes",
		"uvx hermes acp":                            "hermes",
		"node /x/agent.js reasonix":                 "",
		"node --require reasonix /x/agent.js":       "",
		"npx --package reasonix other":              "",
		"node":                                      "",
		"node -y":                                   "",
		"env reasonix":                              "",
		"npx @someone/reasonix acp":                 "",
		"node ./node_modules/@someone/reasonix acp": "reasonix", // a file's name is what there is
	} {
		if c, _ := clients.Agent(scripted(strings.Fields(argv))); c.Name != want {
			t.Errorf("%s: it is %q, want %q", argv, c.Name, want)
		}
	}
}
