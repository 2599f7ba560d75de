package acp

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Another user's process is refused at the door whatever it knows, even where the
// folder would let it in. Only root can be two users.
func TestAnotherUser(t *testing.T) {
	t.Parallel()
	r, shown := opened(t, nil)
	socket := r.face.door.path
	for dir := filepath.Dir(socket); dir != filepath.Dir(os.TempDir()) && os.Getuid() == 0; dir = filepath.Dir(dir) {
		if at, err := os.Stat(dir); err == nil && at.Mode().Perm()&0o1 == 0 {
			if err := os.Chmod(dir, at.Mode().Perm()|0o011); err != nil {
				t.Fatal(err)
			}
		}
	}
	relay := func(user *syscall.Credential) string {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(as("relay"), VarSocket+"="+socket, VarTicket+"="+shown)
		cmd.Stdin = strings.NewReader("")
		if user != nil {
			if err := os.Chmod(socket, 0o666); err != nil {
				t.Fatal(err)
			}
			cmd.Path, cmd.SysProcAttr, cmd.Dir = "/proc/self/exe", &syscall.SysProcAttr{Credential: user}, "/"
		}
		var said strings.Builder
		cmd.Stderr, cmd.Stdout = &said, io.Discard
		if err := cmd.Run(); err != nil && said.Len() == 0 {
			t.Fatal(err)
		}
		return said.String()
	}
	if said := relay(nil); said != "" {
		t.Errorf("our own relay: %s", said)
	}
	if os.Getuid() != 0 {
		return
	}
	if said := relay(&syscall.Credential{Uid: 65534, Gid: 65534}); !strings.Contains(said, "another user's process") {
		t.Errorf("another user's: %s", said)
	}
}
