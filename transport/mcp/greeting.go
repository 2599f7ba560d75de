package mcp

import (
	"context"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// abilities are what this server declares (L4), as JSON.
func (f *Face) abilities() string {
	const changing = `{"listChanged":true}`
	out := `{"logging":{}`
	if f.declares(partPrompts) {
		out += `,"prompts":` + changing
	}
	if f.declares(partResources) {
		out += `,"resources":` + changing
	}
	out += `,"tools":` + changing
	if f.declares(partCompletions) {
		out += `,"completions":{}`
	}
	return out + `}`
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
	out := append([]byte(`{"protocolVersion":"`), h.version...) // one of mcp-go's words
	out = append(append(out, `","capabilities":`...), f.abilities()...)
	out = append(append(out, `,"serverInfo":`...), f.serverInfo...)
	return stdio.Reply{Result: f.instruct(out)}
}

// instruct ends a greeting with the instructions.
func (f *Face) instruct(out []byte) []byte {
	out = append(out, `,"instructions":`...)
	return append(appendText(out, f.instructions(f.surface())), '}')
}

// discover says to a modern client what a legacy one is told at initialize.
func (f *Face) discover(context.Context, *request) stdio.Reply {
	out := append([]byte("{"+f.stamp+kept(ttlMs)), `,"supportedVersions":["`...)
	out = append(append(out, strings.Join(mcp.ValidProtocolVersions, `","`)...), `"],"capabilities":`...)
	return stdio.Reply{Result: f.instruct(append(out, f.abilities()...))}
}
