package mcp_test

import (
	"context"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/transport/mcp"
)

// turning is a kernel's manifest of two states, which differ in every list.
type turning struct{ turned atomic.Bool }

// Manifest implements capabilities.Source.
func (k *turning) Manifest(context.Context, string) (capabilities.Manifest, error) {
	m := capabilities.Fallback()
	if !k.turned.Load() {
		return m, nil
	}
	m.Packs, m.Tools = append(m.Packs[:0:0], m.Packs...), append(m.Tools[:0:0], m.Tools...)
	m.Raw = nil
	for i := range m.Packs {
		m.Packs[i].Title += " 2"
	}
	for i := range m.Tools {
		m.Tools[i].Title += " 2"
	}
	return m, nil
}

// serveFixtures makes the test binary the server that the conformance suite
// tests (.ci/interop): the manifest's tools, the suite's fixtures beside them.
func serveFixtures() {
	kernel := &turning{}
	registry := capabilities.NewRegistry(capabilities.Config{Source: kernel})
	change := func(ctx context.Context) error {
		kernel.turned.Store(!kernel.turned.Load())
		return registry.Refresh(ctx)
	}
	cfg := mcp.Config{Version: "1", Session: says(`{"skillId":"mnote-current-page","title":"A skill","content":"How it is used."}`), Registry: registry}
	if err := mcp.ServeFixtures(context.Background(), cfg, os.Stdin, os.Stdout, change); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
