package main

import (
	"runtime/debug"

	"github.com/spf13/cobra"
)

// versionOf gives the module's version and the commit it was built from, as the
// Go toolchain wrote them into the binary.
func versionOf() (version, commit string) {
	b, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown", ""
	}
	for _, s := range b.Settings {
		if s.Key == "vcs.revision" {
			commit = s.Value
		}
	}
	return b.Main.Version, commit
}

func (p *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", GroupID: groupSee, Args: cobra.NoArgs,
		Short: p.say("版本", "print the version"),
		Run: func(*cobra.Command, []string) {
			version, commit := versionOf()
			p.printf("mnote-host %s %s\n", version, commit)
		},
	}
}
