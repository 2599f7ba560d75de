package proofs

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// full says whether the proofs run in their whole size or in CI's share.
var full = flag.Bool("full", false, "run the proofs in their whole size")

// size picks a proof's number of tries.
func size(small, whole int) int {
	if *full {
		return whole
	}
	return small
}

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(build(m))
}

// build makes the program; MNOTE_HOST_BINARY names one that is there already.
func build(m *testing.M) int {
	if host = os.Getenv("MNOTE_HOST_BINARY"); host != "" {
		return m.Run()
	}
	dir, err := os.MkdirTemp("", "proofs")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	host = filepath.Join(dir, "mnote-host")
	cmd := exec.Command("go", "build", "-o", host, "./cmd/mnote-host")
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("build mnote-host: %v\n%s", err, out))
	}
	return m.Run()
}
