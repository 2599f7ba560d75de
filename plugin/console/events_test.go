package console_test

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/plugin/console"
	"github.com/mnote-dev/mnote-host/tools"
)

// An open page hears of whatever another process changed, by the page it is on.
func TestEvents(t *testing.T) {
	t.Parallel()
	f := &fake{packs: aLibrary(), rows: someRows()}
	s := newSite(t, f, func(c *console.Config) { c.Poll = time.Millisecond }).signIn()
	r := s.send(http.MethodGet, "/events", nil)
	if kind := r.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Fatalf("is %s", kind)
	}
	lines := bufio.NewScanner(r.Body)
	next := func() (event, data string) {
		for lines.Scan() {
			if e, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
				lines.Scan()
				return e, strings.TrimPrefix(lines.Text(), "data: ")
			}
		}
		t.Fatal("the stream ended")
		return "", ""
	}
	for lines.Scan() && lines.Text() != ": here" { // the first look is taken
	}
	f.mu.Lock()
	f.rows = append(f.rows, aRow(7, "s_new", "mnote.page.get", "a.md", tools.EffectRead))
	f.mu.Unlock()
	if event, _ := next(); event != "records" {
		t.Errorf("told of %s, want records", event)
	}
	f.mu.Lock()
	f.plans = []plugin.Plan{aPlan(t, "plan_one", nil, nil)}
	f.mu.Unlock()
	if event, data := next(); event != "plans" || data != "1" {
		t.Errorf("told of %s %s, want one plan", event, data)
	}
	f.mu.Lock()
	f.packs = f.packs[:1]
	f.mu.Unlock()
	if event, _ := next(); event != "packs" {
		t.Errorf("told of %s, want packs", event)
	}
	s.console.Close()
	for lines.Scan() {
	}
	if err := lines.Err(); err != nil {
		t.Errorf("closing the console broke the stream: %v", err)
	}
}

// Whoever signs out ends what the other pages of the login listen to: the end is
// how they learn of it.
func TestEventsEndWithTheLogin(t *testing.T) {
	t.Parallel()
	s := newSite(t, &fake{packs: aLibrary(), rows: someRows()}, func(c *console.Config) { c.Poll = time.Millisecond }).signIn()
	lines := bufio.NewScanner(s.send(http.MethodGet, "/events", nil).Body)
	for lines.Scan() && lines.Text() != ": here" {
	}
	s.post("/leave", nil)
	for lines.Scan() {
	}
	if err := lines.Err(); err != nil {
		t.Errorf("the stream broke: %v", err)
	}
}

// The number beside the plans counts those that the page shows as waiting: one
// that is out of date is none.
func TestWaitingIsWhatThePageShows(t *testing.T) {
	t.Parallel()
	over := aPlan(t, "plan_over", nil, nil)
	over.Revision = 1
	f := &fake{packs: aLibrary(), plans: []plugin.Plan{aPlan(t, "plan_one", nil, nil), over}, revision: 9}
	f.plans[0].Revision = 0
	_, page := newSite(t, f).signIn().get("/plans")
	if !strings.Contains(page, `<span id="waiting" class="count">1</span>`) || strings.Count(page, `data-state="waiting"`) != 1 {
		t.Errorf("the count is wrong: %s", page)
	}
}
