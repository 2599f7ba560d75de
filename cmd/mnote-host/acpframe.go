package main

import (
	"errors"
	"strconv"

	"github.com/mnote-dev/mnote-host/transport/acp"
)

// frameSize is a --max-frame: bytes, with no unit.
type frameSize struct {
	bytes int
	odd   string // what to say of anything else
}

func (p *program) newFrameSize() frameSize {
	return frameSize{acp.DefaultMaxFrame, p.say(
		"它是一个字节数，从 1 起的整数，不带单位（默认 %d）",
		"it is a number of bytes, 1 or more, without a unit (%d if not given)", acp.DefaultMaxFrame)}
}

// String is the value as it is typed.
func (s *frameSize) String() string { return strconv.Itoa(s.bytes) }

// Set takes a positive number.
func (s *frameSize) Set(typed string) error {
	n, err := strconv.Atoi(typed)
	if err != nil || n <= 0 {
		return errors.New(s.odd)
	}
	s.bytes = n
	return nil
}

// Type names the value in the help.
func (s *frameSize) Type() string { return "bytes" }
