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

// TestS05: five processes on one folder, one of them stopped in the middle of a
// write. No write is lost or doubled, every wait ends, what is refused is told
// to be busy, and reading goes on meanwhile.
func TestS05(t *testing.T) {
	t.Parallel()
	const hosts, each, pages = 5, 200, 7
	b := begin(t, map[string]string{"quiet.md": "quiet\n"})
	for p := range pages {
		b.put(fmt.Sprintf("p%d.md", p), "start\n")
	}
	b.ok("mnote.page.get", "quiet.md", nil)
	jobs := make([]job, hosts)
	for h := range jobs {
		jobs[h] = job{Dir: b.dir, State: b.state, Retry: true}
		for i := range each {
			page, text := fmt.Sprintf("p%d.md", (h+i)%pages), fmt.Sprintf("h%d-%d.", h, i)
			request := b.request("mnote.page.save", page, appended(text))
			if i%5 == 4 {
				request = b.request("mnote.artifact.create_ai_note", page, map[string]any{"content": text})
			}
			jobs[h].Calls = append(jobs[h].Calls, request)
		}
	}
	jobs[0].Step, jobs[0].Count, jobs[0].Signal = vault.StepSwapped, 20, syscall.SIGSTOP
	var all sync.WaitGroup
	var worst time.Duration
	var busy int
	var mu sync.Mutex
	stopped, out := child(t, jobs[0])
	note := func(l told) {
		mu.Lock()
		defer mu.Unlock()
		worst = max(worst, l.Took)
		switch {
		case l.Reason == "busy":
			busy++
		case l.Code != "":
			t.Errorf("write %d: %s", l.Index, l.Answer)
		}
	}
	all.Go(func() {
		read(t, out, note)
		_ = stopped.Wait()
	})
	for _, j := range jobs[1:] {
		all.Go(func() {
			cmd, out := child(t, j)
			read(t, out, note)
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
	// Until somebody is told that it is busy the stopped process holds the lock;
	// meanwhile this process reads.
	reads := 0
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); reads++ {
		b.ok("mnote.page.get", "quiet.md", nil)
		mu.Lock()
		told := busy
		mu.Unlock()
		if told > 0 {
			break
		}
		time.Sleep(20 * time.Millisecond) // a pause between reads, not a wait for anything
	}
	b.must(stopped.Process.Signal(syscall.SIGCONT))
	all.Wait()
	notes := 0
	for p := range pages {
		id := fmt.Sprintf("p%d.md", p)
		text := b.text(id)
		for h := range hosts {
			for i := range each {
				if (h+i)%pages != p || i%5 == 4 {
					continue
				}
				if n := strings.Count(text, fmt.Sprintf("\nh%d-%d.\n", h, i)); n != 1 {
					t.Errorf("%s holds write h%d-%d %d times", id, h, i, n)
				}
			}
		}
		list := b.ok("mnote.artifact.list", id, nil)
		if total := number(list.result["total"]); total > 0 {
			notes += int(total)
		} else {
			notes += len(list.strings("artifacts", "kind"))
		}
	}
	if want := hosts * each / 5; notes != want {
		t.Errorf("%d notes, want %d", notes, want)
	}
	if busy == 0 || worst > 45*time.Second || reads == 0 {
		t.Errorf("%d refusals for being busy, the longest call took %v, %d reads meanwhile", busy, worst, reads)
	}
	t.Logf("%d writes, %d refused as busy and sent again, the longest call took %v, %d reads while one was stopped", hosts*each, busy, worst, reads)
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
		b.put(fmt.Sprintf("p%d.md", p), "start\n")
	}
	var all sync.WaitGroup
	var killed, resent atomic.Int64
	for h := range hosts {
		var requests []map[string]any
		for i := range each {
			requests = append(requests, b.request("mnote.page.save", fmt.Sprintf("p%d.md", (h+i)%pages), appended(fmt.Sprintf("h%d-%d.", h, i))))
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
			id := fmt.Sprintf("p%d.md", (h+i)%pages)
			if n := strings.Count(b.text(id), fmt.Sprintf("\nh%d-%d.\n", h, i)); n != 1 {
				t.Errorf("%s holds write h%d-%d %d times", id, h, i, n)
			}
		}
	}
	t.Logf("%d writes by %d processes, %d answers lost and sent again", hosts*each, killed.Load(), resent.Load())
	for p := range pages { // whoever reads next settles what the last kill left
		b.ok("mnote.page.get", fmt.Sprintf("p%d.md", p), nil)
	}
	b.swept()
}
