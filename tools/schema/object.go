package schema

import "slices"

// object is a JSON object that keeps the order of its keys. Values are
// *object, []any, string, json.Number, bool and nil. A nil object has no
// members.
type object struct {
	keys   []string
	values []any
}

// get gives a member and whether there is one. Schemas have few members, so
// that looking through them beats a map.
func (o *object) get(key string) (any, bool) {
	if o == nil {
		return nil, false
	}
	for i, k := range o.keys {
		if k == key {
			return o.values[i], true
		}
	}
	return nil, false
}

func (o *object) set(key string, v any) {
	if i := slices.Index(o.keys, key); i >= 0 {
		o.values[i] = v
		return
	}
	o.add(key, v)
}

// add appends a member whose key is new.
func (o *object) add(key string, v any) {
	if o.keys == nil {
		const usual = 6
		o.keys, o.values = make([]string, 0, usual), make([]any, 0, usual)
	}
	o.keys = append(o.keys, key)
	o.values = append(o.values, v)
}

func (o *object) delete(key string) {
	if i := slices.Index(o.keys, key); i >= 0 {
		o.keys = slices.Delete(o.keys, i, i+1)
		o.values = slices.Delete(o.values, i, i+1)
	}
}

// names gives the keys in order. Do not change them.
func (o *object) names() []string {
	if o == nil {
		return nil
	}
	return o.keys
}

func (o *object) has(key string) bool {
	_, ok := o.get(key)
	return ok
}

// member gives a member, or nil.
func (o *object) member(key string) any {
	v, _ := o.get(key)
	return v
}

// object gives a member that is an object, or nil.
func (o *object) object(key string) *object {
	m, _ := o.member(key).(*object)
	return m
}

// text gives a member that is a string, or "".
func (o *object) text(key string) string {
	s, _ := o.member(key).(string)
	return s
}

// list gives a member that is an array, or nil.
func (o *object) list(key string) []any {
	l, _ := o.member(key).([]any)
	return l
}

// words gives the strings of a member that is an array.
func (o *object) words(key string) []string {
	var out []string
	for _, v := range o.list(key) {
		if s, ok := v.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// plain gives a value with its objects as maps, for the validator. Nothing of
// it is shared.
func plain(v any) any {
	switch v := v.(type) {
	case *object:
		m := make(map[string]any, len(v.keys))
		for i, k := range v.keys {
			m[k] = plain(v.values[i])
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = plain(e)
		}
		return l
	}
	return v
}
