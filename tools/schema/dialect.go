package schema

import (
	"fmt"
	"strings"
)

// dialect gives the draft that a document names, the newest if it names none.
func dialect(doc any) (int, error) {
	m, _ := doc.(map[string]any)
	name, named := m["$schema"]
	if !named {
		return 2020, nil
	}
	address, _ := name.(string)
	_, address, _ = strings.Cut(strings.TrimSuffix(address, "#"), "://")
	switch address {
	case "json-schema.org/draft/2020-12/schema", "json-schema.org/schema":
		return 2020, nil
	case "json-schema.org/draft/2019-09/schema":
		return 2019, nil
	case "json-schema.org/draft-07/schema":
		return 7, nil
	case "json-schema.org/draft-06/schema":
		return 6, nil
	case "json-schema.org/draft-04/schema":
		return 4, nil
	}
	return 0, fmt.Errorf("the dialect %s is not known", quoted(address))
}

// speaks reports whether the draft has the keyword.
func (r *reader) speaks(key string) bool {
	switch key {
	case "const", "contains", "propertyNames":
		return r.draft >= 6
	case "if", "then", "else":
		return r.draft >= 7
	case "dependentRequired", "dependentSchemas", "minContains", "maxContains", "unevaluatedItems", "unevaluatedProperties", "$defs", "$anchor":
		return r.draft >= 2019
	case "prefixItems", "$dynamicRef", "$dynamicAnchor":
		return r.draft >= 2020
	case "additionalItems":
		return r.draft < 2020
	case "$recursiveRef", "$recursiveAnchor":
		return r.draft == 2019
	}
	return true
}
