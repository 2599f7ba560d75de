package acp

import (
	"bytes"
	"io"
	"os"
	"strings"
	"sync"
)

// maxTail bounds what is remembered of an agent's stderr, in bytes.
const maxTail = 4 << 10

// lastWords passes on what an agent says on stderr and remembers the end of it,
// in memory alone, for those who wait for an agent that has died.
type lastWords struct {
	to   io.Writer
	done chan struct{} // closed when nobody holds the agent's stderr any more

	mu   sync.Mutex
	tail []byte
}

// overhear passes on what is written to the file that it gives.
func overhear(to io.Writer) (*lastWords, *os.File, error) {
	from, agent, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	w := &lastWords{to: to, done: make(chan struct{})}
	go func() {
		defer close(w.done)
		defer from.Close()
		_, _ = io.Copy(w, from)
	}()
	return w, agent, nil
}

// Write passes on: an agent must not stop because our own stderr is full or
// gone.
func (w *lastWords) Write(b []byte) (int, error) {
	w.mu.Lock()
	w.tail = append(w.tail, b[max(0, len(b)-maxTail):]...)
	w.tail = append(w.tail[:0], w.tail[max(0, len(w.tail)-maxTail):]...)
	w.mu.Unlock()
	_, _ = w.to.Write(b)
	return len(b), nil
}

// line is the last line that says something, or "".
func (w *lastWords) line() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	said := bytes.TrimSpace(w.tail)
	return strings.ToValidUTF8(string(bytes.TrimSpace(said[bytes.LastIndexByte(said, '\n')+1:])), "\uFFFD")
}
