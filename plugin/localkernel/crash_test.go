//go:build unix

package localkernel

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
)

// kills is how many processes TestKills kills; the long run that is told of is
// -kills 2000.
var kills = flag.Int("kills", 40, "how many processes TestKills kills")

// job is what a child process of the tests does: the test binary runs itself.
type job struct {
	Dir, State string
	// Calls are sent in order; each answer is one line on stdout.
	Calls []map[string]any
	// Step and Count name the hook call at which the child gets the signal; a
	// Step of "" is any.
	Step   vault.Step
	Count  int
	Signal syscall.Signal
	// Retry sends a call again while the kernel says that it is busy.
	Retry bool
}

const jobVariable = "MNOTE_LOCALKERNEL_JOB"

func TestMain(m *testing.M) {
	if raw := os.Getenv(jobVariable); raw != "" {
		runJob(raw)
		return
	}
	os.Exit(m.Run())
}

// told is one line of a child's.
type told struct {
	Index  int
	Code   tools.Code
	Reason any
	Took   time.Duration
	Answer json.RawMessage
}

func runJob(raw string) {
	var j job
	if err := json.Unmarshal([]byte(raw), &j); err != nil {
		panic(err)
	}
	seen := 0
	k, err := Open(j.Dir, Options{StateDir: j.State, hook: func(s vault.Step) error {
		if j.Step == "" || s == j.Step {
			if seen++; seen == j.Count {
				end(j.Signal)
			}
		}
		return nil
	}})
	if err != nil {
		panic(err)
	}
	out := json.NewEncoder(os.Stdout)
	for i, request := range j.Calls {
		for {
			start := time.Now()
			w := direct{&bench{Kernel: k}}.serve("POST", "/api/hermes/tools/mnote/call", request)
			t := told{Index: i, Took: time.Since(start), Answer: w.Body.Bytes()}
			var env tools.Envelope
			if err := json.Unmarshal(w.Body.Bytes(), &env); err != nil {
				panic(err)
			}
			if env.Error != nil {
				t.Code, t.Reason = env.Error.Code, env.Error.Details["reason"]
			}
			_ = out.Encode(t)
			if !j.Retry || t.Reason != "busy" {
				break
			}
		}
	}
	_ = k.Close()
}

// end has this process killed, or stopped until it is told to go on. The signal
// may come to another thread first, so that this one waits for its effect.
func end(s syscall.Signal) {
	goOn := make(chan os.Signal, 1)
	signal.Notify(goOn, syscall.SIGCONT)
	_ = syscall.Kill(os.Getpid(), s)
	<-goOn
	signal.Stop(goOn)
}

// child starts a job; what it tells comes line by line.
func child(tb testing.TB, j job) (*exec.Cmd, io.ReadCloser) {
	tb.Helper()
	raw, err := json.Marshal(j)
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), jobVariable+"="+string(raw))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	return cmd, out
}

// finish reads what a child tells until it ends.
func finish(tb testing.TB, j job) []told {
	tb.Helper()
	cmd, out := child(tb, j)
	list := read(tb, out, nil)
	_ = cmd.Wait() // killed, mostly
	return list
}

func read(tb testing.TB, out io.Reader, each func(told)) []told {
	tb.Helper()
	var list []told
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var t told
		if err := json.Unmarshal(lines.Bytes(), &t); err != nil {
			tb.Errorf("a child says %q", lines.Text())
			continue
		}
		if each != nil {
			each(t)
		}
		list = append(list, t)
	}
	return list
}

// The places where a write can be killed: a change of a page, a new page in a
// new folder, and a page's removal.
var (
	changeSteps = []vault.Step{
		stepIntended, vault.StepStart, vault.StepTemp, vault.StepHalf, vault.StepWritten, vault.StepSynced, vault.StepSwapped,
		vault.StepChecked, vault.StepDurable, vault.StepCleaned, stepRecorded, stepAnswered,
	}
	createSteps = []vault.Step{
		stepIntended, vault.StepStart, vault.StepFolder, vault.StepTemp, vault.StepHalf, vault.StepWritten, vault.StepSynced, vault.StepSwapped,
		vault.StepDurable, vault.StepCleaned, stepRecorded, stepAnswered,
	}
	removeSteps = []vault.Step{
		stepIntended, vault.StepStart, vault.StepSwapped, vault.StepDurable, vault.StepCleaned, stepRecorded, stepAnswered,
	}
)

// TestKillEachStep: a process that is killed at any step of a write leaves the
// old bytes or the new ones; the history agrees with the file; the same key,
// sent again, is one write in all.
func TestKillEachStep(t *testing.T) {
	t.Parallel()
	const old = "# H\n\nold\n"
	kinds := map[string]struct {
		tool, document, file, new string
		steps                     []vault.Step
		args                      func(b *bench) map[string]any
	}{
		"save": {"mnote.page.save", "a.md", "a.md", old + "\nmore\n", changeSteps, func(*bench) map[string]any { return appended("more") }},
		"create": {"mnote.doc.create", "", "d/new.md", "# New\n", createSteps, func(*bench) map[string]any {
			return map[string]any{"path": "d/new.md", "content": "# New\n"}
		}},
		"undo a creation": {"mnote.command.undo", "", "made.md", "<none>", removeSteps, func(b *bench) map[string]any {
			done := b.ok("mnote.doc.create", "", map[string]any{"path": "made.md", "content": "made\n"})
			return map[string]any{"commandId": done.commandID()}
		}},
	}
	for name, kind := range kinds {
		for _, step := range kind.steps {
			t.Run(name+" "+string(step), func(t *testing.T) {
				t.Parallel()
				b := begin(t, map[string]string{"a.md": old})
				args := kind.args(b)
				before := b.text(kind.file)
				request := b.request(kind.tool, kind.document, args)
				b.must(b.Close())
				if told := finish(t, job{Dir: b.dir, State: b.state, Calls: []map[string]any{request}, Step: step, Count: 1, Signal: syscall.SIGKILL}); len(told) > 0 {
					t.Fatalf("the child was not killed: %s", told[0].Answer)
				}
				left := b.text(kind.file)
				if left != before && left != kind.new {
					t.Fatalf("a mix: %q", left)
				}
				b.Kernel = b.open()
				if left != "<none>" {
					got := b.ok("mnote.page.get", kind.file, nil)
					if got.result["contentHash"] != vault.HashOf([]byte(b.text(kind.file))) {
						t.Errorf("the state says %s of %q", got.raw, b.text(kind.file))
					}
				}
				again := b.send(request)
				if !again.OK {
					t.Fatalf("the retry: %s", again.raw)
				}
				b.holds(kind.file, kind.new)
				if third := b.send(request); !third.OK || !third.Audit.Replayed || third.commandID() != again.commandID() {
					t.Errorf("the third: %s", third.raw)
				}
				b.holds(kind.file, kind.new)
				if kind.new != "<none>" {
					h := b.ok("mnote.doc.history", kind.file, nil).strings("revisions", "commandId")
					if len(h) == 0 || h[0] != again.commandID() || strings.Count(strings.Join(h, " "), again.commandID()) != 1 {
						t.Errorf("the history tells %q of %s", h, again.commandID())
					}
				}
				b.swept()
			})
		}
	}
}

// TestKillThenEdit: a process is killed in a write and a person edits the page
// before anybody looks. The edit stands, and the key is never written twice.
func TestKillThenEdit(t *testing.T) {
	t.Parallel()
	for _, step := range changeSteps {
		t.Run(string(step), func(t *testing.T) {
			t.Parallel()
			b := begin(t, map[string]string{"a.md": "old\n"})
			request := b.request("mnote.page.save", "a.md", appended("more"))
			finish(t, job{Dir: b.dir, State: b.state, Calls: []map[string]any{request}, Step: step, Count: 1, Signal: syscall.SIGKILL})
			b.put("a.md", b.text("a.md")+"\na person's edit\n")
			edited := b.text("a.md")
			b.Kernel = b.open()
			b.ok("mnote.page.get", "a.md", nil)
			b.holds("a.md", edited)
			again := b.send(request)
			if strings.Count(b.text("a.md"), "more") > 1 || !strings.Contains(b.text("a.md"), "a person's edit") {
				t.Errorf("%s: the page holds %q", again.raw, b.text("a.md"))
			}
			if !again.OK && again.Error.Details["reason"] != "in_doubt" {
				t.Errorf("%s", again.raw)
			}
			b.swept()
		})
	}
}

// TestKills: processes that write one after the other and are killed at random
// steps. Each write that was accepted is there once, in order; each that was
// not is there once after its key was sent again.
func TestKills(t *testing.T) {
	t.Parallel()
	b := begin(t, map[string]string{"a.md": "start\n"})
	r := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 7))
	var requests []map[string]any
	for i := range *kills * 3 {
		requests = append(requests, b.request("mnote.page.save", "a.md", appended("line "+strconv.Itoa(i))))
	}
	whole := func(n int) string {
		text := "start\n"
		for i := range n {
			text += "\nline " + strconv.Itoa(i) + "\n"
		}
		return text
	}
	accepted := 0
	for range *kills {
		end := min(accepted+6, len(requests))
		list := finish(t, job{Dir: b.dir, State: b.state, Calls: requests[accepted:end], Count: 1 + r.IntN(30), Signal: syscall.SIGKILL})
		for _, l := range list {
			if l.Code != "" {
				t.Fatalf("write %d: %s", accepted, l.Answer)
			}
			accepted++
		}
		if text := b.text("a.md"); text != whole(accepted) && text != whole(accepted+1) {
			t.Fatalf("after %d accepted writes the page holds %d bytes: …%q", accepted, len(text), text[max(0, len(text)-60):])
		}
		if accepted == len(requests) {
			break
		}
	}
	b.Kernel = b.open()
	for _, request := range requests[:min(accepted+1, len(requests))] { // every key again: no second effect
		if a := b.send(request); !a.OK {
			t.Fatalf("%s", a.raw)
		}
	}
	b.holds("a.md", whole(min(accepted+1, len(requests))))
	t.Logf("%d processes were killed, %d writes accepted", *kills, accepted)
	b.swept()
}

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

// TestKillLeavesNoFolder: a process that is killed while it makes a page in a
// new folder leaves the page whole, or no folder; the next process that writes
// anything at all clears away the rest.
func TestKillLeavesNoFolder(t *testing.T) {
	t.Parallel()
	for _, step := range createSteps {
		t.Run(string(step), func(t *testing.T) {
			t.Parallel()
			b := begin(t, map[string]string{"a.md": "text\n"})
			request := b.request("mnote.doc.create", "", map[string]any{"path": "new/deep/page.md", "content": "# New\n"})
			b.must(b.Close())
			finish(t, job{Dir: b.dir, State: b.state, Calls: []map[string]any{request}, Step: step, Count: 1, Signal: syscall.SIGKILL})
			made := b.text("new/deep/page.md") != "<none>"
			if _, err := os.Stat(b.path("new")); (err == nil) != made {
				t.Errorf("page: %v, folder: %v", made, err)
			}
			b.Kernel = b.open()
			b.ok("mnote.page.save", "a.md", appended("more"))
			b.swept()
			if _, err := os.Stat(b.path("new")); (err == nil) != made {
				t.Errorf("page: %v, folder afterwards: %v", made, err)
			}
			if !made {
				return
			}
			b.holds("new/deep/page.md", "# New\n")
			h := b.ok("mnote.doc.history", "new/deep/page.md", nil).strings("revisions", "source")
			if len(h) != 1 || h[0] != "agent" {
				t.Errorf("the history tells %q", h)
			}
		})
	}
}
