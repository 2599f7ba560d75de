package mcp

import "sync"

const (
	// minSpare is the smallest buffer that is made: most answers fit any other's.
	minSpare = 8 << 10
	// maxSpare is the largest that is kept for another answer.
	maxSpare = 64 << 10
)

// buffers are byte slices of no more use to who had them. An answer is written
// twice into memory of its own, which was a quarter of all that a call
// allocated; and each further collection is paid by the calls too.
type buffers struct{ pool sync.Pool }

// get gives an empty slice with room for n bytes.
func (b *buffers) get(n int) []byte {
	if p, ok := b.pool.Get().(*[]byte); ok && cap(*p) >= n {
		return (*p)[:0]
	}
	return make([]byte, 0, max(n, minSpare))
}

// put takes a slice that nobody reads any more.
func (b *buffers) put(p []byte) {
	if cap(p) <= maxSpare {
		b.pool.Put(&p)
	}
}
