package schema

import (
	"encoding/json"
	"strconv"
	"strings"
)

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
