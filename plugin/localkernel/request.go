package localkernel

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/mnote-dev/mnote-host/tools"
)

// call is one request to run a tool, as it goes through the checks.
type call struct {
	tools.Call
	*entry

	sent   map[string]json.RawMessage // the envelope's members
	args   map[string]json.RawMessage // the tool's own arguments
	access access
	view   switched
	person bool // it came through a person's own door
	// lifts: the call undoes the write that protected its page.
	lifts bool
	// body is the hash that a key and a plan are bound to.
	body string
}

// serveCall answers POST …/call: always with an envelope once there is a call
// to answer.
func (k *Kernel) serveCall(w http.ResponseWriter, r *http.Request) {
	c, err := readCall(r)
	if err != nil {
		k.refuse(w, r, statusOf(err), err)
		return
	}
	c.person = doorOf(r.Context()).Person
	env, err := k.run(r.Context(), c)
	if err != nil {
		err = coded(err)
		k.logFault(c, err)
		env = tools.Refuse(c.Call, err)
	}
	k.send(w, http.StatusOK, env)
}

// logFault logs what is our fault or the machine's; a refusal is neither.
func (k *Kernel) logFault(c *call, err error) {
	switch e := tools.AsError(err); e.Code {
	case tools.CodeInternal, tools.CodeKernelUnavailable:
		k.opts.Log.Error().Str("tool", string(c.ToolName)).Str("trace", c.TraceID).Str("code", string(e.Code)).Err(err).Msg("a call failed")
	}
}

func statusOf(err error) int {
	if tools.AsError(err).Code == tools.CodePayloadTooLarge {
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusBadRequest
}

var (
	textBody = tools.Text{
		ZH: "请求体不是一个工具调用（%s）；需要带 toolName 的 JSON 对象",
		EN: "the body is no tool call (%s); it must be a JSON object with a toolName",
	}
	textBodySize = tools.Text{ZH: "请求体超过 32 MiB", EN: "the body is larger than 32 MiB"}
)

// readCall reads the envelope of seed 7-6 §2. Members that are not known are
// ignored; one that stands twice, or in another case, is refused: two readers
// would take two different calls from it.
func readCall(r *http.Request) (*call, error) {
	body, err := readBody(r)
	if err != nil {
		return nil, err
	}
	c := &call{}
	if c.sent, err = strictMembers(body, envelopeMembers); err != nil {
		return nil, errorIn(tools.CodeInvalidArgs, textBody, saidOf(err))
	}
	if grant := c.sent["accessScope"]; len(grant) > 0 && string(grant) != "null" {
		if _, err := strictMembers(grant, grantMembers); err != nil {
			return nil, errorIn(tools.CodeInvalidArgs, textBody, under("accessScope", saidOf(err)))
		}
	}
	if err := json.Unmarshal(body, &c.Call); err != nil {
		return nil, errorIn(tools.CodeInvalidArgs, textBody, saidOf(err))
	}
	if c.ToolName == "" {
		return nil, tools.Errorf(tools.CodeInvalidArgs, textBody, "toolName")
	}
	c.Lang = langOf(r)
	return c, nil
}

func readBody(r *http.Request) ([]byte, error) {
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		return nil, tools.Errorf(tools.CodeInvalidArgs, textBody, "Content-Type")
	}
	body, err := io.ReadAll(r.Body)
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return nil, tools.Errorf(tools.CodePayloadTooLarge, textBodySize).With("limit", maxBody)
	}
	if err != nil {
		return nil, errorIn(tools.CodeInvalidArgs, textBody, saidCut)
	}
	return body, nil
}

var envelopeMembers = []string{
	"toolName", "workspaceId", "documentId", "actorId", "sessionId", "runId", "toolCallId", "traceId", "idempotencyKey",
	"dryRun", "capabilityScope", "args", "profile", "agentId", "accessScope", "contextRefs", "selection", "objectIdentity",
}

var grantMembers = []string{
	"permissionLevel", "shared", "workspaceId", "documentIds", "allowedResourceIds", "rootUri", "capabilityScope", "expiresAt",
}

// readArgs takes the call's own arguments apart, strictly, and holds the whole
// against the manifest's schema. The host's check is not trusted.
func (k *Kernel) readArgs(c *call) error {
	if err := c.readEnvelope(); err != nil {
		return err
	}
	raw := c.Args
	if len(raw) == 0 || string(raw) == "null" {
		raw = json.RawMessage("{}")
	}
	args, err := strictMembers(raw, slices.Sorted(maps.Keys(c.known)))
	if err != nil {
		return invalid("/args", saidOf(err), tools.Text{ZH: "一个 JSON 对象，每个成员只出现一次", EN: "one JSON object, each member once"})
	}
	for name, value := range args {
		if err := c.sortArg(name, value); err != nil {
			return err
		}
		if isEnvelopeArg(name) {
			delete(args, name)
		}
	}
	c.args = args
	if err := c.wholeNumbers(); err != nil {
		return err
	}
	full, err := json.Marshal(c.full())
	if err != nil {
		return err
	}
	return c.schema.Check(full)
}

// isEnvelopeArg reports whether a member of args repeats one of the envelope.
func isEnvelopeArg(name string) bool {
	return name != "args" && name != "capabilityScope" && slices.Contains(envelopeMembers, name)
}

// sortArg refuses a member of args that the tool does not know, and one that
// says otherwise than the envelope does (7-6 §4 lists the session's fields among
// the arguments, so they may stand there too).
func (c *call) sortArg(name string, value json.RawMessage) error {
	if isEnvelopeArg(name) {
		var a, b any
		if json.Unmarshal(value, &a) != nil || json.Unmarshal(c.sent[name], &b) != nil || a != b {
			return invalid("/"+name, tools.Text{ZH: "与信封里的值不同", EN: "differs from the envelope's"}, tools.Text{ZH: "信封里的值", EN: "the envelope's own value"})
		}
		return nil
	}
	if !c.known[name] {
		return invalid("/"+name, tools.Text{ZH: "没有这个参数", EN: "unknown argument"}, alike(strings.Join(c.own(), ", ")))
	}
	return nil
}

// own lists the tool's own arguments.
func (c *call) own() []string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(c.known)) {
		if !isEnvelopeArg(name) {
			names = append(names, name)
		}
	}
	return names
}

// readEnvelope checks the members that every call has (7-6 §1), and those of a
// write.
func (c *call) readEnvelope() error {
	for name, value := range map[string]string{
		"sessionId": c.SessionID, "runId": c.RunID, "toolCallId": c.ToolCallID, "traceId": c.TraceID,
	} {
		if value == "" {
			return invalid("/"+name, saidMissing, tools.Text{ZH: "字符串", EN: "a string"})
		}
	}
	if c.Document() == "" && c.schema.Requires("documentId") {
		return tools.Errorf(tools.CodeMissingContext, textNoDocumentID).With("missing", "documentId")
	}
	if !c.Writes() {
		return nil
	}
	if _, said := c.sent["dryRun"]; !said {
		return invalid("/dryRun", tools.Text{ZH: "缺失", EN: "missing"}, tools.Text{ZH: "true 或 false，没有默认值", EN: "true or false; it is never assumed"})
	}
	if c.IdempotencyKey == "" && !c.DryRun {
		return invalid("/idempotencyKey", saidMissing, tools.Text{ZH: "字符串，每次写入各用一个", EN: "a string, one for each write"})
	}
	return nil
}

// full is the whole that the manifest's schema describes: the tool's own
// arguments with the envelope's members that the schema names.
func (c *call) full() map[string]any {
	full := map[string]any{}
	for name, value := range c.args {
		full[name] = value
	}
	for name, value := range c.sent {
		if c.known[name] && isEnvelopeArg(name) && string(value) != "null" {
			full[name] = value
		}
	}
	return full
}

// decode reads the tool's own arguments into its struct.
func (c *call) decode(into any) error {
	raw, err := json.Marshal(c.args)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, into); err != nil {
		return invalid("/args", saidOf(err), tools.Text{ZH: "符合工具 schema 的参数", EN: "what the tool's schema says"})
	}
	return nil
}
