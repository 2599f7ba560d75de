package plugin

import (
	"sync"
	"time"

	"github.com/mnote-dev/mnote-host/tools"
)

// rate is a session's allowance of calls: a bucket that fills at a steady rate
// and holds no more than a burst.
type rate struct {
	perSecond, burst float64 // a negative perSecond is no limit

	mu   sync.Mutex
	left float64   // calls that may be made at once, as of then
	then time.Time // when left was right; zero before the first call
}

func newRate(l Limits) *rate {
	return &rate{perSecond: float64(l.CallsPerSecond), burst: float64(max(l.Burst, 1)), left: float64(max(l.Burst, 1))}
}

// take spends one call, or refuses and says when the next one is due.
func (r *rate) take(now time.Time) error {
	if r.perSecond < 0 {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.then.IsZero() {
		r.then = now
	}
	if now.After(r.then) { // a clock that was set back gains nothing
		r.left = min(r.burst, r.left+now.Sub(r.then).Seconds()*r.perSecond)
		r.then = now
	}
	if r.left >= 1 {
		r.left--
		return nil
	}
	due := r.then.Add(time.Duration((1 - r.left) / r.perSecond * float64(time.Second)))
	wait := max(due.Sub(now).Round(time.Millisecond), time.Millisecond)
	return tools.Errorf(tools.CodeRateLimited, tools.Text{
		ZH: "这次会话调用过于频繁；请在 %d 毫秒后再试",
		EN: "this session calls too often; try again in %d ms",
	}, wait.Milliseconds()).With("retryAfterMs", wait.Milliseconds())
}
