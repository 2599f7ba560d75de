package acp

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/tidwall/gjson"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/plugin/clients"
	"github.com/mnote-dev/mnote-host/transport/stdio"
)

// corpus are lines that relays have lost or changed.
var corpus = []string{
	`{"params":{"z":1,"a":12345678901234567890,"f":1.0,"e":1E400,"n":-0},"method":"_x/y","id":7,"jsonrpc":"2.0"}`,
	"{\"jsonrpc\":\"2.0\",\"id\":\"a\\u0062\",\"method\":\"_x/y\",\"params\":{\"t\":\"<b>&\u2028 \\u00e9 é \\/\"}}",
	`{"jsonrpc":"2.0","id":1,"method":"_x/y","params":{"s":"\ud83d"}}`,
	`{"jsonrpc":"2.0","id":1,"method":"_x/y","params":{"k":1,"k":2}}`,
	`{"jsonrpc":"2.0","id":"","method":"_x/y"}`, `{"jsonrpc":"2.0","id":-5,"method":"_x/y"}`,
	`{"jsonrpc":"2.0","id":18446744073709551616,"method":"_x/y"}`, `{"jsonrpc":"2.0","id":1.50,"method":"_x/y"}`,
	`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`, `{"jsonrpc":"2.0","id":4,"result":null}`,
	`{"id":1,"method":"_x/y"}`, `{"jsonrpc":"2.0","method":"session/some_future_thing","params":[1,2]}`,
	`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"0"}}`,
	`{"jsonrpc":"2.0","method":"session/update","params":{"update":{"rawInput":{"method":"session/new","params":{"mcpServers":[]}}}}}`,
	"{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"_x/y\"}\r", `  { "jsonrpc" : "2.0" , "id" : 9 , "method" : "_x/y" } `,
	`[{"jsonrpc":"2.0","id":1,"method":"_x/y"},{"jsonrpc":"2.0","method":"_x/z"}]`, `{"jsonrpc":"2.0","id":1,"method":"_x/y"`,
	`{"jsonrpc":"2.0","id":10,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"_new","x":1.10}],"_meta":{"mnote/context":{"documentId":"d"}}}}`,
	`{"jsonrpc":"2.0","id":3,"method":"session/new","params":{"cwd":"/x","mcpServers":[],"_meta":{"mnote/scope":{"permissionLevel":"read"}}}}`,
	`{"jsonrpc":"2.0","id":3,"method":"session\/load","params":{"sessionId":"s","mcpServers":null,"_meta":null}}`,
	`{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"clientCapabilities":{"_meta":{"mnote":{}}}}}`,
	`{"jsonrpc":"2.0","id":3,"result":{"protocolVersion":1}}`, `{"jsonrpc":"2.0","id":3,"result":{"sessionId":"s"}}`,
	"npm notice", "", "\uFEFF{}", `{"method":1}`, `{"a":{"b":[}`, `{"\u006dethod":"session/new","id":1,"params":{}}`,
}

// comings are how lines come: at once, and byte by byte, judged by their first ones
// and streamed.
var comings = []struct {
	hold int
	in   func(string) io.Reader
}{
	{hold, func(s string) io.Reader { return strings.NewReader(s) }},
	{8, func(s string) io.Reader { return iotest.OneByteReader(strings.NewReader(s)) }},
}

// through sends lines through one pump and gives what came out.
func through(t *testing.T, hold int, in io.Reader, s side, f *Face) string {
	t.Helper()
	var out bytes.Buffer
	from := stdio.NewFrames(stdio.FramesConfig{In: in, MaxLine: f.cfg.MaxFrame})
	to := stdio.NewFrames(stdio.FramesConfig{Out: &out})
	if err := (pump{from, to, s, hold, f.cfg.MaxFrame}).run(func(err error) { t.Fatal(err) }); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// quiet is a face without a process, a socket or a pipeline.
func quiet(t testing.TB, noise io.Writer) *Face {
	client, err := clients.Named("reasonix")
	if err != nil {
		t.Fatal(err)
	}
	f := New(Config{
		In: strings.NewReader(""), Out: io.Discard, Noise: noise, Client: client, Self: "/x/mnote-host", Quiet: time.Nanosecond,
		Open:     func(plugin.SessionConfig) Session { return nil },
		Snapshot: snapshotOf(t),
	})
	f.door = &door{path: "/s"}
	return f
}

// FuzzFromClient: every line of the client reaches the agent as it was, but for
// setups, which gain members, and for what is the host's own.
func FuzzFromClient(f *testing.F) {
	for _, line := range corpus {
		f.Add(line)
	}
	f.Add(strings.Join([]string{
		`{"id":1,"method":"session/load","params":{"sessionId":"s","_meta":{"mnote/scope":{"permissionLevel":"read","documentIds":["a"]}}}}`,
		`{"id":2,"method":"session/prompt","params":{"sessionId":"s","prompt":[{"type":"resource_link","uri":"mnote://page/a"}],"_meta":{"mnote/context":{"rev":1,"documentId":"b","contextRefs":["page:a"]}}}}`,
		`{"method":"_mnote/context/update","params":{"sessionId":"s","rev":2,"documentId":"a","selection":{}}}`,
		`{"id":"u","method":"_mnote/scope/update","params":{"sessionId":"s","scope":{"permissionLevel":"none"}}}`,
		`{"method":"$/cancel_request","params":{"requestId":2}}`, `{"method":"session/cancel","params":{"sessionId":"s"}}`,
		`{"id":3,"method":"session/resume","params":{"sessionId":"s","_meta":{"mnote/session":1}}}`, `{"id":4,"method":"session/close","params":{"sessionId":"s"}}`,
		`{"id":5,"method":"session/new","params":{"_meta":{"mnote/scope":{}}}}`, `{"id":"mnote-host:x","result":{}}`,
	}, "\n"))
	f.Fuzz(func(t *testing.T, line string) {
		for _, come := range comings {
			face := quiet(t, io.Discard)
			for _, line := range strings.SplitAfter(line, "\n") {
				sameOrGained(t, line, through(t, come.hold, come.in(line), &fromClient{Face: face}, face))
			}
			face.desk.end()
		}
	})
}

// sameOrGained fails unless a client's line came out as it may.
func sameOrGained(t *testing.T, line, got string) {
	t.Helper()
	h := lookAt([]byte(line), false)
	switch {
	case got == line:
	case kindOf([]byte(line)) != '{':
		t.Fatalf("%q came out as %q", line, got)
	case strings.HasPrefix(string(h.method), ownMethods) && got == "":
	case setsUp(string(h.method)) && got == "": // another scope: answered by us
	case setsUp(string(h.method)):
		onlyGained(t, line, got)
	default:
		t.Fatalf("%q came out as %q", line, got)
	}
}

// onlyGained fails unless got is line with bytes inserted (null may have given
// way), and still one JSON value on one line.
func onlyGained(t *testing.T, line, got string) {
	t.Helper()
	if !gjson.Valid(got) {
		t.Fatalf("%q is no JSON any more: %q", line, got)
	}
	rest := strings.ReplaceAll(line, "null", "")
	for i := 0; i < len(got) && rest != ""; i++ {
		if got[i] == rest[0] {
			rest = rest[1:]
		}
	}
	if rest != "" || strings.Count(got, "\n") > 1 {
		t.Fatalf("%q lost something: %q", line, got)
	}
}

// FuzzFromAgent: every line of the agent reaches the client as it was, or stderr,
// whatever the client said before; the answer to an initialize that asked for
// MNote may gain members.
func FuzzFromAgent(f *testing.F) {
	const asked, opens = `{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"clientCapabilities":{"_meta":{"mnote":{}}},"capabilities":{"_meta":{"mnote":{}}}}}`,
		`{"jsonrpc":"2.0","id":3,"method":"session/new","params":{"mcpServers":[]}}` + "\n" + `{"jsonrpc":"2.0","id":4,"method":"session/load","params":{"sessionId":"s"}}`
	for _, line := range corpus {
		f.Add("", line)
		f.Add(asked, line)
		f.Add(opens, line)
	}
	for _, result := range []string{
		`{"protocolVersion":2,"capabilities":{"session":{"mcp":{"stdio":{}}}}}`, `{"protocolVersion":2}`, `{"protocolVersion":1,"agentCapabilities":{"_meta":{}}}`,
		`{"agentCapabilities":{ "_meta" : {"x":1.0} , "_meta":null}}`, `{"agentCapabilities":[]}`, `[]`, `{ }`,
	} {
		f.Add(asked, `{"jsonrpc":"2.0","id":3,"result":`+result+`}`)
	}
	f.Add(opens, `{"id":3,"result":{"sessionId":"s"}}`+"\n"+`{"id":4,"result":{}}`+"\n"+`{"id":4,"error":{"code":-32601}}`)
	f.Add(opens+"\n"+`{"id":5,"method":"session/prompt","params":{"sessionId":"s"}}`, `{"id":4,"error":{}}`+"\n"+`{"id":5,"result":{}}`)
	f.Fuzz(func(t *testing.T, said, line string) {
		for _, come := range comings {
			var noise bytes.Buffer
			face := quiet(t, &noise)
			through(t, come.hold, come.in(said), &fromClient{Face: face}, face)
			for _, line := range strings.SplitAfter(line, "\n") {
				noise.Reset()
				got := through(t, come.hold, come.in(line), &fromAgent{face}, face)
				switch {
				case got == line:
				case got == "":
					if noise.String() != "agent: "+strings.TrimRight(line, "\r\n")+"\n" {
						t.Fatalf("%q is lost, and %q on stderr", line, noise.String())
					}
				case strings.Contains(said, metaMNote) && lookAt([]byte(line), false).answer:
					onlyGained(t, line, got)
				default:
					t.Fatalf("%q came out as %q", line, got)
				}
			}
			face.desk.end()
		}
	})
}

// FuzzWatcher: a watcher finds in a frame that streams by what a reader of the
// whole frame finds, wherever the pieces are cut.
func FuzzWatcher(f *testing.F) {
	for _, line := range corpus {
		f.Add(line, 7)
	}
	for _, prompt := range []string{
		`{"type":"text","text":"x"},{"uri":"mnote://page/a.md#b1","type":"resource_link"},{"type":"resource_link","uri":"mnote://page/b.md"}`,
		`{"type":"resource","uri":"mnote://page/no.md","resource":{"uri":"file:\/\/\/notes\/c.md","text":"]}"}}`,
		`[{"type":"resource_link","uri":"mnote://page/no.md"}],{"resource":{"resource":{"uri":"mnote://page/no.md"}},"type":"resource"}`,
		`{"type":"resource_link","uri":"https://x.example/"},{"t\u0079pe":"resource_link","ur\u0069":"mnote://page/%E9%A1%B5.md","uri":"mnote://page/last.md"}`,
	} {
		f.Add(`{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"prompt":[`+prompt+`],"sessionId":"s"}}`, 3)
		f.Add(`{"params":{"prompt":[`+prompt+`],"prompt" : [ ]}}`, 1)
	}
	f.Add(`{"params":{"_meta`+strings.Repeat("x", maxKey)+`":1,"s`+strings.Repeat("x", maxKey)+`XsessionId":2}}`, 8)
	base := plugin.SessionConfig{RootURI: "file:///notes"}
	f.Fuzz(func(t *testing.T, line string, cut int) {
		leads := func(uri string) bool { _, ok := pageOf(uri, base); return ok }
		w := &watcher{seen: func(*watcher) {}, leads: leads}
		cut = min(max(cut, 1), len(line)+1)
		for rest := line; rest != ""; rest = rest[min(cut, len(rest)):] {
			w.see([]byte(rest[:min(cut, len(rest))]))
		}
		if !gjson.Valid(line) || kindOf([]byte(line)) != '{' {
			return // it must not fail, and what it finds is not used
		}
		params, _ := whole([]byte(line)).member("params")
		for name, got := range map[string][]byte{"sessionId": w.sessionID, "_meta": w.meta} {
			want, has := params.member(name)
			if has && strings.TrimSpace(string(got)) != want.Raw {
				t.Fatalf("%s is %q, found %q in %q", name, want.Raw, got, line)
			}
		}
		blocks, _ := params.member("prompt")
		if want := linked(blocks.Result, leads); !slices.Equal(want, w.links) {
			t.Fatalf("the links are %q, found %q in %q", want, w.links, line)
		}
	})
}
