package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// The forms of our URIs: a skill, a page (and a block of it behind #), and what
// an ACP client writes, where the host is the workspace's id.
const (
	scheme       = "mnote://"
	skillHost    = "skill"
	pageHost     = "page"
	pageTemplate = scheme + pageHost + "/{+documentId}"
	markdown     = "text/markdown"
)

// address is what a URI of ours points at: a skill, or a page.
type address struct {
	skillID string

	workspaceID string // "" is the session's
	documentID  string
	blockID     string
}

// parseAddress reads a URI of ours. Each path segment is percent-decoded by
// itself; one that was never encoded is taken as it stands.
func parseAddress(uri string) (address, bool) {
	rest, ok := strings.CutPrefix(uri, scheme)
	if !ok {
		return address{}, false
	}
	rest, block, _ := strings.Cut(rest, "#")
	host, path, _ := strings.Cut(rest, "/")
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if plain, err := url.PathUnescape(s); err == nil {
			segments[i] = plain
		}
	}
	a := address{documentID: strings.Join(segments, "/"), blockID: block}
	if plain, err := url.PathUnescape(block); err == nil {
		a.blockID = plain
	}
	switch host {
	case skillHost:
		return address{skillID: a.documentID}, a.documentID != "" && block == ""
	case pageHost:
	default:
		a.workspaceID = host
	}
	return a, a.documentID != "" && host != ""
}

// encodeID writes a document id for a URI template's {+documentId}: what would
// end the path or be decoded is encoded, the client's own expansion does the
// rest.
func encodeID(id string) string {
	return strings.NewReplacer("%", "%25", "#", "%23", "?", "%3F").Replace(id)
}

// listResources serves resources/list, and listTemplates the list of their
// templates: a change of either is one.
func (f *Face) listResources(_ context.Context, q *request) stdio.Reply {
	return f.show(q, func(s *surface, k *known) list { k.resources = s; return s.resources })
}

func (f *Face) listTemplates(_ context.Context, q *request) stdio.Reply {
	return f.show(q, func(s *surface, k *known) list { k.resources = s; return s.templates })
}

// skillRows lists the skills of the packs that are on, each once.
func (s *surface) skillRows() []mcp.Resource {
	out := []mcp.Resource{}
	listed := map[string]bool{}
	for _, p := range s.packs {
		if listed[p.SkillID] {
			continue
		}
		listed[p.SkillID] = true
		out = append(out, mcp.Resource{
			URI: scheme + skillHost + "/" + url.PathEscape(p.SkillID), Name: p.SkillID, Title: p.Title,
			Description: p.Description, MIMEType: markdown,
		})
	}
	return out
}

// pageRows lists the one template, that of a page, where pages can be read.
func (s *surface) pageRows() []mcp.ResourceTemplate {
	if !s.snap.Offers(capabilities.ToolPageGet) {
		return []mcp.ResourceTemplate{}
	}
	return []mcp.ResourceTemplate{mcp.NewResourceTemplate(pageTemplate, pageHost, mcp.WithTemplateTitle("MNote page"),
		mcp.WithTemplateDescription("A page of notes (笔记) as Markdown, by its documentId; #blockId for one block."),
		mcp.WithTemplateMIMEType(markdown))}
}

// readResource serves resources/read: an id may be unencoded (笔记.md), and a URI
// in the form of an ACP client.
func (f *Face) readResource(ctx context.Context, q *request) stdio.Reply {
	if !f.client.Offers.Resources {
		return stdio.Reply{Fault: stdio.MethodFault(q.Method)}
	}
	uri, ok := text(q.params.URI)
	if !ok {
		return stdio.Reply{Fault: stdio.ParamsFault("uri must be a string")}
	}
	a, ok := parseAddress(uri)
	if !ok {
		return stdio.Reply{Fault: of(uri, q.notFound("no such resource: a URI is "+scheme+skillHost+"/{id} or "+pageTemplate))}
	}
	content, fault := f.content(ctx, q, a)
	if fault != nil {
		return stdio.Reply{Fault: of(uri, fault)}
	}
	r := mcp.ReadResourceResult{Contents: []mcp.ResourceContents{
		mcp.TextResourceContents{URI: uri, MIMEType: content.mime, Text: content.text},
	}}
	return f.reply(q, r, kept(0)) // a page may change at any moment: what was read is stale at once
}

// of names the resource in a fault's data, as both eras want it (L13, M14).
func of(uri string, fault *stdio.Fault) *stdio.Fault {
	name, err := tools.Compact(clip(uri, 2000))
	if err != nil {
		return fault
	}
	data := append([]byte(`{"uri":`), name...)
	if rest, ok := bytes.CutPrefix(fault.Data, []byte("{")); ok && len(rest) > 1 {
		data = append(append(data, ','), rest...)
	} else {
		data = append(data, '}')
	}
	fault.Data = data
	return fault
}

// content is the text of a resource.
type content struct{ text, mime string }

// content runs the tool that the address stands for; whatever it refuses is the
// fault.
func (f *Face) content(ctx context.Context, q *request, a address) (content, *stdio.Fault) {
	if a.skillID != "" {
		text, fault := f.skill(ctx, q, a.skillID)
		return content{text, markdown}, fault
	}
	return f.page(ctx, q, a)
}

// skill reads a skill's text through the pipeline.
func (f *Face) skill(ctx context.Context, q *request, id string) (string, *stdio.Fault) {
	var r struct {
		Content string `json:"content"`
	}
	fault := f.run(ctx, q, capabilities.ToolSkillRead, map[string]any{"skillId": id}, &r)
	return r.Content, fault
}

// run calls a tool for the face and decodes its result.
func (f *Face) run(ctx context.Context, q *request, tool tools.Name, args map[string]any, into any) *stdio.Fault {
	raw, err := tools.Compact(args)
	if err != nil {
		return stdio.InternalFault()
	}
	env := f.cfg.Session.Call(ctx, string(tool), raw, q.meta())
	if !env.OK {
		return f.refusal(q, env)
	}
	if err := json.Unmarshal(env.Result, into); err != nil {
		f.cfg.Log.Error().Err(err).Str("tool", string(tool)).Str("trace", env.TraceID).Msg("a result has another shape")
		return stdio.InternalFault()
	}
	return nil
}

// refusal turns a refused read of a resource or prompt into a fault, with the
// error as its data.
func (f *Face) refusal(q *request, env tools.Envelope) *stdio.Fault {
	if env.Error == nil {
		return stdio.InternalFault()
	}
	fault := q.notFound(q.client.results.Calm(string(env.Error.Code) + ": " + env.Error.Message))
	if failure(env.Error) {
		fault.Code = stdio.CodeInternal
	}
	fault.Data, _ = tools.Compact(env.Error)
	return fault
}

// notFound is the fault of a resource or prompt that the client cannot have,
// whether or not it exists. A resource's code differs by era (M14).
func (q *request) notFound(message string) *stdio.Fault {
	code := stdio.CodeParams
	if q.Method == string(mcp.MethodResourcesRead) && !q.modern {
		code = codeResourceNotFound
	}
	return &stdio.Fault{Code: code, Message: message}
}
