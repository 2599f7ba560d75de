package stdio

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// bareLoop is the floor that Peer is measured against: what someone would write
// in a minute, right for well-behaved peers only.
func bareLoop(in io.Reader, out io.Writer, serve func(params json.RawMessage) json.RawMessage) {
	var mu sync.Mutex
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		go func() {
			var m struct {
				ID     json.RawMessage `json:"id"`
				Method string          `json:"method"`
				Params json.RawMessage `json:"params"`
			}
			if json.Unmarshal(line, &m) != nil {
				return
			}
			b := append([]byte(`{"jsonrpc":"2.0","id":`), m.ID...)
			b = append(append(append(b, `,"result":`...), serve(m.Params)...), "}\n"...)
			mu.Lock()
			defer mu.Unlock()
			_, _ = out.Write(b)
		}()
	}
}

// sameAnswer answers every request with the same result.
type sameAnswer struct{ result json.RawMessage }

func (sameAnswer) Inline(string) bool { return false }

func (a sameAnswer) Request(context.Context, Request) Reply { return Reply{Result: a.result} }

func (sameAnswer) Notification(context.Context, Request) {}

// drive sends b.N calls through pipes of the system, so many in flight at once,
// and waits for as many answers.
func drive(b *testing.B, inFlight int, serve func(in, out *os.File)) {
	inR, inW := osPipe(b)
	outR, outW := osPipe(b)
	served := make(chan struct{})
	go func() {
		defer close(served)
		serve(inR, outW)
	}()
	b.ReportAllocs()
	b.ResetTimer()
	places := make(chan struct{}, inFlight)
	go sendCalls(inW, b.N, places)
	countAnswers(b, outR, b.N, places)
	b.StopTimer()
	_ = inW.Close()
	<-served
}

func sendCalls(w io.Writer, n int, places chan<- struct{}) {
	head := `{"method":"tools/call","params":{"name":"mnote_page_get","arguments":{"blocks":[` +
		strings.Repeat(`{"id":"b1","text":"一些文字 and words"},`, 8) + `1]}},"jsonrpc":"2.0","id":`
	line := []byte(head)
	for i := range n {
		places <- struct{}{}
		line = strconv.AppendInt(line[:len(head)], int64(i), 10)
		line = append(line, "}\n"...)
		if _, err := w.Write(line); err != nil {
			return
		}
	}
}

func countAnswers(b *testing.B, r io.Reader, n int, places <-chan struct{}) {
	answers := bufio.NewReaderSize(r, 256<<10)
	for n > 0 {
		_, err := answers.ReadSlice('\n')
		switch {
		case err == nil:
			n--
			<-places
		case !errors.Is(err, bufio.ErrBufferFull):
			b.Fatal(err)
		}
	}
}

func osPipe(b *testing.B) (r, w *os.File) {
	r, w, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = r.Close(); _ = w.Close() })
	return r, w
}

// loops are the two loops that BenchmarkCalls compares.
var loops = map[string]func(in io.Reader, out io.Writer, result json.RawMessage){
	"peer": func(in io.Reader, out io.Writer, result json.RawMessage) {
		_ = NewPeer(Config{In: in, Out: out, Handler: sameAnswer{result}}).Run(context.Background())
	},
	"bare": func(in io.Reader, out io.Writer, result json.RawMessage) {
		bareLoop(in, out, func(json.RawMessage) json.RawMessage { return result })
	},
}

func sizedResult(size int) json.RawMessage {
	return json.RawMessage(`{"text":"` + strings.Repeat("x", size) + `"}`)
}

// BenchmarkCalls compares Peer with the bare loop: the same requests, the same
// results, the same pipes; in this process, and in one of its own.
func BenchmarkCalls(b *testing.B) {
	for _, size := range []int{2 << 10, 1 << 20} {
		for _, inFlight := range []int{1, 64} {
			for name, loop := range loops {
				shape := fmt.Sprintf("result=%dKiB/inflight=%d/%s", size>>10, inFlight, name)
				b.Run("inside/"+shape, func(b *testing.B) {
					drive(b, inFlight, func(in, out *os.File) { loop(in, out, sizedResult(size)) })
				})
				b.Run("process/"+shape, func(b *testing.B) {
					drive(b, inFlight, func(in, out *os.File) {
						cmd := exec.Command(os.Args[0], "be-loop", name, strconv.Itoa(size))
						cmd.Stdin, cmd.Stdout = in, out
						if err := cmd.Run(); err != nil {
							b.Error(err)
						}
						b.ReportMetric(float64(cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())/float64(b.N), "cpu-ns/op")
					})
				})
			}
		}
	}
}

// beLoop is the process of one of the loops.
func beLoop(streams Streams) int {
	size, err := strconv.Atoi(os.Args[3])
	if err != nil {
		return 2
	}
	loops[os.Args[2]](streams.In, streams.Out, sizedResult(size))
	return 0
}
