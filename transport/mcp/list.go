package mcp

import (
	"fmt"
	"sync"

	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// list is one of a surface's lists as each era gets it, made at its first use: to
// make that of the tools takes a millisecond, to copy it out nothing.
type list struct{ legacy, modern func() []byte }

// newList makes a list of its rows, a JSON array, and their member's name.
func (f *Face) newList(member string, rows func() []byte) list {
	return list{
		legacy: sync.OnceValue(func() []byte { return fmt.Appendf(nil, `{%q:%s}`, member, rows()) }),
		modern: sync.OnceValue(func() []byte {
			return fmt.Appendf(nil, `{%s%s,%q:%s}`, f.stamp, kept(ttlMs), member, rows())
		}),
	}
}

// rows marshals what makes a list, which is strings, once.
func rows[T any](of func() []T) func() []byte {
	return sync.OnceValue(func() []byte {
		out, _ := tools.Compact(of())
		return out
	})
}

// show answers the list that pick picks of the current surface, and notes, as pick
// does, that the client has seen it.
func (f *Face) show(q *request, pick func(*surface, *known) list) stdio.Reply {
	if fault := q.noCursor(); fault != nil {
		return stdio.Reply{Fault: fault}
	}
	s := f.surface()
	var l list
	f.announce.showed(func(k *known) { l = pick(s, k) })
	if q.modern {
		return stdio.Reply{Result: l.modern()}
	}
	return stdio.Reply{Result: l.legacy()}
}
