package kernel

import (
	"cmp"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mnote-dev/mnote-host/tools"
)

// The endpoints of kernel-api.
const (
	pathManifest = "/api/hermes/tools/mnote/manifest"
	pathCall     = "/api/hermes/tools/mnote/call"
	pathClient   = "/api/hermes/client/"
)

// inProcessURL is the base where only a round-tripper is given; a kernel that
// checks the Host header takes it for loopback.
const inProcessURL = "http://localhost"

// maxRedirects of one read; a write follows none.
const maxRedirects = 3

// pooled gives the HTTP client to send with: the given one with our word on
// redirects, or one of our own.
func pooled(given *http.Client) *http.Client {
	c := &http.Client{}
	if given != nil {
		*c = *given
	} else {
		c.Transport = newTransport()
	}
	c.CheckRedirect = followed
	return c
}

// What is kept of connections that nobody uses at the moment. Two of a host,
// net/http's default, cost a third of the throughput with 64 calls in flight.
const (
	maxIdle = 256
	maxRest = 90 * time.Second
)

func dialer() *net.Dialer {
	return &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 15 * time.Second}
}

// newTransport is one pool for all that takes no wire. HTTP/2 stays
// off: its transport sends a request again in cases where HTTP/1 would not, and
// then nobody could say whether a write is out.
func newTransport() *http.Transport {
	var only http.Protocols
	only.SetHTTP1(true)
	return &http.Transport{
		Proxy:               nil,
		DialContext:         dialer().DialContext,
		TLSHandshakeTimeout: 5 * time.Second,
		MaxIdleConnsPerHost: maxIdle,
		IdleConnTimeout:     maxRest,
		DisableCompression:  true,
		Protocols:           &only,
	}
}

// followed lets a read follow redirects within its own origin. Anything else
// stays a 3xx answer: the token and a write go nowhere but to the kernel.
func followed(req *http.Request, via []*http.Request) error {
	first := via[0]
	sameOrigin := req.URL.Scheme == first.URL.Scheme && req.URL.Host == first.URL.Host
	if first.Method != http.MethodGet || !sameOrigin || len(via) > maxRedirects {
		return http.ErrUseLastResponse
	}
	return nil
}

// parseBase reads the kernel's base URL and drops what must not travel: user
// information, query and fragment.
func parseBase(c Config) (*url.URL, *tools.Error) {
	raw := strings.TrimSpace(c.URL)
	if raw == "" && c.Client != nil {
		raw = inProcessURL
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, unavailable(reasonNoKernel, textBadURL) // the URL itself may hold a secret
	}
	if u.User != nil {
		c.Log.Warn().Str("host", u.Host).Msg("user information in the kernel URL is ignored; set the token instead")
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host, Path: cmp.Or(u.Path, "/")}, nil // without a path, what is joined to it would be relative
}
