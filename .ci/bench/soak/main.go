// Command soak keeps several hosts on one state and one folder busy, and fails
// when their memory, descriptors, threads or goroutines grow.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

func main() {
	host := flag.String("host", "", "the mnote-host to start")
	duration := flag.Duration("for", time.Hour, "how long")
	rate := flag.Int("rate", 50, "calls a second, of all hosts together")
	processes := flag.Int("hosts", 5, "hosts")
	flag.Parse()
	if err := run(*host, *duration, *rate, *processes); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// worker is one host and what is known of it.
type worker struct {
	page     string
	cmd      *exec.Cmd
	in       io.WriteCloser
	out      *bufio.Reader
	stderr   bytes.Buffer
	revision int
	calls    int
	refused  map[string]int
	samples  []sample
}

// sample is a host at one moment.
type sample struct{ rss, fds, threads float64 }

func newWorker(host, dir string, i int) (*worker, error) {
	w := &worker{page: fmt.Sprintf("page-%d.md", i), refused: map[string]int{}}
	file := filepath.Join(dir, "notes", w.page)
	if _, err := os.Stat(file); err != nil {
		if err := os.WriteFile(file, []byte("# Page\n\n"+strings.Repeat("A line of this page.\n", 50)), 0o600); err != nil {
			return nil, err
		}
	}
	w.cmd = exec.Command(host, "mcp", "--workspace", filepath.Join(dir, "notes"), "--state", filepath.Join(dir, "state"), "--log", "error")
	w.cmd.Stderr = &w.stderr
	var err error
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.out = bufio.NewReaderSize(out, 1<<16)
	return w, w.cmd.Start()
}

// mix is what the calls are, one after the other.
func (w *worker) mix(n int) (tool string, args map[string]any) {
	switch n % 10 {
	case 3:
		return "mnote_context_get", map[string]any{}
	case 5:
		return "mnote_doc_list", map[string]any{}
	case 7:
		return "mnote_page_save", map[string]any{"documentId": w.page, "content": "tried", "mode": "append", "dryRun": true}
	case 9:
		return "mnote_page_save", map[string]any{"documentId": w.page, "mode": "replace", "expectedRevision": w.revision, "dryRun": false,
			"content": fmt.Sprintf("Version %d.\n\n", n) + strings.Repeat("A line of this page.\n", 50)}
	}
	return "mnote_page_get", map[string]any{"documentId": w.page}
}

// call makes one call and keeps the page's revision.
func (w *worker) call() error {
	w.calls++
	tool, args := w.mix(w.calls)
	params, err := json.Marshal(map[string]any{"name": tool, "arguments": args})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(w.in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":%s}`+"\n", w.calls, params); err != nil {
		return err
	}
	line, err := w.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", tool, err, w.stderr.String())
	}
	var answer struct {
		Result struct {
			Structured struct {
				Result struct{ Revision int }
				Error  *struct{ Code, Message string }
			} `json:"structuredContent"`
		}
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return err
	}
	s := answer.Result.Structured
	if s.Error != nil {
		w.refused[tool+" "+s.Error.Code]++
	}
	if s.Result.Revision > 0 && (tool == "mnote_page_get" || w.calls%10 == 9) {
		w.revision = s.Result.Revision
	}
	return nil
}

// look takes a sample.
func (w *worker) look() (s sample) {
	proc := fmt.Sprintf("/proc/%d/", w.cmd.Process.Pid)
	status, _ := os.ReadFile(proc + "status")
	for _, line := range strings.Split(string(status), "\n") {
		_, _ = fmt.Sscanf(line, "VmRSS: %f", &s.rss)
		_, _ = fmt.Sscanf(line, "Threads: %f", &s.threads)
	}
	fds, _ := os.ReadDir(proc + "fd")
	s.fds = float64(len(fds))
	return s
}

// goroutines ends the host by SIGQUIT, whose dump names each.
func (w *worker) goroutines() int {
	time.Sleep(2 * time.Second) // what ends behind a call has ended
	_ = w.cmd.Process.Signal(syscall.SIGQUIT)
	_ = w.cmd.Wait()
	return strings.Count("\n"+w.stderr.String(), "\ngoroutine ")
}

func run(host string, duration time.Duration, rate, processes int) error {
	dir, err := os.MkdirTemp("", "soak")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := os.MkdirAll(filepath.Join(dir, "notes"), 0o700); err != nil {
		return err
	}
	var workers []*worker
	for i := range processes {
		w, err := newWorker(host, dir, i)
		if err != nil {
			return err
		}
		defer w.cmd.Process.Kill()
		workers = append(workers, w)
	}
	if err := drive(workers, duration, rate); err != nil {
		return err
	}
	// A host that has done little, to compare with.
	fresh, err := newWorker(host, dir, processes)
	if err != nil {
		return err
	}
	defer fresh.cmd.Process.Kill()
	for range 20 {
		if err := fresh.call(); err != nil {
			return err
		}
	}
	return report(workers, fresh.goroutines())
}

// drive has every worker call at its part of the rate until the time is over.
func drive(workers []*worker, duration time.Duration, rate int) error {
	end := time.Now().Add(duration)
	failed := make(chan error, len(workers))
	var all sync.WaitGroup
	for _, w := range workers {
		all.Go(func() {
			tick := time.NewTicker(time.Duration(len(workers)) * time.Second / time.Duration(rate))
			defer tick.Stop()
			next := time.Now()
			for now := range tick.C {
				if now.After(end) {
					return
				}
				if err := w.call(); err != nil {
					failed <- err
					return
				}
				if now.After(next) {
					w.samples = append(w.samples, w.look())
					next = now.Add(max(duration/200, time.Second))
				}
			}
		})
	}
	all.Wait()
	close(failed)
	return <-failed
}

// report compares the last quarter of the time with the second.
func report(workers []*worker, fresh int) error {
	var grown []string
	for i, w := range workers {
		n := len(w.samples)
		early, late := middle(w.samples[n/4:n/2]), middle(w.samples[3*n/4:])
		routines := w.goroutines()
		fmt.Printf("host %d: %d calls, refused %v; RSS %.1f → %.1f MB, descriptors %.0f → %.0f, threads %.0f → %.0f, goroutines %d (a fresh one %d)\n",
			i, w.calls, w.refused, early.rss/1024, late.rss/1024, early.fds, late.fds, early.threads, late.threads, routines, fresh)
		if late.rss > 1.15*early.rss+2048 || late.fds > early.fds+3 || late.threads > early.threads+4 || routines > fresh+3 {
			grown = append(grown, fmt.Sprint(i))
		}
		for what, n := range w.refused {
			if n > w.calls/100 {
				grown = append(grown, fmt.Sprintf("%d was refused %s %d times", i, what, n))
			}
		}
	}
	if len(grown) > 0 {
		return fmt.Errorf("grown: %s", strings.Join(grown, ", "))
	}
	return nil
}

// middle gives the median of each figure.
func middle(samples []sample) sample {
	of := func(f func(sample) float64) float64 {
		var v []float64
		for _, s := range samples {
			v = append(v, f(s))
		}
		slices.Sort(v)
		if len(v) == 0 {
			return 0
		}
		return v[len(v)/2]
	}
	return sample{of(func(s sample) float64 { return s.rss }), of(func(s sample) float64 { return s.fds }), of(func(s sample) float64 { return s.threads })}
}
