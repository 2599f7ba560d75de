package ledger

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mnote-dev/mnote-host/tools"
)

// Row is one call in the audit: who did what where, and what came of it; never
// a title, a text or an argument.
type Row struct {
	// Seq, Prev and Hash are the chain's, Time the moment of recording; they
	// are set when the row is recorded.
	Seq        int64     `json:"seq"`
	Time       time.Time `json:"time"`
	Session    string    `json:"sessionId"`
	Run        string    `json:"runId"`
	ToolCallID string    `json:"toolCallId"`
	TraceID    string    `json:"traceId"`
	Actor      string    `json:"actorId"`
	Profile    string    `json:"profile"`
	Agent      string    `json:"agentId"`
	Kernel     string    `json:"kernel"`
	Workspace  string    `json:"workspaceId"`
	Document   string    `json:"documentId"`
	// Tool is the dotted name; for a call of no known tool, what was asked for.
	Tool   string        `json:"toolName"`
	Kind   tools.Kind    `json:"kind"`
	Scopes []tools.Scope `json:"capabilityScope"`
	DryRun bool          `json:"dryRun"`
	Effect tools.Effect  `json:"effect"`
	// Code is the error's, or "" for a success.
	Code      tools.Code          `json:"code,omitempty"`
	CommandID string              `json:"commandId,omitempty"`
	Changed   []tools.ChangedFile `json:"changedFiles,omitempty"`
	ArgsHash  string              `json:"argsHash"`
	// KeyHash is HashKey of the idempotency key.
	KeyHash  string        `json:"keyHash"`
	Duration time.Duration `json:"durationNs"`
	Replayed bool          `json:"replayed"`
	// Agreed says how the person spoke who agreed to the write, or with the code
	// of a refusal declined it: client, terminal, console, permission; "" where
	// nobody was asked.
	Agreed string `json:"agreed,omitempty"`
	// Prev is the hash of the row before, Hash this row's over Prev and all
	// members but Seq; both in hexadecimal.
	Prev string `json:"prev"`
	Hash string `json:"hash"`
}

// waits reports whether the row may be recorded in a batch: the call only read
// or planned, and was not refused.
func (r Row) waits() bool {
	return r.Code == "" && (r.Effect == tools.EffectRead || r.Effect == tools.EffectDryRun)
}

// columns names what a row's hash covers, in the order of fields.
const columns = `at, session, run, tool_call, trace, actor, profile, agent, kernel, workspace, document, tool,
	kind, scopes, dry_run, effect, code, command, changed, args_hash, key_hash, duration, replayed, agreed`

const (
	maxField = 4096
	// maxTool is for the one field that a caller may fill with anything.
	maxTool = 128
)

// fields gives the row's columns as text, as they are stored and hashed.
func (r Row) fields() ([]string, error) {
	scopes, err := json.Marshal(r.Scopes)
	if err != nil {
		return nil, err
	}
	changed, err := json.Marshal(r.Changed)
	if err != nil {
		return nil, err
	}
	f := []string{
		strconv.FormatInt(r.Time.UnixMicro(), 10), r.Session, r.Run, r.ToolCallID, r.TraceID, r.Actor, r.Profile,
		r.Agent, r.Kernel, r.Workspace, r.Document, clip(r.Tool, maxTool),
		string(r.Kind), string(scopes), bit(r.DryRun), string(r.Effect), string(r.Code), r.CommandID, string(changed),
		r.ArgsHash, r.KeyHash, strconv.FormatInt(int64(r.Duration), 10), bit(r.Replayed), r.Agreed,
	}
	for i, s := range f {
		if i != 13 && i != 18 { // JSON of our own
			f[i] = clip(s, maxField)
		}
	}
	return f, nil
}

// clip makes outside text fit for the file: bounded, valid, without NUL.
func clip(s string, limit int) string {
	if len(s) > limit {
		s = s[:limit]
	}
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 { // nearly all are
		return s
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

func bit(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// hashRow chains a row's fields to the row before. The last one, agreed, came
// with the third schema: rows without it hash as they did before.
func hashRow(prev []byte, fields []string) []byte {
	if last := len(fields) - 1; fields[last] == "" {
		fields = fields[:last]
	}
	return digest(append([]string{"mnote-audit-1", string(prev)}, fields...)...)
}

// record is a row as the file holds it.
type record struct {
	seq        int64
	fields     []string
	prev, hash []byte
}

// targets gives the places that a query of seq, columns, prev and hash scans
// into.
func (r *record) targets() []any {
	r.fields = make([]string, strings.Count(columns, ",")+1)
	t := []any{&r.seq}
	for i := range r.fields {
		t = append(t, &r.fields[i])
	}
	return append(t, &r.prev, &r.hash)
}

// row reads the record; it fails on what no Ledger wrote.
func (r record) row() (Row, error) {
	f := r.fields
	at, err := strconv.ParseInt(f[0], 10, 64)
	if err != nil {
		return Row{}, fmt.Errorf("audit row %d: time: %w", r.seq, err)
	}
	d, err := strconv.ParseInt(f[21], 10, 64)
	if err != nil {
		return Row{}, fmt.Errorf("audit row %d: duration: %w", r.seq, err)
	}
	out := Row{
		Seq: r.seq, Time: time.UnixMicro(at).UTC(), Session: f[1], Run: f[2], ToolCallID: f[3], TraceID: f[4],
		Actor: f[5], Profile: f[6], Agent: f[7], Kernel: f[8], Workspace: f[9], Document: f[10], Tool: f[11],
		Kind: tools.Kind(f[12]), DryRun: f[14] == "1", Effect: tools.Effect(f[15]), Code: tools.Code(f[16]),
		CommandID: f[17], ArgsHash: f[19], KeyHash: f[20], Duration: time.Duration(d), Replayed: f[22] == "1", Agreed: f[23],
		Prev: hex.EncodeToString(r.prev), Hash: hex.EncodeToString(r.hash),
	}
	if err := json.Unmarshal([]byte(f[13]), &out.Scopes); err != nil {
		return Row{}, fmt.Errorf("audit row %d: scopes: %w", r.seq, err)
	}
	if err := json.Unmarshal([]byte(f[18]), &out.Changed); err != nil {
		return Row{}, fmt.Errorf("audit row %d: changed files: %w", r.seq, err)
	}
	return out, nil
}
