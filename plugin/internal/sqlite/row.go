package sqlite

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
)

// ErrNoRow says that a query asked for one row gave none.
var ErrNoRow = errors.New("no row")

// Row is one row of a query, or what kept it from being read: Scan tells.
type Row struct {
	values []any
	err    error
}

// Scan puts the columns into the places that the pointers lead to: texts, numbers,
// bools, bytes and types made of them. A number goes into a text too; NULL goes
// into bytes alone, as nil.
func (r Row) Scan(into ...any) error {
	if r.err != nil {
		return r.err
	}
	if len(into) != len(r.values) {
		return fmt.Errorf("%d columns into %d places", len(r.values), len(into))
	}
	for i, v := range r.values {
		if !put(v, into[i]) && !putKind(v, into[i]) {
			return fmt.Errorf("column %d: %T does not go into %T", i+1, v, into[i])
		}
	}
	return nil
}

// put is for the plain types, and tells whether it was one.
func put(v any, into any) (ok bool) {
	switch p := into.(type) {
	case *string:
		*p, ok = text(v)
	case *[]byte:
		*p, ok = v.([]byte)
		if s, isText := v.(string); isText {
			*p, ok = []byte(s), true
		}
		ok = ok || v == nil
	case *int64:
		*p, ok = v.(int64)
	}
	return ok
}

// putKind is for all others, by what they are made of.
func putKind(v any, into any) bool {
	to := reflect.ValueOf(into)
	if to.Kind() != reflect.Pointer || to.IsNil() {
		return false
	}
	to = to.Elem()
	switch to.Kind() {
	case reflect.String:
		s, ok := text(v)
		to.SetString(s)
		return ok
	case reflect.Int, reflect.Int64:
		n, ok := v.(int64)
		to.SetInt(n)
		return ok
	case reflect.Bool:
		n, ok := v.(int64)
		to.SetBool(n != 0)
		return ok && (n == 0 || n == 1)
	}
	return false
}

func text(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case int64:
		return strconv.FormatInt(v, 10), true
	}
	return "", false
}

// plain puts the arguments of a statement into the connection's memory as nil,
// int64, string or []byte, and tells how much space they need. It is one byte more:
// an empty text is at some place, or it is NULL.
func (c *conn) plain(args []any, params int) (space int, err error) {
	if c.args = c.args[:0]; len(args) != params {
		return 0, fmt.Errorf("%d arguments for %d places", len(args), params)
	}
	space = 1
	for i, a := range args {
		v, err := value(a)
		if err != nil {
			return 0, fmt.Errorf("argument %d: %w", i+1, err)
		}
		c.args = append(c.args, v)
		switch v := v.(type) {
		case string:
			space += len(v)
		case []byte:
			space += len(v)
		}
	}
	if space > maxLength {
		return 0, fmt.Errorf("%d bytes are too many for a statement", space)
	}
	return space, nil
}

func value(a any) (any, error) {
	switch a := a.(type) {
	case nil, string, int64:
		return a, nil
	case []byte:
		if a == nil {
			return nil, nil
		}
		return a, nil
	case bool:
		if a {
			return int64(1), nil
		}
		return int64(0), nil
	}
	switch v := reflect.ValueOf(a); v.Kind() {
	case reflect.String:
		return v.String(), nil
	case reflect.Int, reflect.Int64:
		return v.Int(), nil
	}
	return nil, fmt.Errorf("a %T is no value", a)
}
