package mcp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// method is a request that is not hot: the era that has it, the part of a server
// that it belongs to, and who answers it.
type method struct {
	in     era
	of     part
	answer func(*Face, context.Context, *request) stdio.Reply
}

// era is the generation of the protocol that has a method; the zero value is
// both.
type era int

const (
	legacyEra era = iota + 1
	modernEra
)

// part is what a server need not have, and declares when it does; the zero value
// is what every one has.
type part string

const (
	partPrompts     part = "prompts"
	partResources   part = "resources"
	partCompletions part = "completions"
)

// methods are what the face answers besides the hot ones. mcp-go's dispatcher,
// which would bring 4 ms and 1.5 MB to every start, is held against each of them
// by the tests (TestAgreesWithMCPGo): what the protocol wants is the library's to
// know.
var methods = map[mcp.MCPMethod]method{
	mcp.MethodInitialize:             {in: legacyEra, answer: (*Face).initialize},
	mcp.MethodServerDiscover:         {in: modernEra, answer: (*Face).discover},
	mcp.MethodPing:                   {in: legacyEra, answer: (*Face).ping},
	mcp.MethodSetLogLevel:            {in: legacyEra, answer: (*Face).setLevel},
	mcp.MethodPromptsList:            {of: partPrompts, answer: (*Face).listPrompts},
	mcp.MethodPromptsGet:             {of: partPrompts, answer: (*Face).getPrompt},
	mcp.MethodResourcesList:          {of: partResources, answer: (*Face).listResources},
	mcp.MethodResourcesTemplatesList: {of: partResources, answer: (*Face).listTemplates},
	mcp.MethodResourcesSubscribe:     {in: legacyEra, of: partResources, answer: lacking("resources subscribe")},
	mcp.MethodResourcesUnsubscribe:   {in: legacyEra, of: partResources, answer: lacking("resources unsubscribe")},
	mcp.MethodCompletionComplete:     {of: partCompletions, answer: (*Face).complete},
}

// dispatch answers a request by its method, where the request's era and what we
// declare have it.
func (f *Face) dispatch(ctx context.Context, q *request) stdio.Reply {
	m, known := methods[mcp.MCPMethod(q.Method)]
	switch {
	case !known:
		return stdio.Reply{Fault: stdio.MethodFault(q.Method)}
	case q.modern && m.in == legacyEra:
		return absent("%q was removed in protocol version %s", q.Method, mcp.ProtocolVersion20260728)
	case !q.modern && m.in == modernEra:
		return absent("%q requires protocol version %s or later", q.Method, mcp.ProtocolVersion20260728)
	case !f.declares(m.of):
		return absent("%s not supported", m.of)
	}
	return m.answer(f, ctx, q)
}

// declares reports whether we have a part: what the client has no use for is not
// declared, and not served (L4).
func (f *Face) declares(p part) bool {
	switch p {
	case partPrompts:
		return f.client.Offers.Prompts
	case partResources, partCompletions: // it is resources that we complete
		return f.client.Offers.Resources
	}
	return true
}

// lacking answers the methods of an ability that we never have.
func lacking(ability string) func(*Face, context.Context, *request) stdio.Reply {
	return func(*Face, context.Context, *request) stdio.Reply { return absent("%s not supported", ability) }
}

// absent says that a method is not there, and why.
func absent(format string, args ...any) stdio.Reply {
	return stdio.Reply{Fault: &stdio.Fault{Code: stdio.CodeMethod, Message: fmt.Sprintf(format, args...)}}
}

// decode reads the params into a type of mcp-go's. Those that do not fit it are
// the client's fault; what came beyond it is nobody's.
func (q *request) decode(into any) *stdio.Fault {
	if q.Params != nil && json.Unmarshal(q.Params, into) != nil {
		return q.misfit()
	}
	return nil
}

func (q *request) misfit() *stdio.Fault { return stdio.ParamsFault("they do not fit " + q.Method) }
