package ledger

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// headFile is audit.head: the chain's last row, kept outside the database so
// that cutting the newest rows off can be told. It never knows more than what
// is on the disk, so a crash makes it lag and never lie.
type headFile struct {
	path string

	mu      sync.Mutex
	checked bool      // a row was committed behind what the file knows
	want    mark      // the last row known to be on the disk
	written int64     // the row that the file holds, as far as we know
	unsync  bool      // rows were committed that a power cut may take
	synced  time.Time // when last everything was on the disk
}

const (
	headForm = "mnote-audit v1 %020d %x\n"
	headSize = 15 + 20 + 1 + 64 + 1
	// headLag is how long rows of reads may wait to be on the disk.
	headLag = time.Minute
)

func headPath(db string) string { return filepath.Join(filepath.Dir(db), "audit.head") }

func (h *headFile) read() (mark, error) {
	f, err := os.Open(h.path)
	if err != nil {
		return mark{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, headSize+1))
	if err != nil {
		return mark{}, err
	}
	return parseHead(string(data))
}

func parseHead(s string) (m mark, err error) {
	if len(s) != headSize {
		return mark{}, fmt.Errorf("audit.head has %d bytes, want %d", len(s), headSize)
	}
	if _, err := fmt.Sscanf(s, headForm, &m.seq, &m.hash); err != nil || fmt.Sprintf(headForm, m.seq, m.hash) != s {
		return mark{}, fmt.Errorf("audit.head does not hold a row's number and hash")
	}
	return m, nil
}

// write puts the mark into the file unless a later one is there. The caller
// holds the database's write lock: so processes take turns. It is written in
// place, one short write without a sync: losing it to a power cut does no harm.
func (h *headFile) write(m mark) error {
	if now, err := h.read(); err == nil && now.seq >= m.seq {
		return nil
	}
	f, err := os.OpenFile(h.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte(fmt.Sprintf(headForm, m.seq, m.hash)), 0); err != nil {
		return err
	}
	return f.Truncate(headSize)
}

// beyond gives the later of the chain's end and the file's mark. The file is
// read until a first row is committed: from then on it cannot be ahead.
func (h *headFile) beyond(end mark) mark {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.checked {
		return end
	}
	if m, err := h.read(); err == nil && m.seq > end.seq {
		return m
	}
	return end
}

// durable notes that the row, and every one before it, is on the disk.
func (h *headFile) durable(m mark, now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.checked, h.unsync, h.synced = true, false, now
	if m.seq > h.want.seq {
		h.want = m
	}
}

// dirty notes that rows were committed without a sync.
func (h *headFile) dirty(now time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.checked, h.unsync = true, true
	if h.synced.IsZero() {
		h.synced = now
	}
}

// wantsSync reports whether rows have waited long enough to be synced.
func (h *headFile) wantsSync(now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.unsync && now.Sub(h.synced) >= headLag
}

// unsynced reports whether rows were committed that a power cut may take.
func (h *headFile) unsynced() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.unsync
}

// due gives the mark that is still to be written into the file, if any.
func (h *headFile) due() (mark, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.want, h.want.seq > h.written
}

func (h *headFile) wrote(m mark) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.written = m.seq
}
