package localkernel

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/mnote-dev/mnote-host/tools"
)

// badJSON is what is wrong with a JSON object.
type badJSON tools.Text

// Error gives the English words.
func (b badJSON) Error() string { return b.EN }

// strictMembers splits a JSON object into its members. A member that stands
// twice is an error, and so is one that differs from a known one in case only.
func strictMembers(object []byte, known []string) (map[string]json.RawMessage, error) {
	d := json.NewDecoder(bytes.NewReader(object))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, badJSON{ZH: "不是 JSON 对象", EN: "no JSON object"}
	}
	members := map[string]json.RawMessage{}
	for d.More() {
		name, value, err := member(d)
		if err != nil {
			return nil, err
		}
		if _, twice := members[name]; twice {
			return nil, badJSON(textf(tools.Text{ZH: "%q 出现了两次", EN: "%q stands twice"}, name))
		}
		if i := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, name) }); i >= 0 && known[i] != name {
			return nil, badJSON(textf(tools.Text{ZH: "%q 应写作 %q", EN: "%q is spelled %q"}, name, known[i]))
		}
		members[name] = value
	}
	if _, err := d.Token(); err != nil {
		return nil, badJSON(saidCut)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, badJSON{ZH: "对象后面还有内容", EN: "something follows the object"}
	}
	return members, nil
}

func member(d *json.Decoder) (string, json.RawMessage, error) {
	t, err := d.Token()
	name, ok := t.(string)
	if err != nil || !ok {
		return "", nil, badJSON{ZH: "不完整或格式错误", EN: "cut off or malformed"}
	}
	var value json.RawMessage
	if err := d.Decode(&value); err != nil {
		return "", nil, badJSON(textf(tools.Text{ZH: "%q 不完整或格式错误", EN: "%q is cut off or malformed"}, bounded(name, maxHeading)))
	}
	return name, value, nil
}

// saidOf tells what is wrong with JSON, without encoding/json's Go words.
func saidOf(err error) tools.Text {
	if bad, ok := errors.AsType[badJSON](err); ok {
		return tools.Text(bad)
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return textf(tools.Text{ZH: "%s 是 JSON %s", EN: "%s is a JSON %s"}, e.Field, e.Value)
	}
	return tools.Text{ZH: "格式错误", EN: "malformed"}
}
