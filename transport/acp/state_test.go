package acp

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/plugin/clients"
)

// What the client leaves open is remembered within bounds: the oldest is
// forgotten, and its answer passes as any other.
func TestPending(t *testing.T) {
	t.Parallel()
	s := newState(plugin.SessionConfig{})
	for i := range maxPending + 100 {
		s.await(pending{method: "_x/y", id: []byte(strconv.Itoa(i))})
		s.await(pending{method: "_x/again", id: []byte(strconv.Itoa(i))})
	}
	if len(s.pending) != maxPending || len(s.order) != maxPending {
		t.Errorf("%d and %d are remembered", len(s.pending), len(s.order))
	}
	if _, known := s.answered("99"); known {
		t.Error("the oldest is still known")
	}
	for i := 100; i < maxPending+100; i++ {
		if p, known := s.answered(strconv.Itoa(i)); !known || p.method != "_x/again" {
			t.Fatalf("request %d is %q, %v", i, p.method, known)
		}
	}
	if len(s.pending)+len(s.order) != 0 {
		t.Errorf("%d and %d are left", len(s.pending), len(s.order))
	}
}

// An agent that takes a session's setup and never starts our server is told of,
// with what is known of such an agent; one that starts it is not.
func TestSilentAgent(t *testing.T) {
	t.Parallel()
	hermes, err := clients.Named("hermes")
	if err != nil {
		t.Fatal(err)
	}
	r, shown := opened(t, func(c *Config) { c.Client, c.Quiet = hermes, time.Millisecond })
	for end := time.Now().Add(patience); !strings.Contains(r.log.String(), hermes.ACP.Silent); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the log says %q", r.log)
		}
	}
	if _, said := r.dial(shown); said != "MNOTE/1 ok" {
		t.Errorf("a late relay: %s", said)
	}
	before := r.log.String()
	var s *session
	r.face.update(func(st *state) { s = st.sessions["s1"] })
	r.face.checkGreeted(s)
	if r.log.String() != before {
		t.Errorf("it is told of an agent that has started it: %s", r.log)
	}
}
