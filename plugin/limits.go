package plugin

import "time"

// Limits bound what one session may cost. A zero field is its default, a
// negative one is no limit.
type Limits struct {
	// Read and Write are the time a call of that kind has at its kernel: 30 s and
	// 60 s. Waiting for a key that another call holds has as much again, and a
	// person's time to answer is apart.
	Read, Write time.Duration
	// Answer is the time a person has to answer a question: 120 s.
	Answer time.Duration
	// CallsPerSecond is a session's lasting rate, 200; Burst is how many calls it
	// may make at once before that rate holds, those of ten seconds.
	CallsPerSecond, Burst int
	// ArgsBytes is the size of one call's arguments, 8 MiB; ResultBytes that of
	// the answer to a read, 8 MiB. A face may have a smaller one of its own.
	ArgsBytes, ResultBytes int
}

// forever stands in for no limit where a time must be named.
const forever = 24 * time.Hour

// filled gives the limits with their defaults in place.
func (l Limits) filled() Limits {
	l.Read = lasting(l.Read, 30*time.Second)
	l.Write = lasting(l.Write, 60*time.Second)
	l.Answer = lasting(l.Answer, 120*time.Second)
	l.CallsPerSecond = orDefault(l.CallsPerSecond, 200)
	l.Burst = orDefault(l.Burst, 10*l.CallsPerSecond)
	l.ArgsBytes = orDefault(l.ArgsBytes, 8<<20)
	l.ResultBytes = orDefault(l.ResultBytes, 8<<20)
	return l
}

func orDefault(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}

func lasting(d, otherwise time.Duration) time.Duration {
	switch {
	case d == 0:
		return otherwise
	case d < 0:
		return forever
	}
	return d
}
