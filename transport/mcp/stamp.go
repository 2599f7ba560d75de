package mcp

import (
	"fmt"

	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// reply marshals a small result and opens it, in the modern era, with who we are
// and with what hints say.
func (f *Face) reply(q *request, result any, hints string) stdio.Reply {
	body, err := tools.Compact(result)
	if err != nil {
		f.cfg.Log.Error().Err(err).Str("request", q.describe()).Msg("a result cannot be encoded")
		return stdio.Reply{Fault: stdio.InternalFault()}
	}
	if !q.modern {
		return stdio.Reply{Result: body}
	}
	head := []byte("{" + f.stamp + hints + ",")
	return stdio.Reply{Result: append(head, body[1:]...)}
}

// kept says for how long a modern client may keep a list or what it read.
func kept(ms int) string { return fmt.Sprintf(`,"ttlMs":%d,"cacheScope":%q`, ms, cacheScope) }
