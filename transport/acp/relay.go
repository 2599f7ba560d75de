package acp

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// ErrRelayLost says that the process which serves a relay has closed the
// connection: the session is over, or the process.
var ErrRelayLost = errors.New("the connection to mnote-host acp was closed: its session has ended")

// Attach is the relay: it shows the ticket to the socket and then copies bytes
// both ways, until the agent or its side ends (nil), the socket ends
// (ErrRelayLost), or ctx does. It does not connect again: an agent that starts a new relay uses
// the same ticket and initialises anew.
func Attach(ctx context.Context, socket, shown string, in io.Reader, out io.Writer) error {
	if socket == "" || shown == "" {
		return fmt.Errorf("--attach is for agents that mnote-host acp starts: %s and %s are not set", VarSocket, VarTicket)
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", socket)
	if err != nil {
		return fmt.Errorf("mnote-host acp is not there: %w", err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	from := bufio.NewReaderSize(conn, 64<<10)
	if err := present(conn, from, shown); err != nil {
		return err
	}
	left := make(chan error, 1)
	go func() {
		_, err := io.Copy(conn, in)
		left <- err
		if c, ok := conn.(*net.UnixConn); ok {
			_ = c.CloseWrite() // what is in flight is still answered
		}
	}()
	_, err = io.Copy(out, from)
	select {
	case <-left:
		return nil // the agent's side ended first
	default:
	}
	if ctx.Err() != nil {
		if end, ok := errors.AsType[*stdio.End](context.Cause(ctx)); ok && end.Signal == nil {
			return nil // the agent has gone, which is how a relay ends
		}
		return context.Cause(ctx)
	}
	return errors.Join(ErrRelayLost, err)
}

// present shows the ticket and reads whether it opens the door. Who is refused
// before that may find the door shut, and the reason beside it.
func present(conn net.Conn, from *bufio.Reader, shown string) error {
	_, shut := fmt.Fprintf(conn, "%s%s\n", greeting, shown)
	line, err := from.ReadString('\n')
	if err != nil {
		return fmt.Errorf("mnote-host acp did not answer: %w", cmp.Or(shut, err))
	}
	if line == greeting+"ok\n" {
		return nil
	}
	reason := strings.TrimPrefix(strings.TrimSpace(line), greeting+"no ")
	return fmt.Errorf("mnote-host acp refused this relay: %s", reason)
}
