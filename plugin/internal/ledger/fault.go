package ledger

import (
	"errors"

	"github.com/mnote-dev/mnote-host/tools"
)

// errHeld ends a transaction that found the key in flight.
var errHeld = errors.New("another call holds the key")

// errNoState refuses a write for want of a state folder; the state file's own
// faults are coded by internal/sqlite with the same reason.
func errNoState() error {
	return tools.Errorf(tools.CodeKernelUnavailable, tools.Text{
		ZH: "没有可用的状态目录，不能写入；读取仍然可用。请运行 mnote-host doctor",
		EN: "there is no usable state folder, so nothing can be written; reading still works. Run mnote-host doctor",
	}).With("reason", "no_state")
}

func errOtherBody() error {
	return tools.Errorf(tools.CodeIdempotencyConflict, tools.Text{
		ZH: "这个 idempotencyKey 已用于另一次内容不同的写入；内容不同请换新的 key，重试请原样重发",
		EN: "this idempotencyKey was used for a write with other content; use a new key for other content, or repeat the same arguments for a retry",
	}).With("reason", "other_content")
}

func errAnswerExpired() error {
	return tools.Errorf(tools.CodeIdempotencyConflict, tools.Text{
		ZH: "这个 idempotencyKey 的写入早已完成，结果已不再保留；如要再写一次，请换新的 key",
		EN: "the write with this idempotencyKey was finished long ago and its answer is no longer kept; use a new key to write again",
	}).With("reason", "answer_expired")
}

// errStillHeld is for a call that waited until its deadline: what the other
// call does is unknown, and the same key may be sent again.
func errStillHeld(k tools.Key) error {
	return tools.Errorf(tools.CodeTimeout, tools.Text{
		ZH: "同一次写入（相同的 idempotencyKey）仍在进行，等到时限也没有结果；请稍后用同一个 key 重试",
		EN: "the same write (the same idempotencyKey) is still under way and had no outcome by the deadline; try again later with the same key",
	}).With("outcome", "unknown").With("idempotencyKey", string(k))
}
