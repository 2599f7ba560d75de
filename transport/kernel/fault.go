package kernel

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/mnote-dev/mnote-host/tools"
)

// The reasons of mnote_kernel_unavailable that are said here.
const (
	reasonRefused  = "refused"
	reasonBreaker  = "breaker"
	reasonBusy     = "busy"
	reasonNoKernel = "no_kernel"
)

// The details of a write whose answer is lost.
const (
	detailOutcome = "outcome"
	detailKey     = "idempotencyKey"
	outcomeLost   = "unknown"
)

// Deadlines of requests whose context has none.
const (
	readDeadline  = 30 * time.Second
	writeDeadline = 60 * time.Second
)

// The texts of faults.
var (
	textBadURL = tools.Text{
		ZH: "内核地址不是 http(s)://主机[:端口][/路径] 形式的 URL；请检查 --kernel 或 MNOTE_KERNEL_URL",
		EN: "the kernel's address is not a URL of the form http(s)://host[:port][/path]; check --kernel or MNOTE_KERNEL_URL",
	}
	textBadToken = tools.Text{
		ZH: "内核令牌含有控制字符，无法放进请求头；请检查 MNOTE_KERNEL_TOKEN",
		EN: "the kernel token holds control characters and fits into no header; check MNOTE_KERNEL_TOKEN",
	}
	textRefused = tools.Text{
		ZH: "连不上内核；什么也没有发送",
		EN: "the kernel cannot be reached; nothing was sent",
	}
	textLost = tools.Text{
		ZH: "请求已发出，但没有收到内核的完整回答",
		EN: "the request went out, but the kernel's whole answer never came",
	}
	textLostWrite = tools.Text{
		ZH: "写入请求已发出，但没有收到内核的完整回答；写入可能已经生效。请用同一个 idempotencyKey 重试，不会写两次",
		EN: "the write went out, but the kernel's whole answer never came; it may have taken effect. Send it again with the same idempotencyKey: it happens once",
	}
	textLostKeyless = tools.Text{
		ZH: "写入请求已发出，但没有收到内核的完整回答；写入可能已经生效。请先读取再决定是否重试",
		EN: "the write went out, but the kernel's whole answer never came; it may have taken effect. Read first, then decide whether to send it again",
	}
	textCancelled = tools.Text{
		ZH: "调用已被取消",
		EN: "the call was cancelled",
	}
	textTooLarge = tools.Text{
		ZH: "内核的回答超过 %d MiB；请用 cursor、limit 或 maxChars 分页读取",
		EN: "the kernel's answer is larger than %d MiB; page with cursor, limit or maxChars",
	}
	textTooLargeAnswer = tools.Text{
		ZH: "内核的回答超过 %d MiB 的上限",
		EN: "the kernel's answer is larger than the limit of %d MiB",
	}
)

// unavailable is said only where nothing was sent or the kernel says that it did
// nothing.
func unavailable(reason string, text tools.Text, args ...any) *tools.Error {
	return tools.Errorf(tools.CodeKernelUnavailable, text, args...).With("reason", reason)
}

// breach is an answer that breaks the contract.
func breach(text tools.Text, args ...any) *tools.Error {
	return tools.Errorf(tools.CodeContractViolation, text, args...)
}

// writes reports whether a lost answer to the call may hide an effect. For a call
// without its tool's kind, kernel-api's rule for a tool that names none stands in:
// it reads if every one of its scope words ends in .read. To take a read for a
// write only means to speak more carefully of it.
func writes(call tools.Call) bool {
	switch {
	case call.DryRun || call.ToolName == "":
		return false
	case call.Kind != "":
		return call.Kind != tools.KindRead
	}
	for _, s := range call.Scopes {
		if !strings.HasSuffix(string(s), ".read") {
			return true
		}
	}
	return len(call.Scopes) == 0
}

// unknownOutcome marks an error of a write that may have happened, so that the
// same key may be sent again.
func unknownOutcome(call tools.Call, e *tools.Error) *tools.Error {
	if !writes(call) {
		return e
	}
	e = e.With(detailOutcome, outcomeLost)
	if call.IdempotencyKey != "" {
		e = e.With(detailKey, string(call.IdempotencyKey))
	}
	return e
}

// unsure reports whether the error leaves it open if a write happened.
func unsure(e *tools.Error) bool { return e.Details[detailOutcome] == outcomeLost }

// bounded gives the context a deadline where it has none: no call waits for
// ever.
func bounded(ctx context.Context, writing bool) (context.Context, context.CancelFunc) {
	if _, has := ctx.Deadline(); has {
		return ctx, func() {}
	}
	if writing {
		return context.WithTimeout(ctx, writeDeadline)
	}
	return context.WithTimeout(ctx, readDeadline)
}

// unanswered says what is known of a call that got no whole answer.
func unanswered(ctx context.Context, call tools.Call, err error) *tools.Error {
	f, ok := errors.AsType[*fault](err)
	switch {
	case !ok:
		return tools.AsError(err)
	case errors.Is(f, errTooLarge):
		return tooLarge(call)
	case errors.Is(ctx.Err(), context.Canceled):
		return cancelled(call, f.sent).Because(f)
	case !f.sent:
		return unavailable(reasonRefused, textRefused).Because(f)
	}
	return lost(call).Because(f)
}

// lost is a call that went out and got no answer.
func lost(call tools.Call) *tools.Error {
	text := textLost
	if writes(call) {
		text = textLostWrite
		if call.IdempotencyKey == "" {
			text = textLostKeyless
		}
	}
	return unknownOutcome(call, tools.Errorf(tools.CodeTimeout, text))
}

// cancelled is a call whose caller went away. Of a write that is out it also says
// that the same key may be sent again.
func cancelled(call tools.Call, sent bool) *tools.Error {
	e := tools.Errorf(tools.CodeCancelled, textCancelled)
	if sent {
		return unknownOutcome(call, e)
	}
	return e
}

// tooLarge is an answer past the limit. Of a read the caller can page; a write
// has happened or not, and nobody can tell from here.
func tooLarge(call tools.Call) *tools.Error {
	if call.ToolName == "" || writes(call) {
		return unknownOutcome(call, breach(textTooLargeAnswer, maxBody>>20))
	}
	return tools.Errorf(tools.CodePayloadTooLarge, textTooLarge, maxBody>>20).With("limitBytes", maxBody)
}
