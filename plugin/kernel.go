package plugin

import (
	"context"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/tools"
)

// Kernel runs tools. Call must return only after the effect is decided: with a
// nil error the envelope is the kernel's word (a refusal included); with an
// error it is a *tools.Error that says what is known: mnote_kernel_unavailable
// when nothing was sent, mnote_tool_timeout or mnote_kernel_contract_violation
// when the outcome is unknown and the same key may be sent again, and
// mnote_tool_cancelled, of a write that was sent with details.outcome unknown,
// when the context was cancelled. Call honours the
// context's deadline and cancellation and never retries a write without its key.
// plugin/conform checks all of this.
type Kernel interface {
	capabilities.Source
	Call(ctx context.Context, c tools.Call) (tools.Envelope, error)
}
