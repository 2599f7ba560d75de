package ledger_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
)

// p50 runs f and reports the median, which a shared machine moves less than the
// mean.
func p50(b *testing.B, f func(i int)) {
	b.Helper()
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		began := time.Now()
		f(i)
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
}

// What a write call pays: match, claim, stored answer and audit row, and the
// notice that the answer arrived. It is to be read beside the bare fsync.
func BenchmarkWriteCall(b *testing.B) {
	l := open(b, dbPath(b), nil)
	p50(b, func(i int) {
		w := write(fmt.Sprint(i), time.Now())
		w.BodyHash = fmt.Sprint(i)
		w.Bare = true
		mustFinish(b, mustClaim(b, l, w), fmt.Sprint(i))
		l.Delivered(w.ToolCallID)
	})
}

func BenchmarkClaimAndRelease(b *testing.B) {
	l := open(b, dbPath(b), nil)
	p50(b, func(i int) { check(b, mustClaim(b, l, write("k", time.Now())).Release(b.Context(), refused("x"))) })
}

func BenchmarkReplay(b *testing.B) {
	l := open(b, dbPath(b), nil)
	w := write("k", time.Now())
	mustFinish(b, mustClaim(b, l, w), "c")
	p50(b, func(int) {
		if got, err := l.Find(b.Context(), w); got == nil || err != nil {
			b.Fatal(err)
		}
	})
}

func BenchmarkRefusalRow(b *testing.B) {
	l := open(b, dbPath(b), nil)
	p50(b, func(int) { l.Record(b.Context(), fullRow(time.Now())) })
}

// What a read call pays: its row is queued.
func BenchmarkReadRow(b *testing.B) {
	l := open(b, dbPath(b), nil)
	r := read("x")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		l.Record(b.Context(), r)
		if i%2000 == 1999 { // no faster than the file takes them
			b.StopTimer()
			calls(b, l, ledger.Filter{Limit: 1})
			b.StartTimer()
		}
	}
}

func BenchmarkVerify(b *testing.B) {
	l := open(b, dbPath(b), nil)
	for i := range 5000 {
		l.Record(b.Context(), read(fmt.Sprint(i)))
		if i%1000 == 999 {
			calls(b, l, ledger.Filter{Limit: 1})
		}
	}
	for b.Loop() {
		if v, err := l.Verify(b.Context()); err != nil || v.Rows != 5000 {
			b.Fatal(v, err)
		}
	}
}

func BenchmarkBareFsync(b *testing.B) {
	f, err := os.Create(filepath.Join(b.TempDir(), "file"))
	check(b, err)
	defer f.Close()
	page := make([]byte, 4096)
	p50(b, func(int) {
		_, err := f.Write(page)
		check(b, err)
		check(b, f.Sync())
	})
}
