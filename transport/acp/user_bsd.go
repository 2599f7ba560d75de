//go:build darwin || freebsd

package acp

import (
	"errors"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// sameUser refuses a peer that is another user's process.
func sameUser(conn net.Conn) error {
	var cred *unix.Xucred
	err := control(conn, func(fd int) (err error) {
		cred, err = unix.GetsockoptXucred(fd, 0, unix.LOCAL_PEERCRED) // level SOL_LOCAL
		return err
	})
	if err != nil {
		return err
	}
	if int(cred.Uid) != os.Getuid() {
		return errors.New("the peer is another user's process")
	}
	return nil
}
