package schema

import (
	"encoding/json"
	"math/big"
)

// maxExact bounds how many values of one call are judged one by one; with more,
// numbers are compared as doubles and formats by their look.
const maxExact = 1000

// exact holds one call's values that the rules for all calls are too coarse
// for: numbers that a double does not hold, and text that has a format's look
// but not its meaning. The schema is then read once more, for this call: each
// bound and each format becomes the list of the call's values that break it.
// So a value is judged exactly wherever it stands, below anyOf and not as well.
type exact struct {
	numbers  []exactNumber
	standIns map[string]any   // of numbers, by their value
	bad      map[string][]any // text that is not in a format, by its name
}

type exactNumber struct {
	value *big.Rat
	shown any
}

// standIn gives what the judge is shown in place of a number: the same for
// equal ones, another for others, whole for the whole.
func (e *exact) standIn(n json.Number) any {
	rat, ok := new(big.Rat).SetString(string(n))
	key := string(n)
	if ok {
		key = rat.RatString()
	}
	if shown, known := e.standIns[key]; known {
		return shown
	}
	var shown any = float64(len(e.standIns)) + 0.5
	if ok && rat.IsInt() {
		shown = int64(len(e.standIns))
	}
	e.standIns[key] = shown
	if ok {
		e.numbers = append(e.numbers, exactNumber{rat, shown})
	}
	return shown
}

// size counts the values.
func (e *exact) size() int {
	n := len(e.standIns)
	for _, words := range e.bad {
		n += len(words)
	}
	return n
}

// breaking lists the numbers that break a bound.
func (e *exact) breaking(key string, limit *big.Rat) []any {
	var all []any
	for _, n := range e.numbers {
		if breaks(key, n.value, limit) {
			all = append(all, n.shown)
		}
	}
	return all
}

func breaks(key string, n, limit *big.Rat) bool {
	switch key {
	case "minimum":
		return n.Cmp(limit) < 0
	case "maximum":
		return n.Cmp(limit) > 0
	case "exclusiveMinimum":
		return n.Cmp(limit) <= 0
	case "exclusiveMaximum":
		return n.Cmp(limit) >= 0
	}
	return !new(big.Rat).Quo(n, limit).IsInt() // multipleOf
}
