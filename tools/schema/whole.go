package schema

import (
	"bytes"
	"strings"
)

var oneObject = words("一个 JSON 对象，各参数是它的成员", "one JSON object whose members are the arguments")

// whole reads a call's arguments as a map. The JSON of them in a string is what
// some clients send.
func (r *repairer) whole(raw []byte) (map[string]any, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return map[string]any{}, nil
	}
	v, err := decode(raw, false, nil)
	if err != nil {
		return nil, err
	}
	if s, ok := v.(string); ok && strings.HasPrefix(strings.TrimSpace(s), "{") {
		if v, err = decode([]byte(s), false, nil); err != nil {
			return nil, err
		}
		r.note("the string was read as the JSON in it")
	}
	switch v := v.(type) {
	case nil:
		return map[string]any{}, nil
	case map[string]any:
		return v, nil
	}
	return nil, refuse(violation{problem: words("不是一个 JSON 对象", "not a JSON object"), allowed: oneObject})
}

// longest bounds the ids of the envelope in bytes.
var longest = []struct {
	name string
	most int
}{{documentID, 4096}, {idempotencyKey, 200}, {planID, 256}}

func tooLong(values map[string]any) []violation {
	var all []violation
	for _, l := range longest {
		if s, _ := values[l.name].(string); len(s) > l.most {
			all = append(all, violation{path: pointer([]string{l.name}), problem: words("太长", "too long"), allowed: wordsf("至多 %d 字节", "at most %d bytes", l.most)})
		}
	}
	return all
}
