//go:build unix

package localkernel

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
)

// crowd is several processes that write to the same pages: hosts of them, each
// its share, one write in five an artifact.
type crowd struct {
	hosts, each, pages int

	mu    sync.Mutex
	worst time.Duration // the longest call
	busy  int           // refusals for being busy
}

func pageName(n int) string { return fmt.Sprintf("p%d.md", n) }

// write says what the i-th write of a host is: of which page, and whether it is
// an artifact.
func (c *crowd) write(host, i int) (page int, note bool, text string) {
	return (host + i) % c.pages, i%5 == 4, fmt.Sprintf("h%d-%d.", host, i)
}

// jobs makes the pages and what each process does.
func (c *crowd) jobs(b *bench) []job {
	for p := range c.pages {
		b.put(pageName(p), "start\n")
	}
	jobs := make([]job, c.hosts)
	for h := range jobs {
		jobs[h] = job{Dir: b.dir, State: b.state, Retry: true}
		for i := range c.each {
			page, note, text := c.write(h, i)
			request := b.request("mnote.page.save", pageName(page), appended(text))
			if note {
				request = b.request("mnote.artifact.create_ai_note", pageName(page), map[string]any{"content": text})
			}
			jobs[h].Calls = append(jobs[h].Calls, request)
		}
	}
	return jobs
}

// note counts what a process tells.
func (c *crowd) note(t *testing.T) func(told) {
	return func(l told) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.worst = max(c.worst, l.Took)
		switch {
		case l.Reason == "busy":
			c.busy++
		case l.Code != "":
			t.Errorf("write %d: %s", l.Index, l.Answer)
		}
	}
}

func (c *crowd) isBusy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.busy > 0
}

// check finds each write once.
func (c *crowd) check(b *bench) {
	b.tb.Helper()
	for h := range c.hosts {
		for i := range c.each {
			page, note, text := c.write(h, i)
			if n := strings.Count(b.text(pageName(page)), "\n"+text+"\n"); !note && n != 1 {
				b.tb.Errorf("%s holds write %s %d times", pageName(page), text, n)
			}
		}
	}
	notes := 0
	for p := range c.pages {
		list := b.ok("mnote.artifact.list", pageName(p), nil)
		if total := number(list.result["total"]); total > 0 {
			notes += int(total)
		} else {
			notes += len(list.strings("artifacts", "kind"))
		}
	}
	if want := c.hosts * c.each / 5; notes != want {
		b.tb.Errorf("%d notes, want %d", notes, want)
	}
}

// TestS05: five processes on one folder, one of them stopped in the middle of a
// write. No write is lost or doubled, every wait ends, what is refused is told
// to be busy, and reading goes on meanwhile.
func TestS05(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"quiet.md": "quiet\n"})
	b.ok("mnote.page.get", "quiet.md", nil)
	c := &crowd{hosts: 5, each: 200, pages: 7}
	jobs := c.jobs(b)
	jobs[0].Step, jobs[0].Count, jobs[0].Signal = vault.StepSwapped, 20, syscall.SIGSTOP
	var all sync.WaitGroup
	stopped, out := child(t, jobs[0])
	all.Go(func() {
		read(t, out, c.note(t))
		_ = stopped.Wait()
	})
	for _, j := range jobs[1:] {
		all.Go(func() {
			cmd, out := child(t, j)
			read(t, out, c.note(t))
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	// Until somebody is told that it is busy the stopped process holds the lock;
	// meanwhile this process reads.
	reads := 0
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline) && !c.isBusy(); reads++ {
		b.ok("mnote.page.get", "quiet.md", nil)
		time.Sleep(20 * time.Millisecond) // a pause between reads, not a wait for anything
	}
	b.must(stopped.Process.Signal(syscall.SIGCONT))
	all.Wait()
	c.check(b)
	if c.busy == 0 || c.worst > 45*time.Second || reads == 0 {
		t.Errorf("%d refusals for being busy, the longest call took %v, %d reads meanwhile", c.busy, c.worst, reads)
	}
	t.Logf("%d writes, %d refused as busy and sent again, the longest call took %v, %d reads while one was stopped", c.hosts*c.each, c.busy, c.worst, reads)
	b.swept()
}

// TestThreeHosts: three processes write to the same pages, are killed at random
// and started again, and three of ten answers are lost, so that their writes are
// sent again with their keys: each write is there once.
func TestThreeHosts(t *testing.T) {
	t.Parallel()
	const hosts, pages = 3, 4
	each := *rounds / hosts
	b := begin(t, nil)
	for p := range pages {
		b.put(pageName(p), "start\n")
	}
	var all sync.WaitGroup
	var killed, resent atomic.Int64
	for h := range hosts {
		var requests []map[string]any
		for i := range each {
			requests = append(requests, b.request("mnote.page.save", pageName((h+i)%pages), appended(fmt.Sprintf("h%d-%d.", h, i))))
		}
		all.Go(func() {
			r := rand.New(rand.NewPCG(uint64(h), uint64(time.Now().UnixNano())))
			for next := 0; next < each; {
				list := finish(t, job{
					Dir: b.dir, State: b.state, Calls: requests[next:min(next+5, each)], Count: 10 + r.IntN(60), Signal: syscall.SIGKILL, Retry: true,
				})
				killed.Add(1)
				done := 0
				for _, l := range list {
					if l.Code == "" {
						done = l.Index + 1
					} else if l.Reason != "busy" {
						t.Errorf("host %d, write %d: %s", h, next+l.Index, l.Answer)
						return
					}
				}
				if done > 0 && r.IntN(10) < 3 { // its answer is lost
					done--
					resent.Add(1)
				}
				next += done
			}
		})
	}
	all.Wait()
	for h := range hosts {
		for i := range each {
			id := pageName((h + i) % pages)
			if n := strings.Count(b.text(id), fmt.Sprintf("\nh%d-%d.\n", h, i)); n != 1 {
				t.Errorf("%s holds write h%d-%d %d times", id, h, i, n)
			}
		}
	}
	t.Logf("%d writes by %d processes, %d answers lost and sent again", hosts*each, killed.Load(), resent.Load())
	for p := range pages { // whoever reads next settles what the last kill left
		b.ok("mnote.page.get", pageName(p), nil)
	}
	b.swept()
}
