package stdio

import (
	"cmp"
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Life says what ends the process. The zero value is right for a process that
// serves the one that started it.
type Life struct {
	// Orphan lets the process outlive the one that started it (a daemon).
	Orphan bool
	// Grace is how long the process has to leave after its context ended before
	// Exit is called; 1.5 s by default. A second signal does not wait.
	Grace time.Duration
	// Exit ends the process; os.Exit by default. Its code is 1: whoever leaves in
	// time chooses another.
	Exit func(code int)
}

// End is the cause of a context of Life: what ended the process.
type End struct {
	// Signal is the one received, or nil when the parent process is gone.
	Signal os.Signal
}

// Error says what ended the process.
func (e *End) Error() string {
	if e.Signal == nil {
		return "the process that started this one is gone"
	}
	return "received the signal " + e.Signal.String()
}

// Begin returns a context that ends, with an *End as its cause, when SIGTERM,
// SIGINT or SIGHUP comes or the process that started this one is gone. Call
// stop when the program is done: until then Exit may be called.
func (l Life) Begin(ctx context.Context) (_ context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, wanted()...)
	stopped := make(chan struct{})
	gone := make(chan struct{})
	if !l.Orphan {
		go awaitParent(os.Getppid(), gone, stopped) // asked now, while it lives
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		l.watch(signals, gone, stopped, cancel)
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel(context.Canceled)
		close(stopped)
		<-done
	}
}

// wanted are the signals that end the process: but not a hang-up that whoever
// started it had ignored (nohup).
func wanted() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// watch ends the context at the first reason and the process when it does not
// leave by itself.
func (l Life) watch(signals <-chan os.Signal, gone, stopped <-chan struct{}, cancel context.CancelCauseFunc) {
	select {
	case s := <-signals:
		cancel(&End{Signal: s})
	case <-gone:
		cancel(&End{})
	case <-stopped:
		return
	}
	grace := time.NewTimer(cmp.Or(l.Grace, 1500*time.Millisecond))
	defer grace.Stop()
	select {
	case <-signals:
	case <-grace.C:
	case <-stopped:
		return
	}
	if l.Exit == nil {
		os.Exit(1)
	}
	l.Exit(1)
}
