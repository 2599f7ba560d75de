package acp

import (
	"context"
	"fmt"
	"io"
	"os"
	"testing"

	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// A relay whose agent has gone ends without a word; one that was told to end says
// so.
func TestAttachOrphan(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]*stdio.End{"orphan": {}, "signal": {Signal: os.Interrupt}} {
		r, shown := opened(t, nil)
		ctx, stop := context.WithCancelCause(t.Context())
		in, agent := io.Pipe()
		ended := make(chan error, 1)
		out, back := io.Pipe()
		go func() { ended <- Attach(ctx, r.face.door.path, shown, in, back) }()
		fmt.Fprintln(agent, `{"tool":"mnote_page_get","args":{}}`)
		if _, err := out.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		go io.Copy(io.Discard, out)
		stop(end)
		if err := <-ended; (err == nil) != (name == "orphan") {
			t.Errorf("%s: %v", name, err)
		}
		agent.Close()
		out.Close()
	}
}
