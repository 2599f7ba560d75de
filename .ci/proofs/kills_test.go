package proofs

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

var killCount = flag.Int("kills", 0, "how many processes TestKills kills, 0 for as many as the size says")

// lanes are how many pages are written at once, so that a kill hits several
// writes in different places.
const lanes = 4

// TestKills: real SIGKILLs of the real program, at instants that nobody chose,
// while an agent writes. After each: every page is what the accepted writes made
// of it, or that and the one that was on its way; nothing is a mix. The key,
// sent again, is one effect. At the end the history, the audit and the files
// tell the same.
func TestKills(t *testing.T) {
	t.Parallel()
	k := killing{box: newBox(t), roll: newRoll(int(time.Now().UnixNano()))}
	for l := range lanes {
		k.pages = append(k.pages, &lane{name: fmt.Sprintf("p%d.md", l), text: heavy(l)})
		k.box.put(k.pages[l].name, []byte(k.pages[l].text))
	}
	kills := *killCount
	if kills == 0 {
		kills = size(60, 2_000)
	}
	for i := range kills {
		if err := k.round(); err != nil {
			t.Fatalf("kill %d: %v", i, err)
		}
	}
	t.Logf("%d processes killed with writes on their way: %d writes were answered, %d more had taken effect unanswered, %d had not; every key sent again is one effect",
		kills, k.answered, k.done, k.undone)
	k.agree()
	if k.done == 0 || k.undone == 0 {
		t.Errorf("the kills hit too little: %d unanswered writes had taken effect, %d had not", k.done, k.undone)
	}
	k.box.swept()
}

// heavy is a page big enough to be seen half written.
func heavy(seed int) string {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "Paragraph %d of page %d 段落, with some words to give it weight.\n\n", i, seed)
	}
	return b.String() + "start\n"
}

// lane is a page and the write that is on its way to it.
type lane struct {
	name string
	text string // what the accepted writes made of it
	sent int
	open map[string]any // the write whose answer never came, or nil
	line string         // what that write adds
	keys []string       // the commands of the accepted writes
}

// next is the lane's open write, or a new one.
func (l *lane) next() map[string]any {
	if l.open == nil {
		l.sent++
		l.line = fmt.Sprintf("\nwrite %d of %s.\n", l.sent, l.name)
		l.open = map[string]any{
			"documentId": l.name, "mode": "append", "dryRun": false, "idempotencyKey": fmt.Sprintf("key-%s-%d", l.name, l.sent),
			"content": []any{map[string]any{"text": strings.Trim(l.line, "\n")}},
		}
	}
	return l.open
}

func (l *lane) accept(env envelope) {
	l.text += l.line
	l.open = nil
	l.keys = append(l.keys, env.Audit.CommandID)
}

type killing struct {
	box   *box
	roll  roll
	pages []*lane
	// answered, done and undone count the writes by what became of them.
	answered, done, undone int
}

// round starts a host, has it write, and kills it a random while after a random
// answer. The first calls of a host open its databases: kills fall there too.
func (k *killing) round() error {
	a, err := k.box.start()
	if err != nil {
		return err
	}
	answers := make(chan struct{}, lanes)
	errs := make(chan error, lanes)
	for _, l := range k.pages {
		go func() { errs <- l.write(a, answers) }()
	}
	k.killAfter(a, k.roll.IntN(3*lanes), answers)
	for range lanes {
		if e := <-errs; !errors.Is(e, errGone) {
			err = errors.Join(err, e)
		}
	}
	for _, l := range k.pages {
		err = errors.Join(err, k.look(l))
	}
	return err
}

// killAfter kills the host a while after the n-th answer; the while is up to
// the time that answers take, so that all steps of a write are as likely.
func (k *killing) killAfter(a *agent, n int, answers <-chan struct{}) {
	start := time.Now()
	for range n {
		select {
		case <-answers:
			k.answered++
		case <-a.gone:
			return
		}
	}
	pace := 40 * time.Millisecond
	if n > 0 {
		pace = time.Since(start) / time.Duration(n) * lanes
	}
	for fuse := time.After(time.Duration(k.roll.Int64N(int64(pace) + 1))); ; {
		select {
		case <-answers:
			k.answered++
			continue
		case <-fuse:
		}
		a.kill()
		return
	}
}

// write sends the lane's writes one after the other until the host is gone.
func (l *lane) write(a *agent, answers chan<- struct{}) error {
	for {
		env, err := a.callOnce("mnote_page_save", l.next())
		if err != nil {
			return err
		}
		if !env.OK {
			return fmt.Errorf("%s: %s", l.name, env.raw)
		}
		l.accept(env)
		select {
		case answers <- struct{}{}:
		case <-a.gone:
			return errGone
		}
	}
}

// look reads a page as the dead host left it.
func (k *killing) look(l *lane) error {
	data, err := os.ReadFile(k.box.path(l.name))
	switch {
	case err != nil:
		return err
	case string(data) == l.text:
		k.undone++
	case l.open != nil && string(data) == l.text+l.line:
		k.done++
	default:
		return fmt.Errorf("%s is a mix: %d bytes, want %d or %d; it ends %q", l.name, len(data), len(l.text), len(l.text)+len(l.line), data[max(0, len(data)-80):])
	}
	return nil
}

// agree sends each open key once more, and every lane's first again, and then
// compares files, histories and audit.
func (k *killing) agree() {
	b := k.box
	b.t.Helper()
	a := b.agent()
	writes := map[string]int{}
	for _, l := range k.pages {
		env, err := a.call("mnote_page_save", l.next())
		if err != nil || !env.OK {
			b.t.Fatalf("the last write: %v %s", err, env.raw)
		}
		l.accept(env)
		page, err := a.call("mnote_page_get", map[string]any{"documentId": l.name, "maxChars": 100})
		data := b.bytes(l.name)
		if err != nil || page.Result.ContentHash != hashOf(data) || !bytes.Equal(data, []byte(l.text)) {
			b.t.Errorf("%s: %v %s", l.name, err, page.raw)
		}
		// The first revision is the page as it was found; each write added one.
		if want := int64(1 + len(l.keys)); page.Result.Revision != want {
			b.t.Errorf("%s is at revision %d after %d writes", l.name, page.Result.Revision, len(l.keys))
		}
		history, err := a.call("mnote_doc_history", map[string]any{"documentId": l.name, "limit": 20})
		if err != nil || !history.OK {
			b.t.Fatalf("history: %v %s", err, history.raw)
		}
		for i, r := range history.Result.Revisions[:min(len(l.keys), len(history.Result.Revisions))] {
			if want := l.keys[len(l.keys)-1-i]; r.CommandID != want || r.Source != "agent" {
				b.t.Errorf("%s: revision %d is %s's, want %s", l.name, r.Revision, r.CommandID, want)
			}
		}
		for _, key := range l.keys {
			writes[key] = 0
		}
	}
	b.must(a.leave())
	for _, r := range b.rows() {
		if r.Effect == "write" && !r.Replayed {
			writes[r.CommandID]++
		}
	}
	missing := 0
	for command, n := range writes {
		if n > 1 {
			b.t.Errorf("the audit has %s %d times as a first write", command, n)
		}
		if n == 0 {
			missing++
		}
	}
	b.t.Logf("%d accepted writes; %d of them are in the audit by their replay only, since the first answer died with its host", len(writes), missing)
}
