package ledger

import (
	"sync"
	"time"
)

const (
	// batchPause and batchRows say how long rows of reads wait: a commit costs as
	// much as five rows, whatever it holds.
	batchPause = 200 * time.Millisecond
	batchRows  = 256
	// retryPause is the wait after a flush that failed.
	retryPause = time.Second
	// maxQueue bounds the rows that wait for a file that takes none.
	maxQueue = 4096
)

// queue holds the rows that wait for a flush, and the timer of that flush. There
// is no goroutine while nothing waits.
type queue struct {
	mu      sync.Mutex
	rows    []Row
	spare   []Row       // the memory of rows that were written
	timer   *time.Timer // set while a flush is due
	running bool        // a flush is under way
	closed  bool
}

// add queues a row. full asks for a flush at once; !ok means that the row is
// lost.
func (q *queue) add(r Row) (full, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || len(q.rows) >= maxQueue {
		return false, false
	}
	if q.rows == nil {
		q.rows, q.spare = q.spare, nil
	}
	q.rows = append(q.rows, r)
	return len(q.rows)%batchRows == 0, true
}

func (q *queue) take() []Row {
	q.mu.Lock()
	defer q.mu.Unlock()
	rows := q.rows
	q.rows = nil
	return rows
}

// reuse takes back the memory of rows that were written.
func (q *queue) reuse(rows []Row) {
	if cap(rows) == 0 || cap(rows) > 2*batchRows {
		return
	}
	clear(rows)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.spare = rows[:0]
}

// putBack returns rows that could not be written, before those that came since.
func (q *queue) putBack(rows []Row) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.rows = append(rows, q.rows...)
}

func (q *queue) size() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.rows)
}

// arm makes f run after the pause, or sooner when it is due sooner already. A
// flush under way arms again by itself.
func (q *queue) arm(pause time.Duration, f func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case q.closed || q.running:
	case q.timer == nil:
		q.timer = time.AfterFunc(pause, f)
	case pause == 0:
		q.timer.Reset(0)
	}
}

// start reports whether the flush whose time has come may run.
func (q *queue) start() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || q.running {
		return false
	}
	q.running, q.timer = true, nil
	return true
}

func (q *queue) stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running = false
}

// close takes no more rows and ends the timer; what waits stays to be taken.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	if q.timer != nil {
		q.timer.Stop()
		q.timer = nil
	}
}
