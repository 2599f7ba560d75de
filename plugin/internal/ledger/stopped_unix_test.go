//go:build unix

package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/internal/child"
	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
	"github.com/mnote-dev/mnote-host/tools"
)

// S05: whoever is stopped, with the key or with the file's lock, makes others
// wait until their deadline at most, and what they get is typed. When it goes
// on, so do they.
func TestS05StoppedHolder(t *testing.T) {
	t.Parallel()
	for point, want := range map[string]string{
		"claimed":     string(tools.CodeTimeout),
		"file locked": string(tools.CodeKernelUnavailable) + " busy",
	} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			path := dbPath(t)
			holder := child.Start(t, "stop-at", path, point)
			if got := holder.Line(t); got != point {
				t.Fatal(got)
			}
			check(t, holder.Cmd.Process.Signal(syscall.SIGSTOP))

			l := open(t, path, nil)
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			key := "k"
			if point == "file locked" {
				key = "another"
			}
			if _, _, err := l.Claim(ctx, write(key, time.Now())); code(err) != want {
				t.Errorf("got %v, want %s", err, want)
			}
			check(t, l.Empty().Finish(t.Context(), answer("x"), read("1")))
			if point == "claimed" { // it lives, so only its lease ends its claim
				later := &clock{t: time.Now().Add(minute + 5*time.Second)}
				mustFinish(t, mustClaim(t, open(t, path, later), write("k", later.now())), "heir")
			}
			check(t, holder.Cmd.Process.Signal(syscall.SIGCONT))
			holder.Wait(t)
			mustFinish(t, mustClaim(t, l, write("after", time.Now())), "after")
		})
	}
}

// On a full disk a write is refused with its reason, nothing half is left, and
// all goes on when there is room again. A limit on the size of files plays the
// disk; it binds a process, so a child plays the host.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	path := dbPath(t)
	c := child.Start(t, "full-disk", path, "")
	if got := c.Line(t); got != "room again" {
		t.Error(got)
	}
	c.Wait(t)
	sound(t, path)
	if got := len(calls(t, open(t, path, nil), ledger.Filter{Session: "s_1"})); got < 3 {
		t.Errorf("%d rows: those that waited for room are lost", got)
	}
}

func fullDiskRole(path, _ string) error {
	signal.Ignore(syscall.SIGXFSZ)
	l := ledger.Open(ledger.Config{Path: path})
	ctx := context.Background()
	c, _, err := l.Claim(ctx, write("under way", time.Now()))
	if err != nil {
		return err
	}
	var room syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &room); err != nil {
		return err
	}
	full := room
	full.Cur = 64 << 10 // the write-ahead log is longer than that already, or soon
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &full); err != nil {
		return err
	}
	for i := range 100 {
		var c *ledger.Claim
		if c, _, err = l.Claim(ctx, write(fmt.Sprint(i), time.Now())); err != nil {
			break
		}
		if err = c.Release(ctx, refused(fmt.Sprint(i))); err != nil {
			break
		}
	}
	if got := code(err); got != string(tools.CodeKernelUnavailable)+" storage" {
		return fmt.Errorf("on the full disk: %s: %w", got, err)
	}
	if err := c.Finish(ctx, answer("x"), wrote("under way")); code(err) != string(tools.CodeKernelUnavailable)+" storage" {
		return fmt.Errorf("an answer on the full disk: %w", err)
	}
	l.Record(ctx, read("read"))
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &room); err != nil {
		return err
	}
	// The end that found no room does not hold the key: the retry asks the kernel.
	again, _, err := l.Claim(ctx, write("under way", time.Now()))
	if err != nil || !again.Again() {
		return fmt.Errorf("the key of the answer that found no room: %w", err)
	}
	if err := again.Finish(ctx, answer("x"), wrote("under way")); err != nil {
		return err
	}
	c2, _, err := l.Claim(ctx, write("after", time.Now()))
	if err != nil {
		return err
	}
	err = errors.Join(c2.Finish(ctx, answer("x"), wrote("after")), l.Close())
	fmt.Println("room again")
	return err
}

// A claim outlives the loss of the file: the answer is stored all the same.
func TestFinishAfterTheFileWasLost(t *testing.T) {
	t.Parallel()
	path, now := dbPath(t), newClock()
	l := open(t, path, now)
	w := write("k", now.now())
	c := mustClaim(t, l, w)
	for _, part := range []string{"", "-wal", "-shm"} {
		check(t, os.Remove(path+part))
	}
	mustFinish(t, c, "c1")
	if got, err := l.Find(t.Context(), w); got == nil || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}
