package conform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mnote-dev/mnote-host/tools"
)

func readChecks() []Check {
	return []Check{
		check("read/envelope", NeedsRead, readEnvelope, "A read answers with the page, effect read, commandId null and the audit's ids (seed 7-6 §3)."),
		check("read/revision", NeedsRead, readRevision, "Every read of something editable returns its revision and contentHash."),
		check("read/echo", NeedsRead, readEcho, "toolName, toolCallId and traceId are the call's, whatever they look like."),
		check("read/repeat", NeedsRead, readRepeat, "A read changes nothing, and its key binds nothing: the same key may read again."),
		check("call/context", NeedsRead, callContext, "Call honours the context: a call whose context has ended is an error with a code, and nothing runs."),
	}
}

func readEnvelope(p *probe) error {
	env, err := p.succeed(p.call(p.script.Read, nil), tools.EffectRead)
	if err != nil {
		return err
	}
	var result struct{ DocumentID, WorkspaceID string }
	if err := json.Unmarshal(env.Result, &result); err != nil {
		return fmt.Errorf("the result is not of its form: %w", err)
	}
	switch s := p.subject; {
	case result.DocumentID != s.DocumentID || result.WorkspaceID != s.WorkspaceID:
		return fmt.Errorf("the result is of %q in %q", result.DocumentID, result.WorkspaceID)
	case env.Audit.WorkspaceID != s.WorkspaceID || env.Audit.DocumentID == nil || *env.Audit.DocumentID != s.DocumentID:
		return errors.New("the audit names another workspace or document")
	}
	return nil
}

func readRevision(p *probe) error {
	g, err := p.read()
	switch {
	case err != nil:
		return err
	case g.Revision < 1:
		return fmt.Errorf("revision is %d", g.Revision)
	case g.ContentHash == "":
		return errors.New("contentHash is missing")
	}
	return nil
}

// readEcho uses ids that need escaping in JSON, in two scripts, and a long one: a
// kernel may not make its own out of them.
func readEcho(p *probe) error {
	c := p.call(p.script.Read, nil)
	c.ToolCallID, c.TraceID = `call "x"/`+c.ToolCallID+` 调用 <&>`, strings.Repeat("t", 200)
	_, err := p.succeed(c, tools.EffectRead)
	return err
}

// readRepeat sends one key three times, the last with other arguments: only a
// write's key binds.
func readRepeat(p *probe) error {
	before, err := p.read()
	if err != nil {
		return err
	}
	c := p.call(p.script.Read, nil)
	for _, c := range []tools.Call{c, p.again(c), with(p.again(c), "includeOptions", false)} {
		if _, err := p.succeed(c, tools.EffectRead); err != nil {
			return err
		}
	}
	return p.unchanged(before)
}

// callContext tries the cheapest case, a caller that is gone before the call: it
// must not reach the kernel, and must not come back as an envelope.
func callContext(p *probe) error {
	ctx, cancel := context.WithCancel(p.ctx)
	cancel()
	_, err := p.subject.Kernel.Call(ctx, p.call(p.script.Read, nil))
	if !errors.Is(err, &tools.Error{Code: tools.CodeCancelled}) {
		return fmt.Errorf("a cancelled call gives %v, want %s", err, tools.CodeCancelled)
	}
	return nil
}
