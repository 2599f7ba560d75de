package kernel

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
)

// hidden stands where the token was.
const hidden = "***"

// shortSecret is the length below which a token is not looked for in answers: a
// word that short turns up in notes by itself, and no real token is.
const shortSecret = 12

// secret is the bearer token. It has no way out but the Authorization header.
type secret struct {
	token string
	// forms are the spellings under which an answer may echo it.
	forms []string
}

func newSecret(token string) secret {
	s := secret{token: strings.TrimSpace(token)}
	if len(s.token) < shortSecret {
		return s
	}
	quoted, _ := json.Marshal(s.token) // a string always encodes
	s.forms = append(s.forms, s.token)
	for _, f := range []string{string(quoted[1 : len(quoted)-1]), strings.ReplaceAll(s.token, "/", `\/`), url.QueryEscape(s.token)} {
		if f != s.token {
			s.forms = append(s.forms, f)
		}
	}
	return s
}

// sendable reports whether the token fits into a header.
func (s secret) sendable() bool {
	return !strings.ContainsFunc(s.token, func(r rune) bool { return r < ' ' || r == 0x7f })
}

func (s secret) authorize(req *http.Request) {
	if s.token != "" {
		req.Header.Set("Authorization", s.bearer())
	}
}

// bearer is the value of that header, "" where there is none.
func (s secret) bearer() string {
	if s.token == "" {
		return ""
	}
	return "Bearer " + s.token
}

// hide takes the token out of an answer: a kernel that echoes its request must
// not carry it into a result, a log or a file.
func (s secret) hide(body []byte) []byte {
	for _, f := range s.forms {
		if bytes.Contains(body, []byte(f)) {
			body = bytes.ReplaceAll(body, []byte(f), []byte(hidden))
		}
	}
	return body
}

// clean takes the URL and the token out of an error; what is left says which
// address failed and how.
func (s secret) clean(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	text := string(s.hide([]byte(err.Error())))
	if text != err.Error() {
		return errors.New(text)
	}
	return err
}
