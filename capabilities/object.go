package capabilities

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/tidwall/gjson"
)

// object is one JSON object, its members in order. Of two members with one
// name the first counts.
type object struct {
	what    string // for warnings
	members []member
	warn    func(format string, args ...any)
}

type member struct {
	key   string
	value gjson.Result
}

func newObject(what string, v gjson.Result, warn func(string, ...any)) *object {
	o := &object{warn: warn}
	o.fill(what, v)
	return o
}

// fill makes the object another one, in the same place: a manifest has dozens of
// them, each looked at once.
func (o *object) fill(what string, v gjson.Result) {
	o.what, o.members = what, o.members[:0]
	v.ForEach(func(k, v gjson.Result) bool {
		o.members = append(o.members, member{k.Str, v})
		return true
	})
}

// get finds a member by any of its spellings; null counts as absent.
func (o *object) get(spellings ...string) (gjson.Result, bool) {
	for _, s := range spellings {
		for _, m := range o.members {
			if m.key == s {
				if m.value.Type == gjson.Null {
					break
				}
				return m.value, true
			}
		}
	}
	return gjson.Result{}, false
}

// has reports whether the object names every one of the members.
func (o *object) has(keys ...string) bool {
	for _, k := range keys {
		if !slices.ContainsFunc(o.members, func(m member) bool { return m.key == k }) {
			return false
		}
	}
	return true
}

// text reads a string; anything else is absent, with a warning.
func (o *object) text(absent string, spellings ...string) string {
	v, ok := o.get(spellings...)
	if !ok {
		return absent
	}
	if v.Type != gjson.String {
		o.wrong(spellings[0], "text")
		return absent
	}
	return v.Str
}

// flag reads a boolean, or the string of one.
func (o *object) flag(absent bool, spellings ...string) bool {
	if b := o.hint(spellings...); b != nil {
		return *b
	}
	return absent
}

// hint reads an optional boolean; nil means the manifest does not say.
func (o *object) hint(spellings ...string) *bool {
	v, ok := o.get(spellings...)
	if !ok {
		return nil
	}
	if b, err := strconv.ParseBool(strings.ToLower(v.String())); err == nil && v.Type != gjson.Number {
		return &b
	}
	o.wrong(spellings[0], "true or false")
	return nil
}

// list reads a list of strings, or one string as a list of it. It is nil only
// when the member is absent.
func (o *object) list(spellings ...string) []string {
	v, ok := o.get(spellings...)
	if !ok {
		return nil
	}
	out := []string{}
	if v.Type == gjson.String {
		return append(out, v.Str)
	}
	if !v.IsArray() {
		o.wrong(spellings[0], "a list")
		return nil
	}
	for _, e := range v.Array() {
		if e.Type != gjson.String || e.Str == "" {
			o.wrong(spellings[0], "a list of words")
			continue
		}
		out = append(out, e.Str)
	}
	return out
}

// raw gives the bytes of a member that is an object, or nil. They are the
// document's own.
func (o *object) raw(spellings ...string) []byte {
	v, ok := o.get(spellings...)
	if !ok {
		return nil
	}
	if !v.IsObject() {
		o.wrong(spellings[0], "an object")
		return nil
	}
	return unsafe.Slice(unsafe.StringData(v.Raw), len(v.Raw))
}

func (o *object) wrong(member, want string) {
	o.warn("%s: %s is not %s and was left out", o.what, member, want)
}

// short bounds a stranger's word in a warning.
func short(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "…"
	}
	return fmt.Sprintf("%q", s)
}
