package stdio

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/mnote-dev/mnote-host/tools"
)

// message is one JSON-RPC message: a request, a notification or an answer.
type message struct {
	id       json.RawMessage // nil when absent
	method   string
	params   json.RawMessage // nil when absent or null
	isAnswer bool            // has no method but a result or an error
}

// readMessage reads one JSON value as a message. When it is none the fault says
// why, and the message's id is set if it was readable: the fault belongs to it.
func readMessage(b []byte) (message, *Fault) {
	var m message
	var raw rawMessage
	switch err := tools.Members(b, raw.set); {
	case err == tools.ErrNoObject:
		return m, RequestFault("the message must be a JSON object")
	case err == tools.ErrTooDeep && json.Valid(b) && utf8.Valid(b): // what is that deep is its handler's to judge
		members(b, raw.setQuoted)
	case err != nil:
		return m, notJSON(b)
	}
	if isID(raw.id) && raw.twice != "id" {
		m.id = raw.id
	}
	if raw.method == nil && (raw.result != nil || raw.fault != nil) {
		m.isAnswer = true
		return m, nil // whose it is, is looked up; a bad one is nobody's
	}
	switch {
	case raw.twice != "":
		return m, RequestFault(raw.twice + " stands in the message twice")
	case string(raw.version) != `"2.0"`:
		return m, RequestFault(`"jsonrpc" must be "2.0"`)
	case raw.id != nil && m.id == nil:
		return m, RequestFault("the id must be a string or a number")
	case at(raw.method, 0) != '"':
		return m, RequestFault(`"method" must be a string`)
	}
	m.method = unquote(raw.method)
	return m, m.setParams(raw.params)
}

func (m *message) setParams(raw []byte) *Fault {
	switch at(raw, 0) {
	case '{', '[':
		m.params = raw
	case 0, 'n':
	default:
		return ParamsFault("params must be an object or an array")
	}
	return nil
}

// rawMessage holds the members of a message that mean something. Keys are
// compared exactly, and none may come twice: who reads the first and who reads
// the last must not disagree.
type rawMessage struct {
	version, id, method, params, result, fault []byte
	twice                                      string
}

func (r *rawMessage) set(name, value []byte) {
	field := r.field(name)
	if field == nil {
		return
	}
	if *field != nil {
		r.twice = cmp.Or(r.twice, string(name))
	}
	*field = value
}

// setQuoted is set for a name as it stands in the message.
func (r *rawMessage) setQuoted(key, value []byte) bool {
	r.set([]byte(unquote(key)), value)
	return true
}

func (r *rawMessage) field(name []byte) *[]byte {
	switch string(name) {
	case "jsonrpc":
		return &r.version
	case "id":
		return &r.id
	case "method":
		return &r.method
	case "params":
		return &r.params
	case "result":
		return &r.result
	case "error":
		return &r.fault
	}
	return nil
}

// isID reports whether a raw JSON value may be an id: a string or a number.
func isID(raw []byte) bool {
	c := at(raw, 0)
	return c == '"' || c == '-' || ('0' <= c && c <= '9')
}

// idKey is what an id is known by: its bytes, but that strings spelled with
// different escapes are one.
func idKey(id []byte) string {
	if bytes.IndexByte(id, '\\') < 0 {
		return string(id)
	}
	return `"` + unquote(id) + `"`
}

// unquote decodes a raw JSON string.
func unquote(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 && len(raw) >= 2 {
		return string(raw[1 : len(raw)-1])
	}
	var s string
	_ = json.Unmarshal(raw, &s) // raw is part of valid JSON
	return s
}

// notJSON says what is wrong with a line that is no JSON text.
func notJSON(b []byte) *Fault {
	switch {
	case hasHeader(b):
		return ParseFault("found a Content-Length header; this connection is one JSON object a line, without headers")
	case !utf8.Valid(b):
		return ParseFault("the line is not UTF-8")
	}
	var v json.RawMessage
	err := json.Unmarshal(b, &v)
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return ParseFault(syntax.Error())
	}
	return ParseFault("the line is not JSON")
}

// hasHeader reports whether the line looks like the framing of the Language
// Server Protocol: a header, or a body with the next header behind it.
func hasHeader(b []byte) bool {
	const header = "content-length:"
	line := strings.ToLower(string(b[max(0, len(b)-64):]))
	return strings.HasPrefix(strings.ToLower(string(b[:min(len(b), len(header))])), header) ||
		strings.Contains(line, "}"+header)
}

// idOfCut finds the id of a request of which only the two ends are known, or
// nil. It may come first or last; a value in between is not found.
func idOfCut(head, tail []byte) json.RawMessage {
	var id []byte
	members(head, func(key, value []byte) bool {
		if string(key) == `"id"` {
			id = value
		}
		return id == nil
	})
	if id == nil {
		id = lastID(tail)
	}
	if !isID(id) || !json.Valid(id) || !utf8.Valid(id) {
		return nil
	}
	return bytes.Clone(id)
}

// lastID returns the value of the id that ends an object: …,"id":7}
func lastID(tail []byte) []byte {
	tail = bytes.TrimRight(tail, " \t\r\n")
	if !bytes.HasSuffix(tail, []byte("}")) {
		return nil
	}
	tail = bytes.TrimRight(tail[:len(tail)-1], " \t")
	i := bytes.LastIndex(tail, []byte(`"id"`))
	if i < 1 || tail[i-1] == '\\' {
		return nil
	}
	colon := skipSpace(tail, i+len(`"id"`))
	from := skipSpace(tail, colon+1)
	if at(tail, colon) != ':' || skipValue(tail, from) != len(tail) {
		return nil
	}
	return tail[from:]
}
