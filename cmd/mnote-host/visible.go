package main

import "github.com/mnote-dev/mnote-host/plugin"

// visible is a text as a terminal may be shown it.
func visible(s string) string { return plugin.Visible(s) }
