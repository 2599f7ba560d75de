package guard

import (
	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/tools"
)

// Gate refuses a tool that is switched off; details.reason says whether by
// itself or by its packs.
func Gate(s *capabilities.Snapshot, t tools.Tool) error {
	on, reason := s.Switched(t)
	if on {
		return nil
	}
	return capabilities.Off(tools.WireName(t.Name), reason)
}
