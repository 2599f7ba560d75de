package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/mcp"
)

// roleKey makes the test binary a server that a probe starts.
const roleKey = "MNOTE_TEST_SERVER"

func TestMain(m *testing.M) {
	switch os.Getenv(roleKey) {
	case "":
		os.Exit(m.Run())
	case "face":
		registry := capabilities.NewRegistry(capabilities.Config{})
		if err := mcp.New(mcp.Config{Session: says(`{"a":1}`), Registry: registry}).Run(context.Background(), os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
	case "stays":
		_ = mcp.New(mcp.Config{Session: says(`{}`), Registry: capabilities.NewRegistry(capabilities.Config{})}).Run(context.Background(), os.Stdin, os.Stdout)
		select {}
	case "fixtures":
		serveFixtures()
	case "mute":
		fmt.Fprintln(os.Stderr, "no server here")
		os.Exit(3)
	}
}

// serverIn is the command of a server in a role.
func serverIn(t *testing.T, role string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), roleKey+"="+role)
	return cmd
}

// L16: the client closes stdin, and a started server is gone, with its exit code
// heard.
func TestL16OpenProbe(t *testing.T) {
	t.Parallel()
	cmd := serverIn(t, "face")
	p, err := mcp.OpenProbe(t.Context(), cmd, mcp.ProbeConfig{})
	if err != nil {
		t.Fatal(err)
	}
	if list, _, err := p.Tools(t.Context()); err != nil || len(list) == 0 || p.Handshake <= 0 {
		t.Errorf("%d tools, handshake in %v, %v", len(list), p.Handshake, err)
	}
	if err := p.Close(); err != nil || !cmd.ProcessState.Success() {
		t.Errorf("Close: %v, %v", err, cmd.ProcessState)
	}
}

// A server that does not leave is killed and told of, one that never answers is
// an error that ends with the handshake's context or with the process.
func TestOpenProbeBadServers(t *testing.T) {
	t.Parallel()
	t.Run("stays", func(t *testing.T) {
		t.Parallel()
		cmd := serverIn(t, "stays")
		p, err := mcp.OpenProbe(t.Context(), cmd, mcp.ProbeConfig{Leave: 200 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Close(); err == nil || !strings.Contains(err.Error(), "killed") || cmd.ProcessState == nil {
			t.Errorf("Close: %v", err)
		}
	})
	t.Run("exits", func(t *testing.T) {
		t.Parallel()
		if _, err := mcp.OpenProbe(t.Context(), serverIn(t, "mute"), mcp.ProbeConfig{}); err == nil || !strings.Contains(err.Error(), "exit status 3") {
			t.Errorf("OpenProbe: %v", err)
		}
	})
	t.Run("no such program", func(t *testing.T) {
		t.Parallel()
		cmd := exec.Command("/nonexistent/mnote-host")
		if _, err := mcp.OpenProbe(t.Context(), cmd, mcp.ProbeConfig{}); err == nil {
			t.Error("it was started")
		}
	})
	t.Run("wrong version", func(t *testing.T) {
		t.Parallel()
		if _, err := mcp.OpenProbe(t.Context(), serverIn(t, "face"), mcp.ProbeConfig{Protocol: "2099-01-01"}); err == nil {
			t.Error("an unknown version was agreed on")
		}
	})
}

// Every version through the probe: what doctor, status and try do.
func TestProbe(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			cfg := mcp.Config{Session: says(`{"a":1}`), Registry: still(t, smallManifest), Version: "1.2.3"}
			p := probe(t, cfg, mcp.ProbeConfig{Protocol: protocol})
			want := mcp.ServerIdentity{Name: "mnote-host", Title: "MNote", Version: "1.2.3"}
			if diff := cmp.Diff(want, p.Server); diff != "" || p.Protocol != protocol || p.Instructions == "" {
				t.Errorf("protocol %q, instructions %q, server (-want +got):\n%s", p.Protocol, p.Instructions, diff)
			}
			list, size, err := p.Tools(t.Context())
			if err != nil || size == 0 || len(list) != 4 || list[0].Name != "mnote_skill_read" {
				t.Errorf("Tools = %+v, %d, %v", list, size, err)
			}
			r, err := p.Call(t.Context(), "mnote_page_get", map[string]any{"documentId": "a.md"})
			if err != nil || r.IsError || r.Envelope == nil || string(r.Envelope.Result) != `{"a":1}` {
				t.Errorf("Call = %+v, %v", r, err)
			}
			if _, err := p.Ping(t.Context()); err != nil {
				t.Errorf("Ping: %v", err)
			}
			if _, err := p.Request(t.Context(), "no/such", nil); err == nil {
				t.Error("an unknown method was answered")
			}
		})
	}
}

// asks is a session whose every call asks a person, and says what came of it.
func asks(answers chan<- plugin.Answer) fake {
	return fake{call: func(ctx context.Context, name string, _ json.RawMessage, meta plugin.Meta) tools.Envelope {
		q := plugin.Question{SessionID: "s", Tool: tools.Tool{Name: tools.Name(name)}, ArgsHash: "h", Text: "May I?"}
		got := meta.Confirm.Confirm(ctx, q)
		answers <- got
		env := says(`{}`).call(ctx, name, nil, meta)
		env.OK = got == plugin.Yes
		if !env.OK {
			env = tools.Refuse(tools.Call{ToolName: tools.Name(name)}, tools.Errorf(tools.CodeConfirmationRequired, tools.Text{ZH: "不", EN: "no"}))
		}
		return env
	}}
}

// A person is asked through the probe, in both eras.
func TestProbeAnswers(t *testing.T) {
	t.Parallel()
	for protocol, legs := range map[string][]plugin.Answer{"2025-11-25": nil, "2026-07-28": {plugin.Asked}} {
		for answer, want := range map[plugin.Answer]plugin.Answer{
			plugin.Yes: plugin.Yes, plugin.No: plugin.No, plugin.Unanswered: plugin.Unanswered, plugin.CannotAsk: plugin.Unanswered,
		} {
			answers := make(chan plugin.Answer, 4)
			p := probe(t, mcp.Config{Session: asks(answers), Registry: still(t, smallManifest)}, mcp.ProbeConfig{
				Protocol: protocol,
				Answer: func(message string) plugin.Answer {
					if message != "May I?" {
						t.Errorf("asked %q", message)
					}
					return answer
				},
			})
			r, err := p.Call(t.Context(), "mnote_page_save", nil)
			if err != nil || r.Envelope == nil || r.Envelope.OK != (answer == plugin.Yes) {
				t.Errorf("%s, %v: %+v, %v", protocol, answer, r, err)
			}
			close(answers)
			var got []plugin.Answer
			for a := range answers {
				got = append(got, a)
			}
			if diff := cmp.Diff(append(append([]plugin.Answer{}, legs...), want), got); diff != "" {
				t.Errorf("%s, %v: %s", protocol, answer, diff)
			}
		}
	}
}

// A change reaches the probe in both eras.
func TestProbeChanged(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"2025-11-25", "2026-07-28"} {
		t.Run(protocol, func(t *testing.T) {
			t.Parallel()
			source := &moving{now: manifest(t, smallManifest)}
			registry := capabilities.NewRegistry(capabilities.Config{First: source.now, Source: source})
			heard := make(chan string, 8)
			p := probe(t, mcp.Config{Session: says(`{}`), Registry: registry}, mcp.ProbeConfig{
				Protocol: protocol, Changed: func(method string) { heard <- method },
			})
			if _, _, err := p.Tools(t.Context()); err != nil {
				t.Fatal(err)
			}
			source.now.Tools = source.now.Tools[:2]
			source.now.Raw = []byte(`{}`)
			if err := registry.Refresh(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got := <-heard; got != "notifications/tools/list_changed" {
				t.Errorf("heard %q", got)
			}
			if list, _, err := p.Tools(t.Context()); err != nil || len(list) != 2 {
				t.Errorf("%d tools, %v", len(list), err)
			}
		})
	}
}

// moving is a source whose manifest a test changes between two refreshes.
type moving struct{ now capabilities.Manifest }

func (m *moving) Manifest(context.Context, string) (capabilities.Manifest, error) { return m.now, nil }
