package acp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// Run starts the agent and passes its conversation with the client until one of
// them ends, or ctx does, whose cause may be a *stdio.End. It returns the
// agent's exit code; with an error the agent could not be started or served, and
// the code is 1. Nothing of the agent's process group is left behind. Run once.
func (f *Face) Run(ctx context.Context) (int, error) {
	agent, err := f.startAgent()
	if err != nil {
		return 1, err
	}
	f.agent.Store(agent)
	defer f.open()()
	c := f.pass(agent.stdout, agent.stdin)
	return f.attend(ctx, agent, c)
}

// startAgent starts the agent, with our stderr for its own; where somebody has to
// be told why it died, what it says there is heard.
func (f *Face) startAgent() (*child, error) {
	stderr := f.cfg.AgentErr
	if f.cfg.CrashReplies {
		said, pipe, err := overhear(f.cfg.AgentErr)
		if err != nil {
			return nil, err
		}
		defer pipe.Close()
		f.said, stderr = said, pipe
	}
	return start(f.cfg.Agent, f.cfg.Env, stderr)
}

// Kill ends the agent and all that it started, at once.
func (f *Face) Kill() {
	if agent := f.agent.Load(); agent != nil {
		agent.tree.kill()
	}
}

// open begins what the host itself does beside the pumps; shut ends it.
func (f *Face) open() (shut func()) {
	ctx, stop := context.WithCancel(context.Background())
	f.ctx = ctx
	if err := f.openDoor(ctx); err != nil {
		f.cfg.Log.Error().Err(err).Msg("no socket for MNote's tools: the agent runs without them")
	}
	go f.outbox.run()
	return func() {
		f.shut()
		stop()
	}
}

// openDoor makes the socket, unless nothing is to be inserted.
func (f *Face) openDoor(ctx context.Context) error {
	if f.cfg.NoServer {
		return nil
	}
	d, err := openDoor(f.cfg.SocketDirs)
	if err != nil {
		return err
	}
	f.door = d
	go f.receive(ctx)
	return nil
}

// shut ends what the host itself has open.
func (f *Face) shut() {
	if f.door != nil {
		f.door.close()
	}
	f.calls.Close()
	f.desk.end()
	f.update(func(st *state) {
		for _, s := range st.tickets {
			s.revoke(st)
		}
	})
}

// conversation tells how the two pumps fare.
type conversation struct {
	// clientLeft is closed when the client's side ended or broke, agentDone when
	// the agent's stdout is read to its end.
	clientLeft, agentDone chan struct{}
	// failed is a line too long to pass.
	failed chan error
}

// pass starts the pumps.
func (f *Face) pass(from io.Reader, to io.Writer) conversation {
	c := conversation{make(chan struct{}), make(chan struct{}), make(chan error, 2)}
	frames := stdio.NewFrames(stdio.FramesConfig{In: from, Out: to, MaxLine: f.cfg.MaxFrame})
	broken := make(chan struct{})
	go func() {
		defer close(c.clientLeft)
		in := pump{f.client, frames, &fromClient{Face: f}, hold, f.cfg.MaxFrame}
		ended := make(chan error, 1)
		go func() { ended <- in.run(func(error) {}) }() // an agent that reads no more ends soon
		select {
		case err := <-ended:
			c.fail(err)
		case <-broken:
		}
	}()
	go func() {
		defer close(c.agentDone)
		out := pump{frames, f.client, &fromAgent{f}, hold, f.cfg.MaxFrame}
		c.fail(out.run(func(error) { close(broken) }))
	}()
	return c
}

func (c conversation) fail(err error) {
	if err != nil {
		c.failed <- err
	}
}

// attend waits for the first reason to end, and sees to the rest.
func (f *Face) attend(ctx context.Context, agent *child, c conversation) (int, error) {
	var failure error
	select {
	case <-agent.exited:
		f.tellSignal(agent)
	case failure = <-c.failed:
		agent.tree.kill()
	case <-c.clientLeft:
		select { // a line too long ends that side too
		case failure = <-c.failed:
			agent.tree.kill()
		default:
			f.calls.Close() // nobody is there to answer
			f.dismiss(ctx, agent, nil)
		}
	case <-ctx.Done():
		f.calls.Close()
		f.dismiss(ctx, agent, signalOf(ctx))
	}
	<-agent.exited
	f.drain(agent, c)
	agent.tree.kill()
	_ = agent.stdin.Close()
	if f.cfg.CrashReplies {
		f.crashReplies(agent.code, failure)
	}
	f.outbox.close()
	wait(f.outbox.done, flushTime)
	if failure != nil {
		return 1, failure
	}
	return agent.code, nil
}

// tellSignal tells of an agent that a signal of somebody else's ended: its own
// stderr says nothing then.
func (f *Face) tellSignal(agent *child) {
	if agent.signal != "" {
		f.cfg.Log.Warn().Str("signal", agent.signal).Msg("the agent was ended by a signal")
	}
}

// flushTime is how long the client has to read our last lines.
const flushTime = time.Second

// signalOf is the signal that ended ctx, SIGTERM where it was none.
func signalOf(ctx context.Context) os.Signal {
	if end, ok := errors.AsType[*stdio.End](context.Cause(ctx)); ok {
		return end.Signal // nil: the one who started us is gone, and its pipe with it
	}
	return syscall.SIGTERM
}

// dismiss asks the agent to leave: by the end of its stdin, by the signal that we
// got, by SIGTERM, and at last by force. A further reason to end hastens it.
func (f *Face) dismiss(ctx context.Context, agent *child, s os.Signal) {
	_ = agent.stdin.Close()
	if s != nil {
		agent.tree.signal(s)
	} else if waitOr(agent.exited, f.cfg.Grace, ctx.Done()) {
		f.tellSignal(agent)
	} else {
		agent.tree.terminate()
	}
	if !wait(agent.exited, f.cfg.Grace) {
		agent.tree.kill()
	}
}

// drain reads what an agent said before its end. A grandchild may hold the pipe.
func (f *Face) drain(agent *child, c conversation) {
	if !wait(c.agentDone, drainTime) {
		_ = agent.stdout.Close()
		wait(c.agentDone, flushTime) // a client that reads no more may hold the pump
	}
}

// wait waits until done, and reports whether that came in time.
func wait(done <-chan struct{}, d time.Duration) bool { return waitOr(done, d, nil) }

func waitOr(done <-chan struct{}, d time.Duration, hurry <-chan struct{}) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-hurry:
	case <-t.C:
	}
	return false
}

// crashReplies answers what the agent left open, for clients that would wait.
func (f *Face) crashReplies(code int, failure error) {
	wait(f.said.done, flushTime)
	fault := crashed(code, f.said.line())
	if failure != nil {
		fault = &jsonrpc2.Error{Code: stdio.CodeInternal, Message: "mnote-host ended the agent: " + failure.Error()}
	}
	if f.out.open.Load() {
		_ = f.outbox.put([]byte("\n"))
	}
	var open []pending
	f.update(func(st *state) {
		for _, k := range st.order {
			open = append(open, st.pending[k])
		}
	})
	for _, p := range open {
		_ = f.outbox.put(answer(p.id, nil, fault))
	}
}

// crashed is the error that stands for an agent's answer, with its last words.
func crashed(code int, said string) *jsonrpc2.Error {
	fault := &jsonrpc2.Error{Code: stdio.CodeInternal, Message: fmt.Sprintf("agent exited (%d)", code)}
	if said != "" {
		data := json.RawMessage(marshal(map[string]string{"stderr": said}))
		fault.Data = &data
	}
	return fault
}
