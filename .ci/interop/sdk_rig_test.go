package interop

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// sdk is one official client library in one protocol generation, in the hands
// of a small program that does what it is told.
type sdk struct{ name, era string }

func (s sdk) String() string { return s.name + "-" + s.era }

var sdks = []sdk{
	{"ts1", "legacy"}, {"ts2", "legacy"}, {"ts2", "modern"}, {"py1", "legacy"}, {"py2", "legacy"}, {"py2", "modern"},
	{"gosdk", "legacy"}, {"gosdk", "modern"}, {"mcpgo", "legacy"}, {"mcpgo", "modern"},
}

// setup is what such a program reads from SDK_SETUP.
type setup struct {
	SDK     string            `json:"sdk"`
	Era     string            `json:"era"`
	Modules string            `json:"modules"`
	Command string            `json:"command"`
	Args    []string          `json:"args"`
	Env     map[string]string `json:"env"`
	// Elicit is what the client's person does with a question: accept, decline,
	// cancel, or nothing in time (silent); with none the client cannot ask.
	Elicit string `json:"elicit"`
}

// operation is one thing to do; the answer is {"ok": …} or {"error": …}.
//
//	list      what is there (What, Cursor): names, URIs or templates
//	call      a tool (Name, Args); with CancelAfter it is given up after so many ms
//	read      a resource's text (URI)
//	prompt    a prompt's text (Name)
//	complete  the values for Argument of the template URI that Value begins
//	heard     the kinds of list_changed that were heard so far
type operation struct {
	Op          string         `json:"op"`
	What        string         `json:"what,omitempty"`
	Cursor      string         `json:"cursor,omitempty"`
	Name        string         `json:"name,omitempty"`
	Args        map[string]any `json:"args,omitempty"`
	CancelAfter int            `json:"cancelAfter,omitempty"`
	URI         string         `json:"uri,omitempty"`
	Argument    string         `json:"argument,omitempty"`
	Value       string         `json:"value,omitempty"`
}

// outcome is the answer of one operation.
type outcome struct {
	OK    json.RawMessage `json:"ok"`
	Error *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// called is the outcome of a call.
type called struct {
	Text      string `json:"text"`
	IsError   bool   `json:"isError"`
	Beats     int    `json:"beats"`
	Cancelled bool   `json:"cancelled"`
}

// driver is a client that runs.
type driver struct {
	t   *testing.T
	in  *json.Encoder
	out *bufio.Reader
}

// program is the command that drives a library; the Go ones are this test binary.
func (s sdk) program(t *testing.T) *exec.Cmd {
	t.Helper()
	switch s.name {
	case "ts1", "ts2":
		return exec.Command(node(), "sdk_client.mjs")
	case "py1":
		return exec.Command(filepath.Join(peers, "python-sdk1", "bin", "python"), "sdk_client.py")
	case "py2":
		return exec.Command(filepath.Join(peers, "python-sdk2", "bin", "python"), "sdk_client.py")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exec.Command(self)
}

// drive starts a client on the host; both are gone when the test ends.
func (s sdk) drive(t *testing.T, b box, elicit string, args ...string) *driver {
	t.Helper()
	// A client hands on what it is told to and little else.
	env := map[string]string{"HOME": b.home, "PATH": os.Getenv("PATH"), "INTEROP_MARK": b.mark}
	doc, err := json.Marshal(setup{
		SDK: s.name, Era: s.era, Modules: filepath.Join(peers, "npm", "node_modules"), Command: host, Args: args, Env: env, Elicit: elicit,
	})
	if err != nil {
		t.Fatal(err)
	}
	cmd := s.program(t)
	cmd.Env = b.env("SDK_SETUP=" + string(doc))
	cmd.Stderr = os.Stderr
	in, out := started(t, cmd)
	t.Cleanup(func() {
		in.Close()
		stuck := time.AfterFunc(30*time.Second, func() { _ = cmd.Process.Kill() })
		defer stuck.Stop()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s left with %v", s, err)
		}
	})
	return &driver{t: t, in: json.NewEncoder(in), out: bufio.NewReader(out)}
}

// try does one operation and gives its answer, whatever it is.
func (d *driver) try(o operation) outcome {
	d.t.Helper()
	if err := d.in.Encode(o); err != nil {
		d.t.Fatal(err)
	}
	line, err := d.out.ReadBytes('\n')
	var r outcome
	if err != nil || json.Unmarshal(line, &r) != nil {
		d.t.Fatalf("%+v: the client said %q: %v", o, line, err)
	}
	return r
}

// do does one operation that must succeed.
func do[T any](d *driver, o operation) (v T) {
	d.t.Helper()
	r := d.try(o)
	if r.Error != nil {
		d.t.Fatalf("%+v: %+v", o, *r.Error)
	}
	if err := json.Unmarshal(r.OK, &v); err != nil {
		d.t.Fatalf("%+v answered %s: %v", o, r.OK, err)
	}
	return v
}

// call calls a tool and reads the envelope out of its text.
func (d *driver) call(name string, args any) envelope {
	d.t.Helper()
	return parse(d.t, do[called](d, operation{Op: "call", Name: name, Args: args.(object)}).Text)
}
