package plugin

import "time"

// Limits bound what one session may cost. A zero field is its default, a
// negative one is no limit.
type Limits struct {
	// Read and Write are the time a call of that kind has, waiting included: 30 s
	// and 60 s. A person's time to answer is apart.
	Read, Write time.Duration
	// Answer is the time a person has to answer a question: 120 s.
	Answer time.Duration
	// CallsPerSecond is a session's lasting rate, 200; Burst is how many calls it
	// may make at once before that rate holds, 2000.
	CallsPerSecond, Burst int
	// ArgsBytes is the size of one call's arguments, 8 MiB; ResultBytes that of
	// the answer to a read, 8 MiB. A face may have a smaller one of its own.
	ArgsBytes, ResultBytes int
}
