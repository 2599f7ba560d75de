package kernel

import (
	"maps"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/mnote-dev/mnote-host/tools"
)

// detailRetryAfter says when to come back.
const detailRetryAfter = "retryAfterMs"

// longestRetryAfter bounds what a Retry-After header is believed.
const longestRetryAfter = 24 * time.Hour

// The texts of HTTP statuses.
var (
	textUnauthenticated = tools.Text{
		ZH: "内核没有认出调用者；请检查 MNOTE_KERNEL_TOKEN",
		EN: "the kernel does not know the caller; check MNOTE_KERNEL_TOKEN",
	}
	textPermission = tools.Text{ZH: "内核拒绝了这次调用：没有权限", EN: "the kernel denied the call: no permission"}
	textNoKernel   = tools.Text{
		ZH: "这个地址不是 MNote 内核（HTTP 404）；请检查 --kernel 或 MNOTE_KERNEL_URL",
		EN: "there is no MNote kernel at this address (HTTP 404); check --kernel or MNOTE_KERNEL_URL",
	}
	textConflict    = tools.Text{ZH: "内核报告冲突；请重新读取后再试", EN: "the kernel reports a conflict; read again, then retry"}
	textRateLimited = tools.Text{ZH: "调用过于频繁，请稍后再试", EN: "too many calls; come back later"}
	textBusy        = tools.Text{ZH: "内核暂时无法工作，请稍后再试", EN: "the kernel cannot work at the moment; come back later"}
	textRedirect    = tools.Text{
		ZH: "内核把请求转到别处（HTTP %d）；为了不泄露令牌没有跟随。请把 --kernel 设为最终地址",
		EN: "the kernel redirects elsewhere (HTTP %d); that is not followed, for the token's sake. Set --kernel to the final address",
	}
	textStatus = tools.Text{
		ZH: "内核返回了合同之外的 HTTP 状态 %d",
		EN: "the kernel answered with HTTP status %d, which the contract does not know",
	}
	textBadManifest = tools.Text{
		ZH: "内核的能力清单无法读取",
		EN: "the kernel's manifest cannot be read",
	}
)

// refused says what an answer outside 2xx means. Where the body holds an error
// object of the same meaning, the kernel's words and details stand.
func (c *Client) refused(call tools.Call, a answer) *tools.Error {
	e := c.byStatus(call, a)
	if t := toldIn(a.body, call.Lang); t != nil {
		e = chosen(a, e, t)
	}
	if a.cause != nil {
		e = e.Because(a.cause)
	}
	if e.Code == tools.CodeContractViolation {
		c.breached(string(call.ToolName), e)
	}
	return e
}

// chosen picks between what a status means and what the body says. 401, 403, 429
// and 503 have one meaning each; 404 and 409 have as many as there are codes.
func chosen(a answer, status, body *tools.Error) *tools.Error {
	switch {
	case body.Code == status.Code:
		body.Details = merged(status.Details, body.Details)
		return body
	case a.status == http.StatusNotFound || a.status == http.StatusConflict:
		return body
	}
	return status
}

// byStatus is kernel-api's list. 502 and 504 come from something between us and
// the kernel, which may have run the call all the same, so they are lost answers;
// 503 is the kernel's own word that it did not.
func (c *Client) byStatus(call tools.Call, a answer) *tools.Error {
	switch a.status {
	case http.StatusUnauthorized:
		return tools.Errorf(tools.CodeUnauthenticated, textUnauthenticated)
	case http.StatusForbidden:
		return tools.Errorf(tools.CodePermissionDenied, textPermission)
	case http.StatusNotFound:
		return unavailable(reasonNoKernel, textNoKernel)
	case http.StatusConflict:
		return tools.Errorf(tools.CodeConflict, textConflict)
	case http.StatusTooManyRequests:
		return c.later(a, tools.Errorf(tools.CodeRateLimited, textRateLimited))
	case http.StatusServiceUnavailable:
		return c.later(a, unavailable(reasonBusy, textBusy))
	case http.StatusBadGateway, http.StatusGatewayTimeout:
		return lost(call).With("status", a.status)
	}
	text := textStatus
	if a.status/100 == 3 && a.status != http.StatusNotModified {
		text = textRedirect
	}
	return unknownOutcome(call, breach(text, a.status).With("status", a.status))
}

// later adds when to come back, if the kernel says, in seconds or as a date.
func (c *Client) later(a answer, e *tools.Error) *tools.Error {
	v := strings.TrimSpace(a.header.Get("Retry-After"))
	if n, err := strconv.ParseInt(v, 10, 64); err == nil {
		return e.With(detailRetryAfter, within(time.Duration(min(max(n, 0), int64(longestRetryAfter/time.Second)))*time.Second))
	}
	if at, err := http.ParseTime(v); err == nil {
		return e.With(detailRetryAfter, within(at.Sub(c.cfg.Now())))
	}
	return e
}

func within(d time.Duration) int64 { return min(max(d, 0), longestRetryAfter).Milliseconds() }

// toldIn finds a known error in a body that may be anything: an envelope, the
// bare {ok, error} of the lists for people, or somebody's HTML.
func toldIn(body []byte, lang tools.Lang) *tools.Error {
	m := object{names: envelopeMembers}
	if f := m.read(body); f != nil || m.kind("error") != '{' {
		return nil
	}
	e, f := readError(m.raw("error"), lang)
	if f != nil || !e.Code.Known() {
		return nil
	}
	return e
}

// merged lays details over others, key by key.
func merged(under, over map[string]any) map[string]any {
	if len(under) == 0 {
		return over
	}
	out := maps.Clone(under)
	maps.Copy(out, over)
	return out
}
