package main

import (
	"bufio"
	"encoding/json"
	"os"
)

// kept writes n times, one after the other, and gives the median of what the
// ledger took of a write, in µs: for the claim, the answer and the audit's row. The
// host says it in its log, a line a call.
func (c contender) kept(n int) (float64, error) {
	log, err := os.CreateTemp("", "log")
	if err != nil {
		return 0, err
	}
	defer os.Remove(log.Name())
	defer log.Close()
	p, err := c.warm(log, "--log", "info")
	if err != nil {
		return 0, err
	}
	if _, err := p.times(n, func(i int) string { return save(-1-i, c.write, "small") }); err != nil {
		return 0, err
	}
	if err := p.end(); err != nil {
		return 0, err
	}
	return keptOf(log)
}

// keptOf reads a log from its start.
func keptOf(log *os.File) (float64, error) {
	if _, err := log.Seek(0, 0); err != nil {
		return 0, err
	}
	var all []float64
	for lines := bufio.NewScanner(log); lines.Scan(); {
		var line struct{ Kept float64 } // ms
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return 0, err
		}
		if line.Kept > 0 {
			all = append(all, 1000*line.Kept)
		}
	}
	return median(all), nil
}
