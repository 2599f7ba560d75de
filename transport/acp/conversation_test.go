package acp

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/plugin/clients"
	"github.com/mnote-dev/mnote-host/tools"
)

var update = flag.Bool("update", false, "rewrite what the conversations expect")

// TestConversations plays every conversation of testdata/sessions/acp through
// the real pumps, door and pipeline, with a kernel that answers with what it was
// told of the session.
//
// Sections: flags.json, grant.json (the launch scope) and play. A line of play
// is one of
//
//	client: FRAME    what the client sends
//	agent: FRAME     what the agent sends
//	> agent FRAME    what then reaches the agent
//	> client FRAME   what then reaches the client
//	call N TOOL ARGS a tool call on the relay of the Nth ticket
//	= TEXT           the answer of the oldest open call: a result, or code and reason
//	dial N           a relay with the Nth ticket that only says what the door says
//	stderr TEXT      what the log says by now
//
// In a frame $id stands for the id of the host's last own request; tickets,
// paths and ids that the host makes are shown by name.
func TestConversations(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../../testdata/sessions/acp/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			play(t, file)
		})
	}
}

type flags struct {
	Client     string             `json:"client"`
	ManyScopes bool               `json:"manyScopes"`
	AnyTime    bool               `json:"anyTime"`
	Preamble   bool               `json:"preamble"`
	PassNoise  bool               `json:"passNoise"`
	Confirm    plugin.ConfirmMode `json:"confirm"`
}

func play(t *testing.T, file string) {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := &stage{relays: map[string]relay{}, rig: newRig(t, func(c *Config) { set(t, c, archive) })}
	var script *txtar.File
	for i := range archive.Files {
		if archive.Files[i].Name == "play" {
			script = &archive.Files[i]
		}
	}
	var got []string
	for line := range strings.Lines(string(script.Data)) {
		got = append(got, s.line(t, strings.TrimRight(line, "\n")))
	}
	after := strings.Join(got, "\n") + "\n"
	if *update {
		script.Data = []byte(after)
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if after != string(script.Data) {
		before := strings.Split(string(script.Data), "\n")
		for i, line := range got {
			if before[i] != line {
				t.Errorf("line %d is\n\t%s\nwant\n\t%s", i+1, line, before[i])
			}
		}
	}
}

func set(t *testing.T, c *Config, archive *txtar.Archive) {
	var fl flags
	for _, f := range archive.Files {
		switch f.Name {
		case "flags.json":
			if err := json.Unmarshal(f.Data, &fl); err != nil {
				t.Fatal(err)
			}
		case "grant.json":
			g, err := tools.ParseGrant(f.Data)
			if err != nil {
				t.Fatal(err)
			}
			c.Base.Grant = &g
		}
	}
	if fl.Client != "" {
		known, err := clients.Named(fl.Client)
		if err != nil {
			t.Fatal(err)
		}
		c.Client = known
	}
	c.ManyScopes, c.AnyTime, c.Preamble, c.PassNoise, c.Base.Confirm = fl.ManyScopes, fl.AnyTime, fl.Preamble, fl.PassNoise, fl.Confirm
}

// stage is one conversation that is being played.
type stage struct {
	*rig
	tickets []string
	relays  map[string]relay
	calls   []relay
	lastID  string
}

// line plays one line and gives it back as it came out.
func (s *stage) line(t *testing.T, line string) string {
	t.Helper()
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "client:":
		s.client.say(t, strings.ReplaceAll(rest, `"$id"`, s.lastID)+"\n")
	case "agent:":
		s.agent.say(t, rest+"\n")
	case ">":
		if strings.HasPrefix(rest, "agent") {
			return "> agent " + s.shown(s.agent.hear(t))
		}
		return "> client " + s.shown(s.client.hear(t))
	case "call":
		n, rest, _ := strings.Cut(rest, " ")
		tool, args, _ := strings.Cut(rest, " ")
		l := s.relay(t, n)
		l.call(tool, args)
		s.calls = append(s.calls, l)
	case "=":
		l := s.calls[0]
		s.calls = s.calls[1:]
		return "= " + s.shown(l.answer(t))
	case "dial":
		_, said := s.dial(s.ticket(t, strings.Fields(rest)[0]))
		return "dial " + strings.Fields(rest)[0] + " " + said
	case "stderr":
		if !*update && !strings.Contains(s.log.String()+s.noise.String(), rest) {
			t.Errorf("the log does not say %q but\n%s%s", rest, s.log, s.noise)
		}
	case "", "#":
	default:
		t.Fatalf("what is %q?", line)
	}
	return line
}

// relay is the one that the ticket's calls go through.
func (s *stage) relay(t *testing.T, n string) relay {
	t.Helper()
	if s.relays[n].conn == nil {
		l, said := s.dial(s.ticket(t, n))
		if said != "MNOTE/1 ok" {
			t.Fatalf("the door says %q", said)
		}
		s.relays[n] = l
	}
	return s.relays[n]
}

func (s *stage) ticket(t *testing.T, n string) string {
	i := int(n[0] - '1')
	if i < 0 || i >= len(s.tickets) {
		t.Fatalf("there is no ticket %s", n)
	}
	return s.tickets[i]
}

var (
	ticketForm = regexp.MustCompile(`("MNOTE_HOST_TICKET","value":")([A-Za-z0-9_-]{43})"`)
	socketForm = regexp.MustCompile(`("MNOTE_HOST_SOCKET","value":")[^"]+"`)
	ownIDForm  = regexp.MustCompile(`"mnote-host:[A-Z2-7]+:(\d+)"`)
	runForm    = regexp.MustCompile(`"run":"(run|run_[A-Za-z0-9]{10,})"`)
	madeForm   = regexp.MustCompile(`"trace":"[^"]*"`)
)

// shown replaces what differs from run to run.
func (s *stage) shown(line string) string {
	line = strings.TrimRight(line, "\n")
	if m := ticketForm.FindStringSubmatch(line); m != nil {
		s.tickets = append(s.tickets, m[2])
	}
	if id := ownIDForm.FindString(line); id != "" {
		s.lastID = id
	}
	line = ticketForm.ReplaceAllString(line, `${1}TICKET"`)
	line = socketForm.ReplaceAllString(line, `${1}SOCKET"`)
	line = ownIDForm.ReplaceAllString(line, `"$$id"`)
	line = runForm.ReplaceAllString(line, `"run":"RUN"`)
	if !strings.Contains(line, `"trace":"00-80e1`) {
		line = madeForm.ReplaceAllString(line, `"trace":"TRACE"`)
	}
	return line
}
