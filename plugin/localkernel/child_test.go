//go:build unix

package localkernel

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
)

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
