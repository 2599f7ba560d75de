package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

// figures are one contender's in one round.
type figures struct {
	start, read, big float64 // ms, µs, ms
	write            float64 // µs
	kept             float64 // µs of a write, by the host's own log
	rate             float64 // calls a second with 64 in flight
	rss              float64 // MB
	// single and crowded are what a call costs the process, one at a time and
	// with 64 in flight.
	single, crowded cost
}

// process is a running contender.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// start starts a contender with further arguments; its log goes to the file, or
// with nil nowhere.
func (c contender) start(log *os.File, more ...string) (*process, error) {
	cmd := exec.Command(c.binary, append(slices.Clone(c.args), more...)...)
	if log != nil {
		cmd.Stderr = log
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &process{cmd, in, bufio.NewReaderSize(out, 1<<16)}, cmd.Start()
}

func (p *process) end() error {
	p.in.Close()
	return p.cmd.Wait()
}

// line reads one answer.
func (p *process) line() ([]byte, error) {
	var whole []byte
	for {
		part, err := p.out.ReadSlice('\n')
		whole = append(whole, part...)
		if err != bufio.ErrBufferFull {
			return whole, err
		}
	}
}

func call(id int, tool, page string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{"documentId":%q}}}`+"\n", id, tool, page)
}

// save is a write; no two of them are equal.
func save(id int, tool, page string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":{"documentId":%q,"mode":"append","dryRun":false,"content":[{"text":"line %d"}]}}}`+"\n", id, tool, page, id)
}

const list = `{"jsonrpc":"2.0","id":0,"method":"tools/list"}` + "\n"

// measure runs one round of one contender.
func (c contender) measure(s sizes) (f figures, err error) {
	starts, err := c.starts(s.starts)
	if err != nil {
		return f, err
	}
	f.start = median(starts)
	p, err := c.warm(nil)
	if err != nil {
		return f, err
	}
	if f.single, err = p.cost(s.reads, func() error {
		reads, err := p.times(s.reads, func(i int) string { return call(i, c.read, "small") })
		f.read = 1000 * median(reads)
		return err
	}); err != nil {
		return f, err
	}
	f.rss = p.rss()
	if f.crowded, err = p.cost(s.flood, func() error {
		f.rate, err = p.flood(s.flood, c.read)
		return err
	}); err != nil {
		return f, err
	}
	writes, err := p.times(s.writes, func(i int) string { return save(i, c.write, "small") })
	if err != nil {
		return f, err
	}
	f.write = 1000 * median(writes)
	if c.logs {
		if f.kept, err = c.kept(s.writes); err != nil {
			return f, err
		}
	}
	big, err := p.times(s.big, func(i int) string { return call(i, c.read, "big") })
	if err != nil {
		return f, err
	}
	f.big = median(big)
	return f, p.end()
}

// warm starts a contender that has shaken hands and served 100 calls.
func (c contender) warm(log *os.File, more ...string) (*process, error) {
	p, err := c.start(log, more...)
	if err != nil {
		return nil, err
	}
	if _, err := io.WriteString(p.in, `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`+
		"\n"+`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		return nil, err
	}
	if _, err := p.line(); err != nil {
		return nil, err
	}
	_, err = p.times(100, func(i int) string { return call(i, c.read, "small") })
	return p, err
}

// starts gives the times from start to the answer of tools/list, in ms.
func (c contender) starts(n int) (times []float64, err error) {
	for range n {
		began := time.Now()
		p, err := c.start(nil)
		if err != nil {
			return nil, err
		}
		if _, err := io.WriteString(p.in, list); err != nil {
			return nil, err
		}
		if answer, err := p.line(); err != nil || !bytes.Contains(answer, []byte(`"tools":[`)) {
			return nil, fmt.Errorf("%s answered %.200q: %w", c.name, answer, err)
		}
		times = append(times, ms(time.Since(began)))
		if err := p.end(); err != nil {
			return nil, err
		}
	}
	return times, nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// times calls one after the other and gives each time, in ms.
func (p *process) times(n int, line func(i int) string) (times []float64, err error) {
	for i := range n {
		began := time.Now()
		if _, err := io.WriteString(p.in, line(i)); err != nil {
			return nil, err
		}
		answer, err := p.line()
		if err != nil || !bytes.Contains(answer, []byte("a line of a note")) {
			return nil, fmt.Errorf("a call was answered by %.900q: %w", answer, err)
		}
		times = append(times, ms(time.Since(began)))
	}
	return times, nil
}

// flood keeps 64 calls in flight and gives the calls a second.
func (p *process) flood(n int, tool string) (float64, error) {
	places := make(chan struct{}, 64)
	began := time.Now()
	failed := make(chan error, 1)
	go func() {
		for i := range n {
			places <- struct{}{}
			if _, err := io.WriteString(p.in, call(i, tool, "small")); err != nil {
				failed <- err
				return
			}
		}
		failed <- nil
	}()
	for range n {
		if answer, err := p.line(); err != nil || !bytes.Contains(answer, []byte("a line of a note")) {
			return 0, fmt.Errorf("a call was answered by %.900q: %w", answer, err)
		}
		<-places
	}
	return float64(n) / time.Since(began).Seconds(), <-failed
}

// fsync gives the median time of appending a page to a file and syncing it, in µs.
func fsync(dir string, n int) (float64, error) {
	file, err := os.Create(filepath.Join(dir, "synced"))
	if err != nil {
		return 0, err
	}
	defer file.Close()
	page, times := make([]byte, 4096), []float64{}
	for range n {
		began := time.Now()
		if _, err := file.Write(page); err != nil {
			return 0, err
		}
		if err := file.Sync(); err != nil {
			return 0, err
		}
		times = append(times, 1000*ms(time.Since(began)))
	}
	return median(times), nil
}

func median(v []float64) float64 {
	v = slices.Clone(v)
	slices.Sort(v)
	return v[len(v)/2]
}
