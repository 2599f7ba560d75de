package mcp_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/transport/mcp"
)

// bench sends one frame over and over to a face behind a pair of OS pipes, as
// under a client, and reads each answer.
func bench(b *testing.B, cfg mcp.Config, frame string) {
	in, client, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	back, out, err := os.Pipe()
	if err != nil {
		b.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = mcp.New(cfg).Run(context.Background(), in, out)
		out.Close()
		close(ended)
	}()
	r := bufio.NewReaderSize(back, 1<<20)
	b.ReportAllocs()
	b.ResetTimer()
	for b.Loop() {
		if _, err := io.WriteString(client, frame+"\n"); err != nil {
			b.Fatal(err)
		}
		for more := true; more; {
			line, err := r.ReadSlice('\n')
			if err != nil && err != bufio.ErrBufferFull {
				b.Fatal(err)
			}
			more = err != nil
			b.SetBytes(int64(len(line)))
		}
	}
	b.StopTimer()
	client.Close()
	<-ended
}

func BenchmarkToolsList(b *testing.B) {
	cfg := mcp.Config{Session: says(`{}`), Registry: capabilities.NewRegistry(capabilities.Config{})}
	bench(b, cfg, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
}

func BenchmarkToolsCall(b *testing.B) {
	call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mnote_page_get","arguments":{"documentId":"plan.md"}}}`
	for name, size := range map[string]int{"2KB": 2 << 10, "1MB": 1 << 20} {
		b.Run(name, func(b *testing.B) {
			text := strings.Repeat(`Some text of a note, 笔记里的一行。 \"quoted\"\n`, size/48)
			cfg := mcp.Config{
				Session:  says(`{"documentId":"plan.md","revision":7,"blocks":[{"id":"b1","type":"paragraph","text":"` + text + `"}]}`),
				Registry: still(b, smallManifest), MaxResult: -1,
			}
			bench(b, cfg, call)
		})
	}
}

func BenchmarkPing(b *testing.B) {
	cfg := mcp.Config{Session: says(`{}`), Registry: still(b, smallManifest)}
	bench(b, cfg, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
}

// BenchmarkFirstAnswer is a new face and its first tools/list: what a start pays.
func BenchmarkFirstAnswer(b *testing.B) {
	registry := capabilities.NewRegistry(capabilities.Config{})
	b.ReportAllocs()
	for b.Loop() {
		in := strings.NewReader(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"b","version":"1"},"capabilities":{}}}` + "\n" +
			`{"jsonrpc":"2.0","id":1,"method":"tools/list"}` + "\n")
		if err := mcp.New(mcp.Config{Session: says(`{}`), Registry: registry}).Run(context.Background(), in, io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
