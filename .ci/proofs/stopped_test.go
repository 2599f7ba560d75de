package proofs

import (
	"fmt"
	"syscall"
	"testing"
	"time"
)

// TestStopped: of two hosts on one folder one is stopped by SIGSTOP while it
// writes. The other's calls are all answered within the promised time, a write
// that cannot be made is told to be busy, reading goes on, and afterwards
// nothing is lost or doubled.
func TestStopped(t *testing.T) {
	t.Parallel()
	const pages, most = 5, 600
	b := newBox(t)
	for p := range pages {
		b.put(fmt.Sprintf("shared%d.md", p), []byte("start\n"))
	}
	b.put("quiet.md", []byte("quiet\n"))
	s := stopping{box: b, writes: mixed(most, pages), roll: newRoll(int(time.Now().UnixNano()))}
	stopped, other := b.agent(), b.agent()
	for want := size(1, 8); s.busy < want && len(s.writes) > 50; {
		s.round(stopped, other)
	}
	for len(s.writes)%10 > 0 { // effects counts in tens
		if env := s.timed(other, s.writes[0].tool, s.writes[0].args); !env.OK {
			t.Fatalf("after all: %s", env.raw)
		}
		s.writes = s.writes[1:]
	}
	t.Logf("%d times a host was stopped in the middle of its writes: the other one made %d writes and %d reads meanwhile, %d writes were refused as busy and sent again; its longest call took %v",
		s.stops, s.written, s.reads, s.busy, s.longest.Round(time.Millisecond))
	if s.longest > 65*time.Second || s.busy == 0 {
		t.Errorf("the longest call took %v, %d were told to be busy", s.longest, s.busy)
	}
	effects(b, most-len(s.writes), pages)
	b.swept()
}

type stopping struct {
	box                  *box
	roll                 roll
	writes               []write
	stops, written, busy int
	reads                int
	longest              time.Duration
}

// round has the one host write a few, stops it in the middle, has the other
// read and write, lets the one go on, and reads its replies.
func (s *stopping) round(stopped, other *agent) {
	var mine []write
	var waits []<-chan []byte
	for range min(6, len(s.writes)) {
		w := s.writes[0]
		s.writes = s.writes[1:]
		wait, err := stopped.send("tools/call", map[string]any{"name": w.tool, "arguments": w.args})
		s.box.must(err)
		mine, waits = append(mine, w), append(waits, wait)
	}
	time.Sleep(time.Duration(s.roll.IntN(12000)) * time.Microsecond)
	stopped.signal(syscall.SIGSTOP)
	s.stops++
	if env := s.timed(other, "mnote_page_get", map[string]any{"documentId": "quiet.md"}); !env.OK {
		s.box.t.Errorf("a read while a host is stopped: %s", env.raw)
	}
	s.reads++
	if len(s.writes) > 0 {
		w := s.writes[0]
		switch env := s.timed(other, w.tool, w.args); {
		case env.OK:
			s.written++
			s.writes = s.writes[1:]
		case env.code() == "mnote_kernel_unavailable" && env.reason() == "busy":
			s.busy++
			defer func() { s.again(other, w); s.writes = s.writes[1:] }()
		default:
			s.box.t.Errorf("a write while a host is stopped: %s", env.raw)
		}
	}
	stopped.signal(syscall.SIGCONT)
	for i, wait := range waits {
		line, err := stopped.await(wait)
		s.box.must(err)
		if env, err := open(line); err != nil || !env.OK {
			if env.code() != "mnote_kernel_unavailable" {
				s.box.t.Errorf("a write of the host that was stopped: %v %s", err, env.raw)
			}
			s.again(stopped, mine[i])
		}
	}
}

// again sends a write that was refused once more.
func (s *stopping) again(a *agent, w write) {
	if env := s.timed(a, w.tool, w.args); !env.OK {
		s.box.t.Errorf("sent again with its key: %s", env.raw)
	}
}

func (s *stopping) timed(a *agent, tool string, args map[string]any) envelope {
	start := time.Now()
	env, err := a.call(tool, args)
	if err != nil {
		a.signal(syscall.SIGQUIT) // its goroutines tell what it waits for
		<-a.gone
		s.box.t.Fatalf("%s %v while a host is stopped: %v\n%s", tool, args, err, a.stderr)
	}
	s.longest = max(s.longest, time.Since(start))
	return env
}
