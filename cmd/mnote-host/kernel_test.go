package main

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// TestKernelOverHTTP: our own kernel is reached with nothing but its address
// and its token; it says itself which workspace it serves. A wrong token and a
// kernel that is gone are told as what they are.
func TestKernelOverHTTP(t *testing.T) {
	t.Parallel()
	home, notes := t.TempDir(), filepath.Join(t.TempDir(), "notes")
	if err := os.CopyFS(notes, os.DirFS(filepath.Join("..", "..", "testdata", "workspaces", "notes"))); err != nil {
		t.Fatal(err)
	}
	env := []string{"HOME=" + home, "MNOTE_LANG=en"}
	server := started(t, env, "kernel", "--workspace", notes, "--listen", "127.0.0.1:0")
	out, err := server.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	url := regexp.MustCompile(`http://\S+`).FindString(line)
	if err != nil || url == "" {
		t.Fatalf("the kernel said %q, %v", line, err)
	}
	token := filepath.Join(home, ".mnote", "host", "kernel.token")
	if runtime.GOOS != "windows" {
		if st, err := os.Stat(token); err != nil || st.Mode().Perm() != 0o600 {
			t.Errorf("the token's file is %v, %v", st, err)
		}
	}
	call := func(env ...string) (string, int) {
		cmd := started(t, append(env, "MNOTE_LANG=en"), "call", "mnote.page.get", "documentId=Welcome.md", "--kernel", url)
		var both bytes.Buffer
		cmd.Stdout, cmd.Stderr = &both, &both
		_ = cmd.Run() // its exit code is what is looked at
		return both.String(), cmd.ProcessState.ExitCode()
	}
	if said, code := call("HOME="+home, "MNOTE_KERNEL_TOKEN_FILE="+token); code != exitDone || !strings.Contains(said, "Welcome to your notes") {
		t.Errorf("a read over HTTP ended with %d: %s", code, said)
	}
	if said, code := call("HOME="+t.TempDir(), "MNOTE_KERNEL_TOKEN=wrong"); code != exitRefused || !strings.Contains(said, "mnote_tool_unauthenticated") {
		t.Errorf("with a wrong token: %d, %s", code, said)
	}
	agreesOnTheFolder(t, url, token, home, notes)
	if err := server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = server.Wait() // killed
	if said, code := call("HOME="+t.TempDir(), "MNOTE_KERNEL_TOKEN_FILE="+token); code != exitUnreachable || !strings.Contains(said, `"refused"`) || !strings.Contains(said, "cannot be reached") {
		t.Errorf("after the kernel is gone: %d, %s", code, said)
	}
}

// agreesOnTheFolder: an address and a folder named together are one place. With
// the kernel's own folder calls pass; with another one nothing is sent.
func agreesOnTheFolder(t *testing.T, url, token, home, notes string) {
	t.Helper()
	other := t.TempDir()
	for _, dir := range []string{notes, other} {
		page := filepath.Join(notes, "Welcome.md")
		before, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		cmd := started(t, []string{"HOME=" + home, "MNOTE_LANG=en", "MNOTE_KERNEL_TOKEN_FILE=" + token}, "call", "mnote.page.save", "documentId=Welcome.md", "content=both", "mode=append", "--kernel", url, "--workspace", dir)
		out, _ := cmd.CombinedOutput()
		after, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		code, changed := cmd.ProcessState.ExitCode(), !bytes.Equal(before, after)
		if own := dir == notes; own != (code == exitDone) || own != changed || own == strings.Contains(string(out), "does not serve the folder of --workspace") {
			t.Errorf("%s: exit %d, changed %t: %s", dir, code, changed, out)
		}
	}
}
