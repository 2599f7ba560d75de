package main

import (
	"context"
	"slices"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/plugin/console"
)

// profilesSeen is how many of the newest calls tell which profiles there are.
const profilesSeen = 2000

// Undone implements console.Records.
func (r *records) Undone(ctx context.Context, commands []string) (map[string]string, error) {
	return r.parts.local.Undone(ctx, commands)
}

// Profiles implements console.Records: the page's own and those of the newest
// calls.
func (r *records) Profiles(ctx context.Context) []string {
	names := []string{r.parts.session.Config().Profile}
	for row, err := range r.Audit(ctx, plugin.AuditFilter{Newest: true, Limit: profilesSeen}) {
		if err != nil {
			break // the page of records tells what is wrong
		}
		if row.Profile != "" && !slices.Contains(names, row.Profile) {
			names = append(names, row.Profile)
		}
	}
	slices.Sort(names)
	return names
}

// For implements console.Records.
func (r *records) For(profile string) console.Records {
	parts := *r.parts
	parts.client = parts.client.For(profile)
	return &records{Host: r.Host, parts: &parts}
}

// By implements plugin.Speaker.
func (clicked) By() string { return "console" }

// By implements plugin.Speaker.
func (t *terminal) By() string { return "terminal" }
