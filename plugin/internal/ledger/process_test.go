package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin/internal/child"
	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
	"github.com/mnote-dev/mnote-host/plugin/internal/sqlite"
	"github.com/mnote-dev/mnote-host/tools"
)

var roles = map[string]child.Role{
	"compete": on(competeRole),
	"stop-at": on(stopAtRole),
	"pour":    on(pourRole),
	"spend":   on(spendRole),
}

// on is a role that is played on a file.
func on(role func(path, arg string) error) child.Role {
	return func(args []string) error { return role(args[0], args[1]) }
}

const (
	processes = 8
	keys      = 40
)

// competeRole claims every key in an order of its own and has the effect when
// it gets one. Some claims are given back with nothing sent; reads go between.
func competeRole(path, seed string) error {
	n, err := strconv.ParseUint(seed, 10, 64)
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(n, 7))
	l := ledger.Open(ledger.Config{Path: path})
	_, _ = io.Copy(io.Discard, os.Stdin) // all begin together
	for _, k := range random.Perm(keys) {
		l.Record(context.Background(), read(fmt.Sprintf("%s-%d", seed, k)))
		if err := compete(l, path, fmt.Sprint(k), random); err != nil {
			return fmt.Errorf("key %d: %w", k, err)
		}
	}
	return l.Close()
}

func compete(l *ledger.Ledger, path, key string, random *rand.Rand) error {
	for {
		c, stored, err := l.Claim(context.Background(), write(key, time.Now()))
		if e := tools.AsError(err); err != nil && e.Details["reason"] == "busy" {
			continue // on a loaded machine: nothing was taken, and the message says to try again
		}
		if err != nil {
			return err
		}
		if stored != nil {
			if got := *stored.Audit.CommandID; got != key {
				return fmt.Errorf("the stored answer is that of %s", got)
			}
			return nil
		}
		if random.IntN(3) == 0 {
			if err := c.Release(context.Background(), refused(key)); err != nil {
				return err
			}
			continue
		}
		if err := effect(path, key); err != nil {
			return err
		}
		return c.Finish(context.Background(), answer(key), wrote(key))
	}
}

// effect is what a kernel would do: it adds a line, in one write.
func effect(path, key string) error {
	f, err := os.OpenFile(path+".effects", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(key + "\n")
	return errors.Join(err, f.Close())
}

// spendRole claims a key of its own on the one yes p_1, and tells what came of
// it.
func spendRole(path, name string) error {
	l := ledger.Open(ledger.Config{Path: path})
	_, _ = io.Copy(io.Discard, os.Stdin)
	w := write(name, time.Now())
	w.ApprovalID = "p_1"
	c, _, err := l.Claim(context.Background(), w)
	if err != nil {
		fmt.Println(code(err))
		return l.Close()
	}
	fmt.Println("spent")
	return errors.Join(c.Finish(context.Background(), answer(name), wrote(name)), l.Close())
}

// S05: several processes start at once on a file that is not there yet and mix
// reads and writes on the same keys: no error, and each write happens once.
func TestS05ManyProcessesOneEffect(t *testing.T) {
	t.Parallel()
	path := dbPath(t)
	check(t, os.MkdirAll(filepath.Dir(path), 0o700))
	children := make([]*child.Process, processes)
	for i := range children {
		children[i] = child.Start(t, "compete", path, fmt.Sprint(i))
	}
	for _, c := range children {
		_ = c.In.Close()
	}
	for _, c := range children {
		c.Wait(t)
	}

	happened, err := os.ReadFile(path + ".effects")
	check(t, err)
	count := map[string]int{}
	for line := range strings.Lines(string(happened)) {
		count[strings.TrimSpace(line)]++
	}
	for k := range keys {
		if n := count[fmt.Sprint(k)]; n != 1 {
			t.Errorf("key %d had %d effects", k, n)
		}
	}
	rows := map[string]int{}
	l := open(t, path, nil)
	for r, err := range l.Rows(t.Context(), ledger.Filter{}) {
		check(t, err)
		rows[string(r.Effect)]++
	}
	if rows["read"] != processes*keys || rows["write"] != keys {
		t.Errorf("rows %v", rows)
	}
	sound(t, path)
}

// sound checks that the database is whole and the chain unbroken.
func sound(tb testing.TB, path string) {
	tb.Helper()
	var said string
	f := &sqlite.File{Config: sqlite.Config{Path: path, Migrations: os.DirFS("schema")}}
	err := f.View(tb.Context(), func(tx *sqlite.Tx) error { return tx.Row("PRAGMA integrity_check").Scan(&said) })
	if err := errors.Join(err, f.Close()); err != nil || said != "ok" {
		tb.Fatalf("integrity: %s, %v", said, err)
	}
	l := ledger.Open(ledger.Config{Path: path})
	defer l.Close()
	if v, err := l.Verify(tb.Context()); err != nil || v.Broken != nil || v.Start != ledger.StartNew {
		tb.Fatalf("chain: %+v, broken %+v, %v", v, v.Broken, err)
	}
}

// stopAtRole takes the key "k" up to the point, says so and waits to be killed.
func stopAtRole(path, point string) error {
	l := ledger.Open(ledger.Config{Path: path})
	w := write("k", time.Now())
	c, _, err := l.Claim(context.Background(), w)
	if err != nil {
		return err
	}
	switch point {
	case "claimed", "unseen":
	case "in doubt":
		err = c.Doubt(context.Background(), tools.CodeTimeout, refused("1"))
	case "finished", "delivered":
		err = c.Finish(context.Background(), answer("child"), wrote("1"))
		if point == "delivered" {
			l.Delivered(w.ToolCallID)
			for range l.Rows(context.Background(), ledger.Filter{}) { // records what waits
				break
			}
		}
	case "file locked":
		f := &sqlite.File{Config: sqlite.Config{Path: path, Migrations: os.DirFS("schema")}}
		return f.Normal(context.Background(), func(*sqlite.Tx) error {
			fmt.Println(point)
			_, err := io.Copy(io.Discard, os.Stdin)
			return err
		})
	}
	if err != nil {
		return err
	}
	fmt.Println(point)
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// A process is killed between two steps of a write; the one that comes after
// finds the write as far as it came. It takes over at once, or, where nobody
// can see who lives, when the lease is out.
func TestKilledBetweenClaimAndDelivery(t *testing.T) {
	t.Parallel()
	for point, want := range map[string]struct {
		retry        tools.Key // what an equal write without a key finds
		held, stored bool      // what the same key meets before the lease runs out
	}{
		"claimed":   {retry: "k"},
		"unseen":    {retry: "k", held: true},
		"in doubt":  {retry: "k"},
		"finished":  {retry: "k", stored: true},
		"delivered": {stored: true},
	} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			path := dbPath(t)
			if point == "unseen" { // no roll where there is a folder
				check(t, os.MkdirAll(filepath.Join(filepath.Dir(path), "host.owners"), 0o700))
			}
			c := child.Start(t, "stop-at", path, point)
			if got := c.Line(t); got != point {
				t.Fatal(got)
			}
			c.Kill()

			now := &clock{t: time.Now()}
			l := open(t, path, now)
			w := write("k", now.now())
			if key, err := l.MatchInDoubt(t.Context(), w); key != want.retry || err != nil {
				t.Errorf("retry of %q, %v", key, err)
			}
			w.Deadline = now.now()
			claim, stored, err := l.Claim(t.Context(), w)
			if held := code(err) == string(tools.CodeTimeout); held != want.held || (stored != nil) != want.stored {
				t.Errorf("before the lease ran out: %v, %v, %v", claim, stored, err)
			}
			now.pass(minute + 5*time.Second)
			w.Deadline = now.now().Add(minute)
			claim, stored, err = l.Claim(t.Context(), w)
			if err != nil && !want.held || (stored != nil) != want.stored {
				t.Fatalf("after it: %v, %v, %v", claim, stored, err)
			}
			if stored == nil {
				if !claim.Again() {
					t.Error("the heir does not know that the write may have been sent")
				}
				mustFinish(t, claim, "parent")
			}
			check(t, l.Close())
			sound(t, path)
		})
	}
}

// pourRole writes and reads for ever, and says which answers are stored.
func pourRole(path, name string) error {
	l := ledger.Open(ledger.Config{Path: path})
	for i := 0; ; i++ {
		key := fmt.Sprintf("%s-%d", name, i)
		c, _, err := l.Claim(context.Background(), write(key, time.Now()))
		if err != nil {
			return err
		}
		l.Record(context.Background(), read("r"+key))
		if err := c.Finish(context.Background(), answer(key), wrote(key)); err != nil {
			return err
		}
		l.Delivered("call_" + key)
		fmt.Println(key)
	}
}

// Processes are killed in the middle of anything, again and again: the file is
// whole, the chain unbroken, and no answer that was stored is lost.
func TestKilledAgainAndAgain(t *testing.T) {
	t.Parallel()
	path := dbPath(t)
	var stored []string
	for round := range 3 {
		var children []*child.Process
		for i := range 4 {
			children = append(children, child.Start(t, "pour", path, fmt.Sprintf("%d-%d", round, i)))
		}
		for i, c := range children { // one after the other, so the rest write on
			for range 5 + rand.IntN(20) {
				stored = append(stored, c.Line(t))
			}
			children[i].Kill()
		}
		sound(t, path)
	}
	l := open(t, path, nil)
	for _, key := range stored {
		got, err := l.Find(t.Context(), write(key, time.Now()))
		if err != nil || got == nil || cmp.Diff(key, *got.Audit.CommandID) != "" {
			t.Errorf("%s: %v, %v", key, got, err)
		}
	}
}
