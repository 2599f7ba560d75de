package main

import (
	"errors"

	"github.com/mnote-dev/mnote-host/transport/acp"
)

// exitOf passes on the exit code of an agent that ran in our place.
func exitOf(err error) error {
	if code, ok := errors.AsType[acp.ExitError](err); ok {
		return exitCode(code)
	}
	return err
}
