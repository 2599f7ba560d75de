// Command mnote-host puts the program together: it gives an agent runtime
// MNote's tools over stdio, serves the local kernel, and shows a person what
// was done. Settings, wiring and exit codes live here and nowhere else.
package main

import (
	"context"
	"os"

	"github.com/mnote-dev/mnote-host/transport/stdio"
)

func main() { os.Exit(run(context.Background(), os.Args[1:], os.Environ(), stdio.TakeOver())) }
