package schema

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
)

// shower writes values as the judge reads them. It takes a json.Number for
// text, so that numbers become those of the machine: int64 where they are
// whole, else a double. One that a double does not hold is odd. Everything else
// is shown as it is, not a copy.
type shower struct {
	exact   *exact   // stand-ins for all numbers, or nil
	formats []format // that text is looked at for

	values  int  // there are
	numbers bool // some of them
	large   bool // and whole ones that a double does not hold
	odd     bool // the rules for all calls are too coarse
	bad     map[string][]any
}

// value shows one value; changed means that it is not v itself.
func (s *shower) value(v any) (shown any, changed bool) {
	s.values++
	switch v := v.(type) {
	case json.Number:
		s.numbers = true
		return s.number(v), true
	case int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, float32, float64: // a host's own
		s.numbers = true
		if s.exact != nil {
			return s.exact.standIn(json.Number(fmt.Sprint(v))), true
		}
	case string:
		s.text(v)
	case []any:
		return s.list(v)
	case map[string]any:
		return s.members(v)
	}
	return v, false
}

func (s *shower) list(list []any) (any, bool) {
	out := list
	copied := false
	for i, e := range list {
		shown, changed := s.value(e)
		if !changed {
			continue
		}
		if !copied {
			out, copied = slices.Clone(list), true
		}
		out[i] = shown
	}
	return out, copied
}

func (s *shower) members(m map[string]any) (any, bool) {
	out := m
	copied := false
	for k, e := range m {
		shown, changed := s.value(e)
		if !changed {
			continue
		}
		if !copied {
			out, copied = maps.Clone(m), true
		}
		out[k] = shown
	}
	return out, copied
}

func (s *shower) number(n json.Number) any {
	if s.exact != nil {
		return s.exact.standIn(n)
	}
	if i, err := strconv.ParseInt(string(n), 10, 64); err == nil {
		s.large = s.large || i > mostWhole || i < -mostWhole
		return i
	}
	f, plain := double(n)
	s.odd = s.odd || !plain
	return f
}

// mostWhole is the number up to which a double holds every whole one.
const mostWhole = 1 << 53

// double gives a number as a double, and whether comparing it with others that
// are plain is comparing the numbers: doubles tell any two apart that have no
// more than 15 digits. One that is not whole does not become so.
func double(n json.Number) (f float64, plain bool) {
	const most, least = 15, 1e-290
	f, err := n.Float64()
	mantissa, _, _ := strings.Cut(strings.ToLower(string(n)), "e")
	digits := strings.TrimLeft(strings.Replace(mantissa, ".", "", 1), "-0")
	if a := math.Abs(f); err == nil && len(digits) <= most && (digits == "" || least < a && a < mostWhole) {
		return f, true
	}
	if f = min(max(f, -math.MaxFloat64), math.MaxFloat64); f == math.Trunc(f) && !isWhole(n) {
		f = math.Nextafter(min(max(f, -mostWhole/2), mostWhole/2), 0.5)
	}
	return f, false
}

// text looks for formats that the pattern of the rules is too coarse for.
func (s *shower) text(t string) {
	for _, f := range s.formats {
		if f.re.MatchString(t) && !f.check(t) {
			if s.bad == nil {
				s.bad = map[string][]any{}
			}
			s.bad[f.name] = append(s.bad[f.name], t)
			s.odd = true
		}
	}
}
