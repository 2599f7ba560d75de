package mcp_test

import (
	"bufio"
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/transport/mcp"
)

// flip is a kernel whose manifest can be put another way.
type flip struct {
	mu  sync.Mutex
	doc string
}

func (f *flip) Manifest(context.Context, string) (capabilities.Manifest, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return capabilities.Read([]byte(f.doc))
}

// TestAnnouncedFromWhatWasShown: a client that looked while a switch was on its
// way to and fro is told that the list is another one than it saw. In the order
// in which a start from a kept manifest made it: off was known, on shown, off is
// true.
func TestAnnouncedFromWhatWasShown(t *testing.T) {
	t.Parallel()
	on := smallManifest
	off := strings.Replace(smallManifest, `"name": "mnote.page.get",`, `"name": "mnote.page.get", "enabled": false,`, 1)
	if on == off {
		t.Fatal("the manifest has no such tool")
	}
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	synctest.Test(t, func(t *testing.T) {
		k := &flip{doc: off}
		registry := capabilities.NewRegistry(capabilities.Config{First: manifest(t, off), Source: k})
		in, client := io.Pipe()
		back, out := io.Pipe()
		ended := make(chan error, 1)
		go func() {
			ended <- mcp.New(mcp.Config{Session: says(`{}`), Registry: registry}).Run(t.Context(), in, out)
			out.Close()
		}()
		lines := make(chan string, 16)
		go func() {
			for s := bufio.NewScanner(back); s.Scan(); {
				lines <- s.Text()
			}
			close(lines)
		}()
		say := func(frame string) {
			if _, err := io.WriteString(client, frame+"\n"); err != nil {
				t.Error(err)
			}
		}
		turn := func(doc string) {
			k.mu.Lock()
			k.doc = doc
			k.mu.Unlock()
			if err := registry.Refresh(t.Context()); err != nil {
				t.Error(err)
			}
		}
		say(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","clientInfo":{"name":"a","version":"1"},"capabilities":{}}}`)
		<-lines
		say(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		time.Sleep(2 * time.Second)
		turn(on)
		say(list)
		if got := <-lines; !strings.Contains(got, "mnote_page_get") {
			t.Errorf("shown: %s", got)
		}
		turn(off)
		time.Sleep(5 * time.Second)
		select {
		case got := <-lines:
			if !strings.Contains(got, "tools/list_changed") {
				t.Errorf("told: %s", got)
			}
		default:
			t.Error("the client holds a tool that is off, and is told nothing")
		}
		say(list)
		if got := <-lines; strings.Contains(got, "mnote_page_get") {
			t.Errorf("shown: %s", got)
		}
		turn(on)
		turn(off) // nobody looked in between
		time.Sleep(5 * time.Second)
		select {
		case got := <-lines:
			t.Errorf("told of nothing: %s", got)
		default:
		}
		client.Close()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
