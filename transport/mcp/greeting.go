package mcp

import (
	"context"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// greeting is the result of initialize. These are types of our own because
// mcp-go's hold all that any server could declare, which encoding/json takes apart
// before it writes the first of them: that is on the way of every start.
type greeting struct {
	Version      string          `json:"protocolVersion"`
	Abilities    abilities       `json:"capabilities"`
	Server       json.RawMessage `json:"serverInfo"`
	Instructions string          `json:"instructions,omitempty"`
}

// discovery is the result of server/discover, which says what a greeting does.
type discovery struct {
	Versions     []string  `json:"supportedVersions"`
	Abilities    abilities `json:"capabilities"`
	Instructions string    `json:"instructions,omitempty"`
}

// abilities are what this server declares (L4).
type abilities struct {
	Logging     struct{}  `json:"logging"`
	Prompts     *changing `json:"prompts,omitempty"`
	Resources   *changing `json:"resources,omitempty"`
	Tools       changing  `json:"tools"`
	Completions *struct{} `json:"completions,omitempty"`
}

// changing is a list whose changes are told.
type changing struct {
	ListChanged bool `json:"listChanged"`
}

func (f *Face) abilities() abilities {
	a := abilities{Tools: changing{true}}
	if f.declares(partPrompts) {
		a.Prompts = &changing{true}
	}
	if f.declares(partResources) {
		a.Resources = &changing{true}
	}
	if f.declares(partCompletions) {
		a.Completions = &struct{}{}
	}
	return a
}

// initialize shakes hands with a legacy client; a second time it starts anew. Of
// what the client says of itself only what we have a use for is judged.
func (f *Face) initialize(_ context.Context, q *request) stdio.Reply {
	p := q.params
	version, ok := text(p.Version)
	if !ok && given(p.Version) || !isObject(p.ClientInfo) && given(p.ClientInfo) || !isObject(p.Abilities) && given(p.Abilities) {
		return stdio.Reply{Fault: q.misfit()}
	}
	h := f.introduce(mcp.NegotiateLegacyVersion(version), p.ClientInfo, p.Abilities)
	f.greeted.Store(&h)
	f.ready.Store(false)
	f.announce.begin()
	return f.reply(q, greeting{
		Version: h.version, Abilities: f.abilities(), Server: json.RawMessage(f.serverInfo), Instructions: f.instructions(f.surface()),
	}, "")
}

// discover says to a modern client what a legacy one is told at initialize.
func (f *Face) discover(_ context.Context, q *request) stdio.Reply {
	return f.reply(q, discovery{
		Versions: mcp.ValidProtocolVersions, Abilities: f.abilities(), Instructions: f.instructions(f.surface()),
	}, kept(ttlMs))
}
