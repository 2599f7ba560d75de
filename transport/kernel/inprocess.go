package kernel

import "net/http"

// InProcess is a round-tripper that serves each request by h: same client, same
// bytes, no port.
func InProcess(h http.Handler) http.RoundTripper { return nil }
