package file_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/mnote-dev/mnote-host/plugin/internal/file"
)

// TestMain lets the test binary be another process that signs a roll.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "sign" {
		r, err := file.OpenRoll(os.Args[2])
		if err == nil {
			err = r.Sign(os.Args[3])
		}
		fmt.Println(err)
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestRollKnowsWhoLives(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "roll")
	r, err := file.OpenRoll(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	present := func(want bool, when string) {
		t.Helper()
		if got, err := r.Present("42-abc"); got != want || err != nil {
			t.Errorf("%s: %v, %v", when, got, err)
		}
	}
	if err := r.Sign("me"); err != nil {
		t.Fatal(err)
	}
	present(false, "before anyone signed")

	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	other := exec.Command(exe, "sign", path, "42-abc")
	in, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := other.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "<nil>\n" {
		t.Fatalf("the other cannot sign: %q, %v", line, err)
	}
	present(true, "while the other lives")
	if got, err := r.Present("42-abd"); got || err != nil {
		t.Errorf("a name like it: %v, %v", got, err)
	}
	if err := other.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = other.Wait()
	present(false, "after it was killed")
	if s, err := os.Stat(path); err != nil || s.Size() != 0 {
		t.Errorf("something was written: %v, %v", s, err)
	}
}

func TestRollThatCannotBe(t *testing.T) {
	t.Parallel()
	if _, err := file.OpenRoll(t.TempDir()); err == nil {
		t.Error("a folder was opened")
	}
}
