package conform

import (
	_ "embed"
	"encoding/json"
	"sync"

	"github.com/mnote-dev/mnote-host/tools"
)

//go:embed script.json
var scriptJSON []byte

// script names what the checks call and what they call it on. Tool names are a
// kernel's data, so they are ours as well.
type script struct {
	Read, Save, Undo, Unknown tools.Name
	// MissingDocument and ForeignWorkspace are ids that no kernel knows.
	MissingDocument, ForeignWorkspace string
}

var readScript = sync.OnceValues(func() (script, error) {
	var s script
	err := json.Unmarshal(scriptJSON, &s)
	return s, err
})
