package localkernel

import (
	"slices"
	"sync"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
)

// Bounds of what recent keeps.
const (
	recentPages = 8
	recentBytes = 16 << 20
)

// recent keeps the pages that were parsed last, by their hash: an agent reads a
// page, plans on it and writes it, and a long one is read in many parts. Pages
// never change, so one may be shared.
type recent struct {
	mu    sync.Mutex
	pages []parsed // the latest last
}

type parsed struct {
	hash string
	page *page.Page
}

// parse gives the page of bytes with that hash. The work is done by whoever
// asks the page.
func (r *recent) parse(hash string, data []byte) *page.Page {
	return r.find(hash, func() *page.Page { return page.Parse(data) })
}

// keep remembers a page that was parsed elsewhere.
func (r *recent) keep(hash string, p *page.Page) *page.Page {
	return r.find(hash, func() *page.Page { return p })
}

func (r *recent) find(hash string, fresh func() *page.Page) *page.Page {
	r.mu.Lock()
	defer r.mu.Unlock()
	if at := slices.IndexFunc(r.pages, func(p parsed) bool { return p.hash == hash }); at >= 0 {
		found := r.pages[at]
		r.pages = append(slices.Delete(r.pages, at, at+1), found)
		return found.page
	}
	p := fresh()
	r.pages = append(r.pages, parsed{hash, p})
	for len(r.pages) > recentPages || len(r.pages) > 1 && r.size() > recentBytes {
		r.pages = slices.Delete(r.pages, 0, 1)
	}
	return p
}

func (r *recent) size() int {
	total := 0
	for _, p := range r.pages {
		total += len(p.page.Bytes())
	}
	return total
}
