package ledger

import (
	"errors"

	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
	"github.com/mnote-dev/mnote-host/tools"
)

// errHeld ends a transaction that found the key in flight.
var errHeld = errors.New("another call holds the key")

// errNoFolder is the cause where no state folder was given.
var errNoFolder = errors.New("no state folder")

// errNoState refuses for want of a state folder, as one that cannot be used is
// refused.
func errNoState() error { return sqlite.Coded(errNoFolder) }

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

// unusable says for people why a plan or an approval does not serve a write.
func unusable(reason string) tools.Text {
	switch reason {
	case "unknown":
		return tools.Text{ZH: "不存在", EN: "there is no such one"}
	case "other_session":
		return tools.Text{ZH: "它是另一个会话做的", EN: "it was made in another session"}
	case "altered":
		return tools.Text{ZH: "它是为另一次写入做的", EN: "it was made for another write"}
	case "expired":
		return tools.Text{ZH: "已过期", EN: "it has expired"}
	case "used":
		return tools.Text{ZH: "已用过", EN: "it was used"}
	case "stale":
		return tools.Text{ZH: "页面在它之后变了，它已作废", EN: "the page changed since, so it is out of date"}
	case "session_ended":
		return tools.Text{ZH: "提出它的 agent 会话已经结束，同意只对那个会话有效", EN: "the agent's session that asked has ended, and a yes serves that session alone"}
	case "changed":
		return tools.Text{ZH: "给你看过之后，它会做的改动变了；请再看一遍", EN: "what it would do has changed since you were shown it; look again"}
	}
	return tools.Text{ZH: "还没有人答复", EN: "no person has answered it yet"}
}

// errPlan refuses a plan that the write cannot use.
func errPlan(reason string) error {
	why := unusable(reason)
	return tools.Errorf(tools.CodeConflict, tools.Text{
		ZH: "这个 planId 不能用于这次写入：" + why.ZH + "。请用相同参数加 dryRun=true 重新做一个计划",
		EN: "this planId cannot be used for this write: " + why.EN + ". Make a new plan with the same arguments and dryRun=true",
	}).With("reason", reason)
}

// errApproval refuses what a person's answer does not cover.
func errApproval(reason string) error {
	why := unusable(reason)
	if reason == "changed" { // a person can mend it at once
		return tools.Errorf(tools.CodeConflict, why).With("reason", reason)
	}
	return tools.Errorf(tools.CodeConflict, tools.Text{
		ZH: "这个待确认的计划不能用：" + why.ZH + "。请重新发出写入，再由人确认",
		EN: "the plan that was to be approved cannot be used: " + why.EN + ". Send the write again and have a person approve it",
	}).With("reason", reason)
}

func errDeclined() error {
	return tools.Errorf(tools.CodeConfirmationDeclined, tools.Text{
		ZH: "有人看过这次写入并拒绝了；没有写入任何内容，请不要原样重发",
		EN: "a person looked at this write and declined it; nothing was written, do not send it again as it is",
	})
}

// errStillHeld is for a call that waited until its deadline: what the other
// call does is unknown, and the same key may be sent again.
func errStillHeld(k tools.Key) error {
	return tools.Errorf(tools.CodeTimeout, tools.Text{
		ZH: "同一次写入（相同的 idempotencyKey）仍在进行，等到时限也没有结果；请稍后用同一个 key 重试",
		EN: "the same write (the same idempotencyKey) is still under way and had no outcome by the deadline; try again later with the same key",
	}).With("outcome", "unknown").With("idempotencyKey", string(k))
}
