package tools

import (
	"bytes"
	"encoding/json"
)

// Compact gives v as one line of JSON without HTML escapes and without a line end:
// the form of everything that goes out.
func Compact(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
