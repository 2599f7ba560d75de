package kernel

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// Log is a kernel that writes one line for each request to k: which tool, under
// which trace, what came of it and how long it took; never arguments, results or
// a kernel's messages.
func Log(k plugin.Kernel, log zerolog.Logger) plugin.Kernel { return &logging{k, log} }

type logging struct {
	kernel plugin.Kernel
	log    zerolog.Logger
}

// Manifest fetches the manifest and logs its version or why there is none.
func (l *logging) Manifest(ctx context.Context, etag string) (capabilities.Manifest, error) {
	start := time.Now()
	m, err := l.kernel.Manifest(ctx, etag)
	line := l.line(err).Dur("took", time.Since(start))
	if errors.Is(err, capabilities.ErrNotModified) {
		line.Msg("manifest not modified")
		return m, err
	}
	line.Str("version", m.Version).Int("tools", len(m.Tools)).Msg("manifest")
	return m, err
}

// Call runs the call and logs its outcome.
func (l *logging) Call(ctx context.Context, call tools.Call) (tools.Envelope, error) {
	start := time.Now()
	env, err := l.kernel.Call(ctx, call)
	line := l.line(err).Str("tool", string(call.ToolName)).Str("toolCallId", call.ToolCallID).
		Str("traceId", call.TraceID).Dur("took", time.Since(start))
	if err == nil {
		line.Str("effect", string(env.Audit.Effect))
	}
	if env.Error != nil {
		line.Str("code", string(env.Error.Code))
	}
	line.Msg("kernel call")
	return env, err
}

// line is a debug line, or a warning that says what went wrong. That a caller
// left is nothing wrong: every client does at its end.
func (l *logging) line(err error) *zerolog.Event {
	if err == nil || errors.Is(err, capabilities.ErrNotModified) {
		return l.log.Debug()
	}
	code := tools.AsError(err).Code
	if code == tools.CodeCancelled {
		return l.log.Debug().Str("code", string(code))
	}
	return l.log.Warn().Str("code", string(code)).Err(err)
}
