package acp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// opened is a rig with one session set up; it gives the session's ticket.
func opened(t *testing.T, change func(*Config)) (*rig, string) {
	t.Helper()
	r := newRig(t, change)
	r.client.say(t, `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"/x","mcpServers":[]}}`+"\n")
	m := ticketForm.FindStringSubmatch(r.agent.hear(t))
	if m == nil {
		t.Fatal("no ticket was inserted")
	}
	r.agent.say(t, `{"jsonrpc":"2.0","id":1,"result":{"sessionId":"s1"}}`+"\n")
	r.client.hear(t)
	return r, m[2]
}

func (r *rig) prompt(t *testing.T, id int, rest string) {
	t.Helper()
	r.client.say(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":"s1",%s}}`+"\n", id, rest))
	r.agent.hear(t)
}

// The relay copies both ways, says what the door says, and ends with either side.
func TestAttach(t *testing.T) {
	t.Parallel()
	r, shown := opened(t, nil)
	r.prompt(t, 2, `"prompt":[]`)
	socket := r.face.door.path

	attach := func(ticket string) (*io.PipeWriter, chan string, chan error) {
		in, w := io.Pipe()
		out, back := io.Pipe()
		ended := make(chan error, 1)
		go func() {
			ended <- Attach(t.Context(), socket, ticket, in, back)
			back.Close()
		}()
		return w, linesOf(out), ended
	}
	in, out, ended := attach(shown)
	fmt.Fprintln(in, `{"tool":"mnote_page_get","args":{}}`)
	if got := <-out; !strings.Contains(got, `"document":"launch.md"`) {
		t.Errorf("the call answered %s", got)
	}
	in.Close()
	if err := <-ended; err != nil {
		t.Errorf("the agent's side ended: %v", err)
	}

	_, _, ended = attach(string(newTicket()))
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "the ticket is not valid") {
		t.Errorf("a wrong ticket: %v", err)
	}
	if err := Attach(t.Context(), socket, "", nil, nil); err == nil || !strings.Contains(err.Error(), VarTicket) {
		t.Errorf("no ticket: %v", err)
	}
	if err := Attach(t.Context(), filepath.Join(t.TempDir(), "none"), shown, nil, nil); err == nil {
		t.Error("no socket: no error")
	}

	_, _, ended = attach(shown)
	r.client.say(t, `{"jsonrpc":"2.0","id":4,"method":"session/delete","params":{"sessionId":"s1"}}`+"\n")
	r.agent.hear(t)
	r.agent.say(t, `{"jsonrpc":"2.0","id":4,"result":{}}`+"\n")
	if err := <-ended; err == nil || !errors.Is(err, ErrRelayLost) && !strings.Contains(err.Error(), "not valid") {
		t.Errorf("the session is over: %v", err)
	}
}

// A session has no more than four relays, and a new one finds room when one has
// left.
func TestRelayLimit(t *testing.T) {
	t.Parallel()
	r, shown := opened(t, nil)
	for range maxRelays {
		if _, said := r.dial(shown); said != "MNOTE/1 ok" {
			t.Fatal(said)
		}
	}
	if _, said := r.dial(shown); !strings.HasPrefix(said, "MNOTE/1 no ") {
		t.Errorf("one too many: %s", said)
	}
}

// Garbage at the door is refused, and the door lives on.
func TestDoorGarbage(t *testing.T) {
	t.Parallel()
	r, shown := opened(t, nil)
	for _, garbage := range []string{"", strings.Repeat("x", 1000), shown + "x", "MNOTE/1 " + shown, "\x00"} {
		if _, said := r.dial(garbage); !strings.HasPrefix(said, "MNOTE/1 no ") {
			t.Errorf("%q: %s", garbage, said)
		}
	}
	if _, said := r.dial(shown); said != "MNOTE/1 ok" {
		t.Error(said)
	}
}

// The socket's folder is the user's alone, one that is not is passed over, and
// what dead proxies left is swept up.
func TestDoorPlaces(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open := filepath.Join(dir, "open")
	if err := os.Mkdir(open, 0o755); err != nil {
		t.Fatal(err)
	}
	mine := filepath.Join(dir, "mine")
	if err := os.MkdirAll(mine, 0o700); err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(mine, "4194304999-x.sock")
	if err := os.WriteFile(dead, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := openDoor([]string{open, filepath.Join(dir, strings.Repeat("long", 30)), mine})
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Dir(d.path) != mine {
		t.Errorf("the socket is %s", d.path)
	}
	if _, err := os.Stat(dead); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a dead proxy's socket: %v", err)
	}
	d.close()
	if left, _ := os.ReadDir(mine); len(left) != 0 {
		t.Errorf("%v is left", left)
	}
	d, err = openDoor([]string{open})
	if err != nil {
		t.Fatal(err)
	}
	d.close()
	if _, err := os.Stat(filepath.Dir(d.path)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("its own folder: %v", err)
	}
}

// A prompt too long to be held streams by, unchanged, and its focus counts: what
// _meta says, else the first link to a page.
func TestLongPrompt(t *testing.T) {
	t.Parallel()
	r, shown := opened(t, nil)
	l, _ := r.dial(shown)
	image := `{"type":"image","data":"` + strings.Repeat("A\\n", 3<<20) + `"}`
	link := `{"type":"resource_link","uri":"https://x.example/"},{"type":"resource","resource":{"uri":"file:///notes/linked.md#b3","text":"x"}},{"uri":"mnote://page/no.md","type":"resource_link"}`
	for i, tt := range []struct{ params, want string }{
		{`"prompt":[` + image + `,` + link + `,{"_meta":{"mnote/context":{"documentId":"no.md"}}}],"sessionId":"s1","_meta":{"x":"}\"","mnote/context":{"documentId":"big.md"}}`, `"document":"big.md"`},
		{`"sessionId":"s1","_meta":{"x":1},"prompt":[` + image + `,` + link + `]`, `"document":"linked.md","refs":[{"kind":"page","id":"no.md"}],"run":"RUN","selection":{"blockId":"b3"}`},
		{`"sessionId":"s1","prompt":[` + link + `,` + image + `]`, `"document":"linked.md","refs":[{"kind":"page","id":"no.md"}],"run":"RUN","selection":{"blockId":"b3"}`},
		{`"sessionId":"s1","prompt":[` + image + `]`, `"document":"linked.md"`}, // the last known
	} {
		line := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{%s}}`+"\n", i+2, tt.params)
		go io.WriteString(r.client.in, line)
		if got := r.agent.hear(t); got != line {
			t.Error("the frame was changed")
		}
		l.call("mnote_page_get", "{}")
		if got := runForm.ReplaceAllString(l.answer(t), `"run":"RUN"`); !strings.Contains(got, tt.want) {
			t.Errorf("prompt %d: the call answered %s", i, got)
		}
		r.agent.say(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"stopReason":"end_turn"}}`+"\n", i+2))
		r.client.hear(t)
	}
	l.call("mnote_page_get", "{}")
	if got := l.answer(t); !strings.Contains(got, "no_turn") {
		t.Errorf("after the turn: %s", got)
	}
}

// The first prompt gains its preamble however long it is, and the next is none.
func TestLongFirstPrompt(t *testing.T) {
	t.Parallel()
	r, _ := opened(t, func(c *Config) { c.Preamble = true })
	for i, gains := range []bool{true, false} {
		blocks := `{"type":"image","data":"` + strings.Repeat("A", 2<<20) + `"}]}}` + "\n"
		head := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":"s1","prompt":[`, i+2)
		go io.WriteString(r.client.in, head+blocks)
		got := r.agent.hear(t)
		if !strings.HasPrefix(got, head) || !strings.HasSuffix(got, blocks) || strings.Contains(got, "mnote/injected") != gains {
			t.Errorf("prompt %d came as %.300q", i, got)
		}
	}
}

// No word of a conversation is found in a log, a database or a temporary file.
func TestCanary(t *testing.T) {
	t.Parallel()
	const canary = "canary-Zx81"
	r, shown := opened(t, nil)
	r.prompt(t, 2, `"prompt":[{"type":"text","text":"`+canary+`"},{"type":"resource_link","uri":"file:///notes/p.md","name":"`+canary+`"}],"_meta":{"k":"`+canary+`","mnote/context":{"documentId":"p.md"}}`)
	for _, line := range []string{
		`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` + canary + `"}}}}`,
		`{"jsonrpc":"2.0","id":9,"method":"fs/read_text_file","params":{"path":"` + canary + `"}}`, `{"broken":"` + canary,
		`[{"jsonrpc":"2.0","method":"` + canary + `"}]`,
	} {
		r.agent.say(t, line+"\n")
		r.client.hear(t)
	}
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":9,"result":{"content":"` + canary + `"}}`, `[{"x":"` + canary + `"}]`, canary,
		`{"jsonrpc":"2.0","id":5,"method":"session/new","params":{"mcpServers":{"x":"` + canary + `"}}}`,
	} {
		r.client.say(t, line+"\n")
		r.agent.hear(t)
	}
	r.client.say(t, `{"jsonrpc":"2.0","id":6,"method":"_mnote/`+canary+`","params":{}}`+"\n")
	r.client.hear(t)
	l, _ := r.dial(shown)
	l.call("mnote_page_get", `{}`)
	l.answer(t)
	if strings.Contains(r.log.String(), canary) {
		t.Errorf("the log holds it: %s", r.log)
	}
	if m := regexp.MustCompile(shown).FindString(r.log.String()); m != "" {
		t.Error("the log holds the ticket")
	}
	for _, dir := range []string{r.dir, filepath.Dir(r.face.door.path)} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			data, err := os.ReadFile(path)
			if strings.Contains(string(data), canary) || strings.Contains(string(data), shown) {
				t.Errorf("%s holds it", path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A client that does not read its pipe stops nobody from writing to the agent.
func TestDeafClient(t *testing.T) {
	t.Parallel()
	r, _ := opened(t, nil)
	for i := range 200 { // answers that nobody takes up
		r.client.say(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"_mnote/other"}`+"\n", i))
	}
	r.client.say(t, `{"jsonrpc":"2.0","method":"_x/still"}`+"\n")
	if got := r.agent.hear(t); !strings.Contains(got, "_x/still") {
		t.Errorf("the agent got %s", got)
	}
}

// The context of a face ends with it, for what runs on its relays.
func TestShut(t *testing.T) {
	t.Parallel()
	served := make(chan error, 1)
	r, shown := opened(t, func(c *Config) {
		c.Serve = func(ctx context.Context, _ Session, in io.Reader, _ io.Writer) error {
			_, err := io.Copy(io.Discard, in)
			served <- err
			return nil
		}
	})
	r.dial(shown)
	r.face.shut()
	<-served
}
