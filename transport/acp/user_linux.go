package acp

import (
	"errors"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// sameUser refuses a peer that is another user's process.
func sameUser(conn net.Conn) error {
	var cred *unix.Ucred
	err := control(conn, func(fd int) (err error) {
		cred, err = unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
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
