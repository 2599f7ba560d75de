//go:build unix

package acp

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// roleVar makes the test binary play a part.
const roleVar = "ACP_TEST_ROLE"

func TestMain(m *testing.M) {
	role, play := os.LookupEnv(roleVar)
	if !play {
		os.Exit(m.Run())
	}
	os.Exit(parts[role]())
}

// parts are what the test binary can be, with their exit codes.
var parts = map[string]func() int{
	"deaf":     deaf,
	"echo-pid": echoPid,
	// echo gives every byte back.
	"echo": func() int {
		fmt.Fprintln(os.Stderr, "agent is", os.Getpid())
		_, _ = io.Copy(os.Stdout, os.Stdin)
		return 0
	},
	// seven has a last word.
	"seven": func() int {
		fmt.Println(`{"jsonrpc":"2.0","id":1,"result":{}}`)
		return 7
	},
	// crasher dies of the second line, and says of what.
	"crasher": func() int {
		in := bufio.NewReader(os.Stdin)
		for range 2 {
			_, _ = in.ReadString('\n')
		}
		fmt.Fprint(os.Stderr, "goroutine 1\npanic: no <key>\n\n")
		return 2
	},
	// mute dies of the second line without a word.
	"mute": func() int {
		in := bufio.NewReader(os.Stdin)
		for range 2 {
			_, _ = in.ReadString('\n')
		}
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	},
	// longliner answers the second line with one that does not end.
	"longliner": func() int {
		in := bufio.NewReader(os.Stdin)
		for range 2 {
			_, _ = in.ReadString('\n')
		}
		fmt.Print(`{"jsonrpc":"2.0","method":"_x/long","params":"`)
		for {
			if _, err := io.WriteString(os.Stdout, strings.Repeat("x", 1<<16)); err != nil {
				return 1
			}
		}
	},
	// deaf-reader reads all and answers nothing.
	"deaf-reader": func() int {
		_, _ = io.Copy(io.Discard, os.Stdin)
		return 0
	},
	// killed ends by a signal.
	"killed": func() int {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	},
	// stubborn takes no hint, and has a child that does not either.
	"stubborn": func() int {
		signal.Ignore(syscall.SIGTERM)
		grandchild()
		select {}
	},
	// leaver leaves a child behind that holds its stdout open.
	"leaver": func() int {
		grandchild()
		return 3
	},
	"sleeper": func() int {
		signal.Ignore(syscall.SIGTERM)
		time.Sleep(time.Hour)
		return 0
	},
	// flood answers a line with many updates.
	"flood": func() int {
		batch := bytes.Repeat([]byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"`+strings.Repeat("x", 160)+`"}}}}`+"\n"), 200)
		in := bufio.NewReader(os.Stdin)
		for {
			if _, err := in.ReadString('\n'); err != nil {
				return 0
			}
			for range floodSize / 200 {
				if _, err := os.Stdout.Write(batch); err != nil {
					return 1
				}
			}
		}
	},
	// relay is what an agent starts.
	"relay": func() int {
		if err := Attach(context.Background(), os.Getenv(VarSocket), os.Getenv(VarTicket), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	},
	// proxy is a face between its own stdio and an echo agent.
	"proxy": func() int {
		streams := stdio.TakeOver()
		code, err := New(Config{
			Agent: []string{os.Args[0]}, Env: as(cmp.Or(os.Getenv("ACP_TEST_AGENT"), "echo")), In: streams.In, Out: streams.Out, Self: os.Args[0],
			SocketDirs: []string{os.Getenv("ACP_TEST_SOCKETS")}, Snapshot: nil,
			Open: func(plugin.SessionConfig) Session { return nil },
		}).Run(context.Background())
		if err != nil {
			return 99
		}
		return code
	},
}

// grandchild starts a sleeper and says so.
func grandchild() {
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stdout, cmd.Stderr = as("sleeper"), os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	fmt.Printf("{\"pid\":%d}\n", cmd.Process.Pid)
}

func as(role string) []string { return append(os.Environ(), roleVar+"="+role) }
