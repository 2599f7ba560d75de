package interop

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"
)

// library is a Go client library, as the operations need it.
type library interface {
	list(ctx context.Context, what, cursor string) ([]string, error)
	call(ctx context.Context, name string, args map[string]any, beat func()) (text string, isError bool, err error)
	read(ctx context.Context, uri string) (string, error)
	prompt(ctx context.Context, name string) (string, error)
	complete(ctx context.Context, uri, argument, value string) ([]string, error)
	heard() []string
	close() error
}

// serveSDK makes the test binary a program that drives a Go library. It reports
// whether it was started as one.
func serveSDK() bool {
	doc := os.Getenv("SDK_SETUP")
	if doc == "" {
		return false
	}
	var s setup
	if err := json.Unmarshal([]byte(doc), &s); err != nil {
		panic(err)
	}
	var env []string
	for k, v := range s.Env {
		env = append(env, k+"="+v)
	}
	open := map[string]func(setup, []string) (library, error){"gosdk": openGoSDK, "mcpgo": openMCPGo}[s.SDK]
	l, err := open(s, env)
	if err != nil {
		panic(err)
	}
	lines := bufio.NewReader(os.Stdin)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var o operation
		if err := json.Unmarshal(line, &o); err != nil {
			panic(err)
		}
		fmt.Println(string(answerTo(l, o)))
	}
	if err := l.close(); err != nil {
		fmt.Fprintln(os.Stderr, "close:", err)
	}
	return true
}

func answerTo(l library, o operation) []byte {
	v, err := operate(l, o)
	out := map[string]any{"ok": v}
	if err != nil {
		out = map[string]any{"error": map[string]any{"code": 0, "message": err.Error()}}
	}
	doc, _ := json.Marshal(out)
	return doc
}

func operate(l library, o operation) (any, error) {
	ctx := context.Background()
	switch o.Op {
	case "list":
		return l.list(ctx, o.What, o.Cursor)
	case "read":
		return l.read(ctx, o.URI)
	case "prompt":
		return l.prompt(ctx, o.Name)
	case "complete":
		return l.complete(ctx, o.URI, o.Argument, o.Value)
	case "heard":
		return l.heard(), nil
	case "call":
		return operateCall(ctx, l, o)
	}
	return nil, errors.New("no such operation: " + o.Op)
}

func operateCall(ctx context.Context, l library, o operation) (called, error) {
	if o.CancelAfter > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(o.CancelAfter)*time.Millisecond)
		defer cancel()
	}
	var beats atomic.Int64
	text, isError, err := l.call(ctx, o.Name, o.Args, func() { beats.Add(1) })
	if err != nil && ctx.Err() != nil {
		return called{Cancelled: true, Beats: int(beats.Load())}, nil
	}
	return called{Text: text, IsError: isError, Beats: int(beats.Load())}, err
}

// names takes one name of each entry.
func names[T any](entries []T, name func(T) string) []string {
	out := []string{}
	for _, e := range entries {
		out = append(out, name(e))
	}
	return out
}
