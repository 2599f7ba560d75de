//go:build unix

package acp

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

const floodSize = 100_000

// process is the test binary in a part, with its pipes.
type process struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func begin(tb testing.TB, role string, env ...string) process {
	tb.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(as(role), env...)
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		in.Close()
		_ = cmd.Wait()
	})
	return process{cmd, in, bufio.NewReaderSize(out, 1<<20)}
}

// ways are a direct conversation with an agent and one through the proxy.
func ways(b *testing.B, agent string, run func(b *testing.B, p process)) {
	b.Run("direct", func(b *testing.B) { run(b, begin(b, agent)) })
	b.Run("wrapped", func(b *testing.B) {
		run(b, begin(b, "proxy", "ACP_TEST_SOCKETS="+filepath.Join(b.TempDir(), "s"), "ACP_TEST_AGENT="+agent))
	})
}

// roundTrips measures lines that go there and come back, one after the other.
func roundTrips(b *testing.B, in io.Writer, out *bufio.Reader, line []byte) {
	took := make([]time.Duration, 0, b.N)
	for b.Loop() {
		from := time.Now()
		if _, err := in.Write(line); err != nil {
			b.Fatal(err)
		}
		if _, err := out.ReadSlice('\n'); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(from))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "p50-µs")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1e3, "p99-µs")
}

// BenchmarkRoundTrip: what the proxy adds to a request and its answer.
func BenchmarkRoundTrip(b *testing.B) {
	line := []byte(`{"jsonrpc":"2.0","id":7,"method":"_x/y","params":{"t":"` + strings.Repeat("x", 140) + `"}}` + "\n")
	ways(b, "echo", func(b *testing.B, p process) { roundTrips(b, p.in, p.out, line) })
}

// BenchmarkUpdates: how many updates a second come through.
func BenchmarkUpdates(b *testing.B) {
	ways(b, "flood", func(b *testing.B, p process) {
		n := 0
		for b.Loop() {
			fmt.Fprintln(p.in, `{"jsonrpc":"2.0","method":"_x/flood"}`)
			for range floodSize {
				if _, err := p.out.ReadSlice('\n'); err != nil {
					b.Fatal(err)
				}
			}
			n += floodSize
		}
		b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "updates/s")
	})
}

// BenchmarkLongFrame: a prompt of 64 MiB there and back, and the proxy's memory.
func BenchmarkLongFrame(b *testing.B) {
	line := []byte(`{"jsonrpc":"2.0","id":7,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"image","data":"` + strings.Repeat("A", 64<<20) + `"}]}}` + "\n")
	ways(b, "echo", func(b *testing.B, p process) {
		for b.Loop() {
			go p.in.Write(line)
			for {
				_, err := p.out.ReadSlice('\n')
				if err == nil {
					break
				}
				if err != bufio.ErrBufferFull {
					b.Fatal(err)
				}
			}
		}
		b.ReportMetric(peak(b, p.cmd.Process.Pid), "peak-MB")
	})
}

// peak is the most memory that a process has had, where the system tells.
func peak(b testing.TB, pid int) float64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	if m == nil {
		return 0
	}
	var kb float64
	_, _ = fmt.Sscan(string(m[1]), &kb)
	return kb / 1024
}

// BenchmarkRelay: what the relay and the socket add to a call.
func BenchmarkRelay(b *testing.B) {
	listener, err := net.Listen("unix", filepath.Join(b.TempDir(), "s"))
	if err != nil {
		b.Fatal(err)
	}
	defer listener.Close()
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		in := bufio.NewReader(conn)
		if _, err := in.ReadString('\n'); err == nil {
			fmt.Fprint(conn, greeting+"ok\n")
			_, _ = io.Copy(conn, in)
		}
		conn.Close()
	}()
	p := begin(b, "relay", VarSocket+"="+listener.Addr().String(), VarTicket+"="+string(newTicket()))
	roundTrips(b, p.in, p.out, []byte(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"mnote_page_get"}}`+"\n"))
}

// BenchmarkLook: the head of an update.
func BenchmarkLook(b *testing.B) {
	update := []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"` + strings.Repeat("x", 160) + `"}}}}` + "\n")
	for b.Loop() {
		if h := lookAt(update, true); h.method == nil {
			b.Fatal("no method")
		}
	}
}

// TestNoOvertaking: what an agent says behind the answer to a setup comes behind
// it, 2,000 times.
func TestNoOvertaking(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	go func() {
		for line := range r.agent.out {
			id := regexp.MustCompile(`"id":(\d+)`).FindStringSubmatch(line)[1]
			_, _ = fmt.Fprintf(r.agent.in, `{"jsonrpc":"2.0","id":%s,"result":{"sessionId":"s%s"}}`+"\n"+`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s%s"}}`+"\n", id, id, id)
		}
	}()
	for i := range 2000 {
		r.client.say(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/new","params":{"cwd":"/x","mcpServers":[]}}`+"\n", i))
		if got := r.client.hear(t); !strings.Contains(got, fmt.Sprintf(`"id":%d,"result"`, i)) {
			t.Fatalf("first came %s", got)
		}
		if got := r.client.hear(t); !strings.Contains(got, fmt.Sprintf(`"sessionId":"s%d"`, i)) {
			t.Fatalf("then came %s", got)
		}
	}
}
