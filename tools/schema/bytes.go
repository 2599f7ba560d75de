package schema

import (
	"bytes"
	"encoding/json"
	"regexp"
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

// text reads a string, which begins at a quote. Text without escapes is shared
// with the input.
func (d *decoder) text() (string, error) {
	start, escapes := d.i, false
	for d.i++; d.i < len(d.s); d.i++ {
		switch c := d.s[d.i]; {
		case c == '"':
			d.i++
			return d.unescape(d.s[start:d.i], escapes)
		case c == '\\':
			escapes = true
			d.i++
		case c < ' ':
			return "", d.syntax()
		}
	}
	return "", d.syntax()
}

func (d *decoder) unescape(quoted string, escapes bool) (text string, err error) {
	if !escapes {
		return quoted[1 : len(quoted)-1], nil
	}
	if loneSurrogate(quoted) {
		return "", d.fault(notUnicode, unicodeText)
	}
	if json.Unmarshal([]byte(quoted), &text) != nil {
		return "", d.syntax()
	}
	return text, nil
}

// numberForm is JSON's grammar of numbers.
var numberForm = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

func (d *decoder) number() (any, error) {
	end := strings.IndexFunc(d.s[d.i:], func(r rune) bool { return !strings.ContainsRune("+-.eE0123456789", r) })
	if end < 0 {
		end = len(d.s) - d.i
	}
	text := d.s[d.i : d.i+end]
	if len(text) > maxNumber {
		return nil, d.tooLong()
	}
	if !isDigits(text) && !numberForm.MatchString(text) {
		return nil, d.syntax()
	}
	if _, exponent, has := strings.Cut(strings.ToLower(text), "e"); has {
		if n, err := strconv.Atoi(exponent); err != nil || n > maxExponent || n < -maxExponent {
			return nil, d.tooLong()
		}
	}
	d.i += end
	return json.Number(text), nil
}

// isDigits spares plain integers the grammar.
func isDigits(text string) bool {
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return text != "" && (text[0] != '0' || len(text) == 1)
}

func (d *decoder) tooLong() error {
	return d.fault(words("数太长", "too long a number"),
		wordsf("至多 %d 位，指数在 ±%d 以内", "at most %d digits and an exponent within ±%d", maxNumber, maxExponent))
}

// twice refuses a key that another reader might take for the first: Go's own
// reader takes the last of both, others the first.
func (d *decoder) twice(first, key string) error {
	d.path = append(d.path, key)
	once := words("每个参数一次", "each argument once")
	if first == key {
		return d.fault(words("给了两次", "given twice"), once)
	}
	return d.fault(wordsf("与 %s 只差大小写", "differs from %s in case only", quoted(first)), once)
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

// keys are those of one object, to find one that comes twice. Few are looked
// through, many are hashed.
type keys struct {
	few  []string
	many map[string]string
}

// add takes a key, or gives the earlier one that some reader takes it for.
func (k *keys) add(key string) (earlier string, twice bool) {
	const few = 16
	if k.many != nil {
		fold := foldCase(key)
		earlier, twice = k.many[fold]
		k.many[fold] = key
		return earlier, twice
	}
	for _, f := range k.few {
		if strings.EqualFold(f, key) {
			return f, true
		}
	}
	if k.few = append(k.few, key); len(k.few) > few {
		k.many = map[string]string{}
		for _, f := range k.few {
			k.many[foldCase(f)] = f
		}
	}
	return "", false
}

func tooLarge(format tools.Text, args ...any) error {
	return tools.Errorf(tools.CodePayloadTooLarge, tools.Text{
		ZH: format.ZH + "；请分几次调用", EN: format.EN + "; make several smaller calls",
	}, args...).With("limit", args[len(args)-1])
}

// foldCase makes two words equal that encoding/json would take for one.
func foldCase(s string) string { return strings.ToLower(strings.ToUpper(s)) }

// loneSurrogate finds half a character in valid JSON: an escape such as \ud83d
// without its other half, which no UTF-8 text can hold.
func loneSurrogate(raw string) bool {
	for i := strings.IndexByte(raw, '\\'); i >= 0 && i+1 < len(raw); {
		step := 2
		if raw[i+1] == 'u' {
			step = 6
			switch unit := escaped(raw, i); {
			case 0xD800 <= unit && unit < 0xDC00:
				if low := escaped(raw, i+6); low < 0xDC00 || low > 0xDFFF {
					return true
				}
				step = 12
			case 0xDC00 <= unit && unit <= 0xDFFF:
				return true
			}
		}
		next := strings.IndexByte(raw[min(i+step, len(raw)):], '\\')
		if next < 0 {
			return false
		}
		i += step + next
	}
	return false
}

// escaped gives the unit that a \uXXXX at i stands for, or 0.
func escaped(raw string, i int) uint64 {
	if i+6 > len(raw) || raw[i] != '\\' || raw[i+1] != 'u' {
		return 0
	}
	n, _ := strconv.ParseUint(raw[i+2:i+6], 16, 32)
	return n
}

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
}{{documentID, 4096}, {idempotencyKey, 256}, {planID, 256}}

func tooLong(values map[string]any) []violation {
	var all []violation
	for _, l := range longest {
		if s, _ := values[l.name].(string); len(s) > l.most {
			all = append(all, violation{path: pointer([]string{l.name}), problem: words("太长", "too long"), allowed: wordsf("至多 %d 字节", "at most %d bytes", l.most)})
		}
	}
	return all
}
