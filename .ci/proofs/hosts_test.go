package proofs

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// write is one effect that an agent wants once, and the key that says so.
type write struct {
	tool string
	args map[string]any
}

// mixed makes n different writes: lines at the end of shared pages, AI notes,
// new pages.
func mixed(n, pages int) []write {
	var list []write
	for i := range n {
		args := map[string]any{"dryRun": false, "idempotencyKey": fmt.Sprintf("key-%d", i)}
		page, text := fmt.Sprintf("shared%d.md", i%pages), fmt.Sprintf("effect %d.", i)
		switch i % 10 {
		case 8:
			args["documentId"], args["content"] = page, text
			list = append(list, write{"mnote_artifact_create_ai_note", args})
		case 9:
			args["path"], args["content"] = fmt.Sprintf("new/%d.md", i), text+"\n"
			list = append(list, write{"mnote_doc_create", args})
		default:
			args["documentId"], args["mode"], args["content"] = page, "append", []any{map[string]any{"text": text}}
			list = append(list, write{"mnote_page_save", args})
		}
	}
	return list
}

// TestHosts: three hosts on one folder and 1,000 writes. Of the replies 30 % are
// dropped: the reader closes its end, the host is killed before its reply is
// read, or the reply is thrown away; hosts are restarted as it falls. Whoever
// got no reply sends the same key again, through any host. There are exactly
// 1,000 effects.
func TestHosts(t *testing.T) {
	t.Parallel()
	const hosts, pages = 3, 5
	n := size(200, 1_000)
	b := newBox(t)
	for p := range pages {
		b.put(fmt.Sprintf("shared%d.md", p), []byte("start\n"))
	}
	c := crowd{box: b, todo: make(chan write, n), left: n, finished: make(chan struct{})}
	for _, w := range mixed(n, pages) {
		c.todo <- w
	}
	var all sync.WaitGroup
	for h := range hosts {
		all.Go(func() { c.work(newRoll(h)) })
	}
	all.Wait()
	t.Logf("%d writes through %d hosts: %d replies read, %d dropped (%d readers closed, %d hosts killed, %d thrown away), %d answers were replays, %d hosts started",
		n, hosts, c.read, c.closed+c.killed+c.thrown, c.closed, c.killed, c.thrown, c.replays, c.started)
	if c.read != n {
		t.Errorf("%d replies of %d writes", c.read, n)
	}
	effects(b, n, pages)
	b.swept()
}

// effects fails unless each of the n writes is there once.
func effects(b *box, n, pages int) {
	b.t.Helper()
	a := b.agent()
	total, notes := 0, 0
	for p := range pages {
		name := fmt.Sprintf("shared%d.md", p)
		text := string(b.bytes(name))
		for i := range n {
			if i%10 >= 8 || i%pages != p {
				continue
			}
			if got := strings.Count(text, fmt.Sprintf("\neffect %d.\n", i)); got != 1 {
				b.t.Errorf("%s has effect %d %d times", name, i, got)
			}
			total++
		}
		env, err := a.call("mnote_artifact_list", map[string]any{"documentId": name, "kind": "ai_note"})
		if err != nil || !env.OK {
			b.t.Fatalf("artifact.list: %v %s", err, env.raw)
		}
		notes += len(env.Result.Artifacts)
		if total, ok := env.Result.Total.(float64); ok {
			notes += int(total) - len(env.Result.Artifacts)
		}
	}
	made, err := filepath.Glob(filepath.Join(b.notes, "new", "*.md"))
	b.must(err)
	for _, name := range made {
		data, err := os.ReadFile(name)
		b.must(err)
		if want := fmt.Sprintf("effect %s.\n", strings.TrimSuffix(filepath.Base(name), ".md")); string(data) != want {
			b.t.Errorf("%s is %q", name, data)
		}
	}
	if total += notes + len(made); total != n || notes != n/10 || len(made) != n/10 {
		b.t.Errorf("%d effects (%d notes, %d new pages), want exactly %d", total, notes, len(made), n)
	}
}

// crowd is several hosts at work on one list of writes.
type crowd struct {
	box      *box
	todo     chan write
	finished chan struct{}

	mu                             sync.Mutex
	left, read, replays, started   int
	closed, killed, thrown, busies int
}

func (c *crowd) note(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f()
}

// work sends writes through one host after the other until all have a reply.
func (c *crowd) work(r roll) {
	var a *agent
	for {
		select {
		case <-c.finished:
			if a != nil {
				if err := a.leave(); err != nil {
					c.box.t.Errorf("the host's end: %v\n%s", err, a.stderr)
				}
			}
			return
		case w := <-c.todo:
			if a == nil || r.IntN(60) == 0 {
				if a = c.restart(a); a == nil {
					return
				}
			}
			if !c.attempt(a, w, r) {
				a = nil
			}
		}
	}
}

func (c *crowd) restart(old *agent) *agent {
	if old != nil {
		if err := old.leave(); err != nil {
			c.box.t.Errorf("the host's end: %v\n%s", err, old.stderr)
		}
	}
	a, err := c.box.start()
	if err != nil {
		c.box.t.Error(err)
		close(c.finished)
		return nil
	}
	c.note(func() { c.started++ })
	return a
}

// attempt sends one write and gets its reply or drops it; a dropped one goes
// back on the list. It reports whether the host still serves.
func (c *crowd) attempt(a *agent, w write, r roll) bool {
	wait, err := a.send("tools/call", map[string]any{"name": w.tool, "arguments": w.args})
	if err != nil {
		c.todo <- w
		return false
	}
	pause := time.Duration(r.IntN(20)) * time.Millisecond
	switch r.IntN(10) {
	case 0: // the reader closes its end; the host finds out when it answers
		time.Sleep(pause)
		_ = a.out.Close()
		c.note(func() { c.closed++ })
		c.todo <- w
		_ = a.leave()
		return false
	case 1: // killed before its reply is read
		time.Sleep(pause)
		a.kill()
		c.note(func() { c.killed++ })
		c.todo <- w
		return false
	case 2: // the reply comes and is thrown away
		_, err = a.await(wait)
		c.note(func() { c.thrown++ })
		c.todo <- w
		return err == nil
	}
	return c.reply(a, w, wait)
}

func (c *crowd) reply(a *agent, w write, wait <-chan []byte) bool {
	line, err := a.await(wait)
	if err != nil {
		if !errors.Is(err, errGone) {
			c.box.t.Errorf("%v: %v", w, err)
		}
		c.todo <- w
		return false
	}
	env, err := open(line)
	if err != nil || !env.OK && !slices.Contains([]string{"mnote_kernel_unavailable", "mnote_tool_rate_limited", "mnote_tool_timeout"}, env.code()) {
		c.box.t.Errorf("%v: %v %s", w, err, env.raw)
	}
	c.note(func() {
		if !env.OK {
			c.busies++
			c.todo <- w
			return
		}
		c.read++
		if env.Audit.Replayed {
			c.replays++
		}
		if c.left--; c.left == 0 {
			close(c.finished)
		}
	})
	return true
}
