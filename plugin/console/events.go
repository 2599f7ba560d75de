package console

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"time"

	"github.com/mnote-dev/mnote-host/plugin"
)

// stayTime ends a connection that waits for news; the browser comes back.
const stayTime = 30 * time.Minute

// events tells an open page that something is new, as server-sent events named
// packs, records or plans; the page then reads itself again. Other processes
// change the same records, so that looking is the only way to know.
func (c *Console) events(w http.ResponseWriter, r *http.Request) {
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, "retry: 2000\n\n")
	if out.Flush() != nil {
		return
	}
	last, over := c.news(r), loginOf(r).over
	tick := time.NewTicker(c.cfg.Poll)
	defer tick.Stop()
	for end := time.After(stayTime); ; {
		select {
		case <-r.Context().Done():
			return
		case <-c.closed:
			return
		case <-over:
			return
		case <-end:
			return
		case <-tick.C:
		}
		now := c.news(r)
		if !c.tell(w, r, last, now) || out.Flush() != nil {
			return
		}
		last = now
	}
}

// news is a fingerprint of each page.
type news struct{ Packs, Records, Plans uint64 }

func (c *Console) news(r *http.Request) (n news) {
	if list, err := c.cfg.Records.Packs(r.Context()); err == nil {
		n.Packs = fingerprint(list)
	}
	for row, err := range c.cfg.Records.Audit(r.Context(), plugin.AuditFilter{Newest: true, Limit: 1}) {
		if err == nil {
			n.Records = uint64(row.Seq)
		}
	}
	if list, err := c.cfg.Records.Plans(r.Context(), plugin.PlanFilter{Over: true}); err == nil {
		n.Plans = fingerprint(list)
	}
	return n
}

func fingerprint(v any) uint64 {
	h := fnv.New64a()
	_ = json.NewEncoder(h).Encode(v) // what cannot be written is told by its page
	return h.Sum64()
}

// tell names the pages that changed; false means that nobody listens any more.
func (c *Console) tell(w http.ResponseWriter, r *http.Request, last, now news) bool {
	for _, e := range []struct {
		page    string
		changed bool
	}{{"packs", last.Packs != now.Packs}, {"records", last.Records != now.Records}, {"plans", last.Plans != now.Plans}} {
		if !e.changed {
			continue
		}
		if _, err := fmt.Fprintf(w, "event: %s\ndata: %d\n\n", e.page, c.waiting(r)); err != nil {
			return false
		}
	}
	_, err := fmt.Fprint(w, ": here\n\n")
	return err == nil
}
