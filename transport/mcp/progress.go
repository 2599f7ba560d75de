package mcp

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// beatTime is the time between two signs of life of a call. Some clients give up
// on a call after 60 s without one, and a person may take longer to answer.
const beatTime = 5 * time.Second

// progressed is the params of notifications/progress: progress is the seconds
// that the call has taken.
type progressed struct {
	Token    json.RawMessage `json:"progressToken"`
	Progress int             `json:"progress"`
}

// beat sends progress for a call that asked for it, until stop. After stop none
// is under way, so that none can follow the reply (L8). Most calls are over
// before the first beat: until then there is a timer and no goroutine.
func (f *Face) beat(ctx context.Context, q *request) (stop func()) {
	token := q.progressToken()
	if token == nil {
		return func() {}
	}
	var (
		mu    sync.Mutex
		ended bool
		count int
		timer *time.Timer
	)
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(beatTime, func() {
		mu.Lock()
		defer mu.Unlock()
		if ended || ctx.Err() != nil {
			return
		}
		count++
		p := progressed{Token: token, Progress: count * int(beatTime/time.Second)}
		if err := f.peer.Notify(ctx, string(mcp.MethodNotificationProgress), p); err != nil {
			return
		}
		timer.Reset(beatTime)
	})
	return func() {
		timer.Stop()
		mu.Lock()
		ended = true
		mu.Unlock()
	}
}

// progressToken gives the call's token, a string or a number; anything else is
// none.
func (q *request) progressToken() json.RawMessage {
	if q.params.Meta == nil || len(q.params.Meta.ProgressToken) == 0 {
		return nil
	}
	switch t := q.params.Meta.ProgressToken; t[0] {
	case '{', '[', 't', 'f', 'n':
		return nil
	default:
		return t
	}
}
