package schema

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// numberForm is JSON's grammar of numbers.
var numberForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`) })

func (d *decoder) number() (any, error) {
	end := strings.IndexFunc(d.s[d.i:], func(r rune) bool { return !strings.ContainsRune("+-.eE0123456789", r) })
	if end < 0 {
		end = len(d.s) - d.i
	}
	text := d.s[d.i : d.i+end]
	if len(text) > maxNumber {
		return nil, d.tooLong()
	}
	if !isDigits(text) && !numberForm().MatchString(text) {
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
