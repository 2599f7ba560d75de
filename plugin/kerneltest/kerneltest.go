package kerneltest

import (
	"testing"

	"github.com/mnote-dev/mnote-host/plugin/conform"
)

// Run tries every check that the subject offers, each on a subject of its own.
func Run(t *testing.T, open func(testing.TB) conform.Subject) {
	t.Helper()
	offered := open(t)
	for _, c := range conform.Checks() {
		if !offered.Offers(c.Needs) {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			if err := c.Run(t.Context(), open(t)); err != nil {
				t.Errorf("%v\nclause: %s", err, c.Clause)
			}
		})
	}
}
