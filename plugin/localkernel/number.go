package localkernel

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/mnote-dev/mnote-host/tools"
)

// maxWhole is the largest integer that every JSON reader keeps exact.
const maxWhole = 1<<53 - 1

// wholeNumbers writes the tool's own integers as such (1e2 and 3.0 are some),
// and refuses those that no count or revision can be. What is no integer is the
// schema's to refuse.
func (c *call) wholeNumbers() error {
	for _, name := range slices.Sorted(maps.Keys(c.args)) {
		raw := string(c.args[name])
		if raw == "" || raw[0] != '-' && (raw[0] < '0' || raw[0] > '9') {
			continue
		}
		n, err := strconv.ParseFloat(raw, 64)
		switch {
		case err != nil || math.Abs(n) > maxWhole:
			return invalid("/"+name, tools.Text{ZH: "数超出范围", EN: "the number is out of range"},
				textf(tools.Text{ZH: "%d 到 %d 的整数", EN: "an integer from %d to %d"}, c.least(name), int64(maxWhole)))
		case n == math.Trunc(n):
			c.args[name] = json.RawMessage(strconv.FormatInt(int64(n), 10))
		}
	}
	return nil
}

// least is the smallest value that the schema takes for an argument, 0 where it
// names none: nothing here counts below that.
func (c *call) least(name string) int64 {
	var s struct {
		Properties map[string]struct {
			Minimum int64 `json:"minimum"`
		} `json:"properties"`
	}
	_ = json.Unmarshal(c.entry.InputSchema, &s) // our own manifest's
	return s.Properties[name].Minimum
}
