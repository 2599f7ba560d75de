package acp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// greeting begins both lines of the handshake between a relay and the door.
	greeting = "MNOTE/1 "
	// maxGreeting is the longest first line of a relay, in bytes.
	maxGreeting = 128
	// greetTime is how long a relay has to show its ticket.
	greetTime = 5 * time.Second
	// maxRelays is how many connections a session has at once: its agent's own and
	// those of subagents.
	maxRelays = 4
	// maxSocketPath is what fits into a socket's address on every system.
	maxSocketPath = 103
)

// door is where relays come in: a socket that only this user reaches.
type door struct {
	listener net.Listener
	path     string
	temp     string // the folder made for it, or ""
}

// openDoor listens in the first folder that will do, or in one of its own.
func openDoor(dirs []string) (*door, error) {
	var failed error
	for _, dir := range dirs {
		err := private(dir)
		if err == nil {
			sweep(dir)
			if d, listenErr := listen(dir, ""); listenErr == nil {
				return d, nil
			} else {
				err = listenErr
			}
		}
		failed = errors.Join(failed, err)
	}
	dir, err := os.MkdirTemp("", "mnote-host-")
	if err != nil {
		return nil, errors.Join(failed, err)
	}
	d, err := listen(dir, dir)
	if err != nil {
		_ = os.Remove(dir)
		return nil, errors.Join(failed, err)
	}
	return d, nil
}

// private makes the folder, and makes sure that it is this user's alone.
func private(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	at, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !at.IsDir() || !ours(at) {
		return fmt.Errorf("%s is not a folder that only this user reaches", dir)
	}
	return nil
}

func listen(dir, temp string) (*door, error) {
	path := filepath.Join(dir, fmt.Sprintf("%d-%s.sock", os.Getpid(), newTicket()[:8]))
	if len(path) > maxSocketPath {
		return nil, fmt.Errorf("%s is too long for a socket", path)
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		_ = l.Close()
		return nil, err
	}
	return &door{l, path, temp}, nil
}

// sweep removes the sockets of proxies that were killed.
func sweep(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		pid, _, ok := strings.Cut(e.Name(), "-")
		n, err := strconv.Atoi(pid)
		if !ok || err != nil || filepath.Ext(e.Name()) != ".sock" || running(n) {
			continue
		}
		_ = os.Remove(filepath.Join(dir, e.Name()))
	}
}

// close lets no more relays in.
func (d *door) close() {
	_ = d.listener.Close() // removes the socket
	if d.temp != "" {
		_ = os.Remove(d.temp)
	}
}

// receive lets relays in until the door is closed.
func (f *Face) receive(ctx context.Context) {
	for {
		conn, err := f.door.listener.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			f.cfg.Log.Error().Err(err).Msg("the relays' socket failed")
			return
		}
		go f.welcome(ctx, conn)
	}
}

// welcome checks who comes and serves MCP to a relay that shows a ticket.
func (f *Face) welcome(ctx context.Context, conn net.Conn) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(greetTime))
	in := bufio.NewReaderSize(conn, maxGreeting)
	s, err := f.admit(conn, in)
	if err != nil {
		f.cfg.Log.Warn().Err(err).Msg("a connection to the relays' socket was refused")
		fmt.Fprintf(conn, "%sno %s\n", greeting, err)
		return
	}
	defer f.leave(s, conn)
	if _, err := io.WriteString(conn, greeting+"ok\n"); err != nil {
		return
	}
	_ = conn.SetDeadline(time.Time{})
	rest := io.MultiReader(strings.NewReader(buffered(in)), conn)
	if err := f.cfg.Serve(ctx, seat{s}, rest, conn); err != nil && ctx.Err() == nil {
		f.cfg.Log.Debug().Err(err).Msg("a relay's connection broke")
	}
}

// buffered is what a relay sent behind its first line already.
func buffered(in *bufio.Reader) string {
	b, _ := in.Peek(in.Buffered())
	return string(b)
}

// admit finds the session that a relay's ticket stands for.
func (f *Face) admit(conn net.Conn, in *bufio.Reader) (*session, error) {
	if err := sameUser(conn); err != nil {
		return nil, err
	}
	line, err := in.ReadSlice('\n')
	shown, ok := strings.CutPrefix(strings.TrimSuffix(string(line), "\n"), greeting)
	if err != nil || !ok {
		return nil, errors.New("no ticket was shown")
	}
	var s *session
	f.update(func(st *state) {
		if s = st.tickets[ticket(shown).hash()]; s == nil {
			err = errors.New("the ticket is not valid (any more)")
			return
		}
		if len(s.relays) >= maxRelays {
			err = fmt.Errorf("the session has %d connections already", maxRelays)
			return
		}
		s.relays = append(s.relays, conn)
		s.greeted = true
	})
	return s, err
}

// leave forgets a connection that has ended.
func (f *Face) leave(s *session, conn net.Conn) {
	f.update(func(*state) {
		s.relays = slices.DeleteFunc(s.relays, func(c io.Closer) bool { return c == io.Closer(conn) })
	})
}
