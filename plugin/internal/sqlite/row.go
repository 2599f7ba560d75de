package sqlite

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"reflect"
	"strconv"
)

// ErrNoRow says that a query asked for one row gave none.
var ErrNoRow = errors.New("no row")

// Row is one row of a query, or what kept it from being read: Scan tells.
type Row struct {
	values []driver.Value
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
func put(v driver.Value, into any) (ok bool) {
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
func putKind(v driver.Value, into any) bool {
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

func text(v driver.Value) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case int64:
		return strconv.FormatInt(v, 10), true
	}
	return "", false
}

// bind gives the arguments as the driver takes them, in the connection's own
// memory: it copies what it keeps.
func (c *conn) bind(args []any) ([]driver.NamedValue, error) {
	c.args = c.args[:0]
	for i, a := range args {
		v, err := value(a)
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i+1, err)
		}
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	return c.args, nil
}

func value(a any) (driver.Value, error) {
	switch a.(type) {
	case nil, string, int64, []byte, bool, float64:
		return a, nil
	}
	switch v := reflect.ValueOf(a); v.Kind() {
	case reflect.String:
		return v.String(), nil
	case reflect.Int, reflect.Int64:
		return v.Int(), nil
	}
	return nil, fmt.Errorf("a %T is no value", a)
}
