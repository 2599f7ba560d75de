//go:build unix

package sqlite_test

import (
	"context"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/internal/child"
	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
)

// S05: a process that is stopped while it holds the lock makes the others wait,
// but only until their deadline, and what they get is typed.
func TestS05StoppedHolder(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "state.db")
	f := &sqlite.File{Config: sqlite.Config{Path: path, Migrations: schema(2)}}
	t.Cleanup(func() { _ = f.Close() })
	if err := f.Normal(t.Context(), increment); err != nil {
		t.Fatal(err)
	}
	holder := child.Start(t, "hold", path)
	if got := holder.Line(t); got != "held" {
		t.Fatal(got)
	}
	if err := holder.Cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for name, run := range map[string]func(context.Context) error{
		"normal": func(ctx context.Context) error { return f.Normal(ctx, increment) },
		"full":   func(ctx context.Context) error { return f.Full(ctx, increment) },
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		if got := reason(run(ctx)); got != "busy" {
			t.Errorf("%s: %s", name, got)
		}
		cancel()
	}
	if err := f.View(t.Context(), nothing); err != nil {
		t.Errorf("a reader had to wait: %v", err)
	}
	if err := holder.Cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	holder.Wait(t)
	if err := f.Normal(t.Context(), increment); err != nil {
		t.Errorf("after the holder went on: %v", err)
	}
}
