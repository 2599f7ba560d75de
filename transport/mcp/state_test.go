package mcp

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

func question() plugin.Question {
	return plugin.Question{
		SessionID: "s1", Tool: tools.Tool{Name: "mnote.page.save"}, DocumentID: "plan.md", ArgsHash: "h1", Revision: 7,
	}
}

// clock is a time that a test moves.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func newClock() *clock { return &clock{time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)} }

// M9: a state counts for the question it was made for, once, for ten minutes.
func TestM9StateBindsTheQuestion(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		other func(*plugin.Question)
		after time.Duration
		want  verdict
	}{
		"the same":          {func(*plugin.Question) {}, 0, spent},
		"at its end":        {func(*plugin.Question) {}, stateTime - time.Millisecond, spent},
		"too late":          {func(*plugin.Question) {}, stateTime, late},
		"another change":    {func(q *plugin.Question) { q.Shown = "c2" }, 0, late},
		"another session":   {func(q *plugin.Question) { q.SessionID = "s2" }, 0, strange},
		"another tool":      {func(q *plugin.Question) { q.Tool.Name = "mnote.page.get" }, 0, strange},
		"another document":  {func(q *plugin.Question) { q.DocumentID = "plan.m" }, 0, strange},
		"other arguments":   {func(q *plugin.Question) { q.ArgsHash = "h2" }, 0, strange},
		"another revision":  {func(q *plugin.Question) { q.Revision = 8 }, 0, strange},
		"bytes pushed over": {func(q *plugin.Question) { q.SessionID, q.DocumentID = "s1m", "plan.md" }, 0, strange},
		"other and late":    {func(q *plugin.Question) { q.ArgsHash = "h2" }, time.Hour, strange},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := newClock()
			s := newSeal(at.now)
			p, ok := s.open(s.issue(question(), "call_1"))
			if !ok || p.callID != "call_1" {
				t.Fatalf("open = %+v, %v", p, ok)
			}
			q := question()
			c.other(&q)
			at.at = at.at.Add(c.after)
			if got := s.spend(p, q); got != c.want {
				t.Errorf("spend = %v, want %v", got, c.want)
			}
		})
	}
}

func TestM9StateIsUsedOnce(t *testing.T) {
	t.Parallel()
	at := newClock()
	s := newSeal(at.now)
	first, _ := s.open(s.issue(question(), ""))
	second, _ := s.open(s.issue(question(), ""))
	if got := s.spend(first, question()); got != spent {
		t.Errorf("first use: %v", got)
	}
	if got := s.spend(first, question()); got != strange {
		t.Errorf("second use: %v", got)
	}
	if got := s.spend(second, question()); got != spent {
		t.Errorf("another state of the same question: %v", got)
	}
	at.at = at.at.Add(stateTime)
	third, _ := s.open(s.issue(question(), ""))
	s.spend(third, question())
	if len(s.used) != 1 {
		t.Errorf("%d used nonces are kept after their time", len(s.used)-1)
	}
}

// Nothing opens but what this seal made, whichever byte is another.
func TestM9ForgedStates(t *testing.T) {
	t.Parallel()
	at := newClock()
	s := newSeal(at.now)
	state := s.issue(question(), "call_1")
	raw, err := base64.RawURLEncoding.DecodeString(state)
	if err != nil {
		t.Fatal(err)
	}
	for i := range raw {
		forged := append([]byte(nil), raw...)
		forged[i] ^= 1
		if _, ok := s.open(base64.RawURLEncoding.EncodeToString(forged)); ok {
			t.Errorf("byte %d may be changed", i)
		}
	}
	for name, forged := range map[string]string{
		"empty": "", "no base64": "!!!", "cut": state[:len(state)-4], "longer": state + "AAAA",
		"padded": state + "=", "line": state + "\n", "huge": strings.Repeat("A", 1<<20),
		"another connection's": newSeal(at.now).issue(question(), "call_1"),
	} {
		if _, ok := s.open(forged); ok {
			t.Errorf("%s: opened", name)
		}
	}
}

func FuzzState(f *testing.F) {
	at := newClock()
	s := newSeal(at.now)
	f.Add(s.issue(question(), "call_1"))
	f.Add("")
	f.Fuzz(func(t *testing.T, state string) {
		if p, ok := s.open(state); ok && s.spend(p, question()) == strange && p.bind == digest(question()) && len(s.used) == 0 {
			t.Errorf("%q opened", state)
		}
	})
}
