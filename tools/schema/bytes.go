package schema

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mnote-dev/mnote-host/tools"
)

// The bounds of arguments. Past the first three the answer is
// mnote_tool_payload_too_large.
const (
	MaxBytes  = 8 << 20 // of one call's arguments, as JSON
	MaxDepth  = 64      // of objects and arrays in each other
	MaxValues = 500_000 // of numbers, strings, objects, …, all together

	// maxNumber bounds a number's text, maxExponent its power of ten: nobody
	// means more, and the exact arithmetic behind it would never end.
	maxNumber   = 100
	maxExponent = 400
)

// decoder reads JSON once and strictly: no key twice, none that differs from
// another in case only, numbers digit for digit, and no text that is not
// Unicode. Every error is a *tools.Error. It exists beside encoding/json
// because that folds case, takes the last of two equal keys, mends broken text
// in silence, and takes five times as long to hand out tokens.
type decoder struct {
	s       string
	i       int      // how far it has read
	ordered bool     // objects become *object, else maps
	path    []string // where it is
	values  int
}

// decode reads one JSON value with nothing behind it. path is where the value
// stands already.
func decode(raw []byte, ordered bool, path []string) (any, error) {
	if len(raw) > MaxBytes {
		return nil, tooLarge(tools.Text{ZH: "参数有 %d 字节，上限是 %d", EN: "the arguments have %d bytes; at most %d are taken"}, len(raw), MaxBytes)
	}
	d := &decoder{s: string(raw), ordered: ordered, path: path[:len(path):len(path)]}
	if !utf8.ValidString(d.s) {
		return nil, d.fault(notUnicode, unicodeText)
	}
	v, err := d.value()
	if err == nil && d.peek() != 0 {
		err = d.syntax()
	}
	return v, err
}

// peek skips blanks and gives the next byte, or 0 at the end.
func (d *decoder) peek() byte {
	for ; d.i < len(d.s); d.i++ {
		switch d.s[d.i] {
		case ' ', '\t', '\r', '\n':
		case 0: // so that 0 means the end only
			return 1
		default:
			return d.s[d.i]
		}
	}
	return 0
}

func (d *decoder) value() (any, error) {
	if d.values++; d.values > MaxValues {
		return nil, tooLarge(tools.Text{ZH: "参数里的值超过 %d 个", EN: "the arguments hold more than %d values"}, MaxValues)
	}
	switch c := d.peek(); {
	case c == '{' || c == '[':
		if len(d.path) >= MaxDepth {
			return nil, tooLarge(tools.Text{ZH: "参数嵌套超过 %d 层", EN: "the arguments are nested deeper than %d"}, MaxDepth)
		}
		d.i++
		if c == '[' {
			return d.array()
		}
		return d.object()
	case c == '"':
		return d.text()
	case c == '-' || '0' <= c && c <= '9':
		return d.number()
	}
	switch {
	case d.word("true"):
		return true, nil
	case d.word("false"):
		return false, nil
	case d.word("null"):
		return nil, nil
	}
	return nil, d.syntax()
}

func (d *decoder) word(w string) bool {
	if !strings.HasPrefix(d.s[d.i:], w) {
		return false
	}
	d.i += len(w)
	return true
}

func (d *decoder) array() (any, error) {
	list := []any{}
	if d.take(']') {
		return list, nil
	}
	for {
		v, err := d.inside(strconv.Itoa(len(list)))
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		if d.take(']') {
			return list, nil
		}
		if !d.take(',') {
			return nil, d.syntax()
		}
	}
}

func (d *decoder) object() (any, error) {
	o, m := &object{}, map[string]any(nil)
	if !d.ordered {
		m = map[string]any{}
	}
	seen := keys{few: make([]string, 0, 8)}
	for first := true; !d.take('}'); first = false {
		if !first && !d.take(',') || d.peek() != '"' {
			return nil, d.syntax()
		}
		key, err := d.text()
		if err != nil {
			return nil, err
		}
		if other, twice := seen.add(key); twice {
			return nil, d.twice(other, key)
		}
		if !d.take(':') {
			return nil, d.syntax()
		}
		v, err := d.inside(key)
		switch {
		case err != nil:
			return nil, err
		case d.ordered:
			o.add(key, v)
		default:
			m[key] = v
		}
	}
	if d.ordered {
		return o, nil
	}
	return m, nil
}

func (d *decoder) inside(step string) (any, error) {
	d.path = append(d.path, step)
	v, err := d.value()
	if err == nil {
		d.path = d.path[:len(d.path)-1]
	}
	return v, err
}

// take skips the byte if it comes next.
func (d *decoder) take(c byte) bool {
	if d.peek() != c {
		return false
	}
	d.i++
	return true
}

func (d *decoder) fault(problem, allowed tools.Text) error {
	return refuse(violation{path: pointer(d.path), problem: problem, allowed: allowed})
}

func (d *decoder) syntax() error {
	if d.i >= len(d.s) {
		return d.fault(words("JSON 没有写完", "JSON that ends too early"), oneValue)
	}
	return d.fault(wordsf("第 %d 字节处不是 JSON", "not JSON at byte %d", d.i), oneValue)
}

func tooLarge(format tools.Text, args ...any) error {
	return tools.Errorf(tools.CodePayloadTooLarge, tools.Text{
		ZH: format.ZH + "；请分几次调用", EN: format.EN + "; make several smaller calls",
	}, args...).With("limit", args[len(args)-1])
}
