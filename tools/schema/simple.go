package schema

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// simple is a schema with none but the keywords that nearly every argument has,
// read for a quick yes. It never says no: whether what does not plainly fit
// fits is for the library to say. The library walks values by reflection and
// writes an error for each step; most calls are spared that. A nil one says
// yes to nothing.
type simple struct {
	types             []string // none: any
	words             []string // that text may be, if there are any
	minimum, maximum  *float64
	shortest, longest *int
	fewest, most      *int
	required          []string
	members           map[string]*simple
	closed            bool // takes no other members
	item              *simple
	anyItem           bool
}

// simpleOf reads a schema; nil means that it is not simple.
func simpleOf(s *jsonschema.Schema) *simple {
	p := &simple{
		types: s.Types, minimum: s.Minimum, maximum: s.Maximum, shortest: s.MinLength, longest: s.MaxLength, fewest: s.MinItems, most: s.MaxItems,
		required: s.Required, members: make(map[string]*simple, len(s.Properties)), anyItem: s.Items == nil,
	}
	if s.Type != "" {
		p.types = []string{s.Type}
	}
	for _, v := range s.Enum {
		word, isText := v.(string)
		if !isText {
			return nil
		}
		p.words = append(p.words, word)
	}
	if s.Items != nil {
		p.item = simpleOf(s.Items)
	}
	for name, sub := range s.Properties {
		p.members[name] = simpleOf(sub)
	}
	if more := s.AdditionalProperties; more != nil {
		p.closed = !reflect.ValueOf(*more).IsZero()
	}
	rest := *s
	rest.Type, rest.Types, rest.Enum, rest.Minimum, rest.Maximum, rest.MinLength, rest.MaxLength = "", nil, nil, nil, nil, nil, nil
	rest.MinItems, rest.MaxItems, rest.Items, rest.Required, rest.Properties, rest.AdditionalProperties, rest.Defs = nil, nil, nil, nil, nil, nil, nil
	if !reflect.ValueOf(rest).IsZero() {
		return nil
	}
	return p
}

// fits reports whether a value plainly fits.
func (p *simple) fits(v any) bool {
	if p == nil {
		return false
	}
	switch v := v.(type) {
	case nil, bool:
		return p.words == nil && p.takes(typeOf(v))
	case string:
		return p.takes("string") && (p.words == nil || slices.Contains(p.words, v)) && between(p.shortest, p.longest, func() int { return utf8.RuneCountInString(v) })
	case json.Number:
		return p.number(v)
	case []any:
		return p.takes("array") && p.words == nil && between(p.fewest, p.most, func() int { return len(v) }) && p.list(v)
	case map[string]any:
		return p.takes("object") && p.words == nil && p.object(v)
	}
	return false
}

func (p *simple) takes(kind string) bool {
	return p.types == nil || slices.Contains(p.types, kind)
}

// between reports whether a number of things is within its bounds.
func between(least, most *int, count func() int) bool {
	return least == nil && most == nil || (least == nil || count() >= *least) && (most == nil || count() <= *most)
}

// number knows the whole numbers that a double holds.
func (p *simple) number(n json.Number) bool {
	i, err := strconv.ParseInt(string(n), 10, 64)
	f := float64(i)
	return err == nil && i <= mostWhole && i >= -mostWhole && p.words == nil && (p.takes("integer") || p.takes("number")) &&
		(p.minimum == nil || f >= *p.minimum) && (p.maximum == nil || f <= *p.maximum)
}

func (p *simple) list(list []any) bool {
	if p.anyItem {
		return true
	}
	for _, v := range list {
		if !p.item.fits(v) {
			return false
		}
	}
	return true
}

func (p *simple) object(m map[string]any) bool {
	for _, name := range p.required {
		if !has(m, name) {
			return false
		}
	}
	for name, v := range m {
		if sub, known := p.members[name]; known && !sub.fits(v) || !known && p.closed {
			return false
		}
	}
	return true
}
