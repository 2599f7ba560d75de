package schema

import (
	"strings"
	"unicode"
)

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

// foldCase makes two words equal that strings.EqualFold takes for one.
func foldCase(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, s)
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
