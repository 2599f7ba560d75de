package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/plugin/clients"
	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/transport/mcp"
)

// L11, and case B17: with outputSchema on, every structuredContent is valid
// against it, a refusal's too; the text alone always holds the same.
func TestL11OutputSchema(t *testing.T) {
	t.Parallel()
	doc := strings.Replace(smallManifest, `"capabilityScope": ["page.read"],`,
		`"capabilityScope": ["page.read"], "outputSchema": {"type":"object","required":["revision"],"properties":{"revision":{"type":"integer"}}},`, 1)
	refuse := func(code tools.Code) tools.Envelope {
		return tools.Refuse(tools.Call{ToolName: "mnote.page.get", Lang: tools.EN}, tools.Errorf(code, tools.Text{ZH: "不", EN: "no"}).With("reason", "x"))
	}
	partial := says(`{"revision":7,"nextCursor":"c"}`).call(t.Context(), "mnote.page.get", nil, plugin.Meta{})
	dry := partial
	dry.Audit.Effect = tools.EffectDryRun
	long := partial
	long.Result = json.RawMessage(`{"revision":7,"body":"` + strings.Repeat("x", 20000) + `"}`)
	longDry := long
	longDry.Audit.Effect = tools.EffectDryRun
	for name, env := range map[string]tools.Envelope{
		"partial": partial, "dry run": dry, "refused": refuse(tools.CodeConflict), "failed": refuse(tools.CodeTimeout),
		"too long": long, "shortened": longDry,
	} {
		for _, client := range []string{"", "generic", "reasonix"} {
			session := fake{call: func(context.Context, string, json.RawMessage, plugin.Meta) tools.Envelope { return env }}
			cfg := mcp.Config{Session: session, Registry: still(t, doc), OutputSchema: true}
			if client != "" {
				cfg.Client, _ = clients.Named(client)
			}
			p := probe(t, cfg, mcp.ProbeConfig{})
			raw, err := p.Request(t.Context(), "tools/list", nil)
			if err != nil {
				t.Fatal(err)
			}
			var list struct {
				Tools []struct {
					Name         string          `json:"name"`
					OutputSchema json.RawMessage `json:"outputSchema"`
				} `json:"tools"`
			}
			if err := json.Unmarshal(raw, &list); err != nil {
				t.Fatal(err)
			}
			schema := compile(t, list.Tools[1].OutputSchema)
			got, err := p.Call(t.Context(), "mnote_page_get", nil)
			if err != nil {
				t.Fatal(err)
			}
			value, err := jsonschema.UnmarshalJSON(bytes.NewReader(got.Structured))
			if err != nil {
				t.Fatalf("%s: structuredContent %q: %v", name, got.Structured, err)
			}
			if err := schema.Validate(value); err != nil {
				t.Errorf("%s, %s: %v", name, client, err)
			}
			if client != "reasonix" && got.Text != string(got.Structured) {
				t.Errorf("%s: the text is not the structuredContent:\n%s\n%s", name, got.Text, got.Structured)
			}
		}
	}
}

// B17: the text alone is enough: without outputSchema too, for every client.
func TestB17TextAlone(t *testing.T) {
	t.Parallel()
	for _, name := range clients.Names() {
		c, err := clients.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		p := probe(t, mcp.Config{Session: says(`{"revision":7}`), Registry: still(t, smallManifest), Client: c}, mcp.ProbeConfig{})
		got, err := p.Call(t.Context(), "mnote_page_get", nil)
		if err != nil || got.Envelope == nil || string(got.Envelope.Result) != `{"revision":7}` {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if (got.Structured != nil) != c.Results.Structured {
			t.Errorf("%s: structuredContent %q", name, got.Structured)
		}
	}
}

// M5, M6, M7: every modern result says that it is complete and whose it is; what
// can be kept says how long. A legacy one says none of it.
func TestM5M6M7Stamps(t *testing.T) {
	t.Parallel()
	methods := map[string]struct {
		params string
		cached bool
	}{
		"server/discover":          {``, true},
		"tools/list":               {``, true},
		"prompts/list":             {``, true},
		"resources/list":           {``, true},
		"resources/templates/list": {``, true},
		"resources/read":           {`"uri":"mnote://page/plan.md",`, true},
		"prompts/get":              {`"name":"mnote-current-page",`, false},
		"tools/call":               {`"name":"mnote_page_get","arguments":{},`, false},
		"completion/complete":      {`"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"x","value":""},`, false},
		"subscriptions/listen":     {`"notifications":{"unheardOf":true},`, false},
	}
	for method, m := range methods {
		t.Run(strings.ReplaceAll(method, "/", "_"), func(t *testing.T) {
			t.Parallel()
			cfg := mcp.Config{Session: says(`{"body":"x","content":"x"}`), Registry: still(t, smallManifest), Version: "9"}
			got := stampsOf(t, cfg, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s%s}}`, method, m.params, modern))
			if got.Type != "complete" || got.Meta.Server.Name != "mnote-host" || got.Meta.Server.Version != "9" {
				t.Errorf("resultType %q, serverInfo %+v", got.Type, got.Meta.Server)
			}
			if m.cached != (got.TTL != nil && *got.TTL >= 0 && got.Scope == "private") {
				t.Errorf("ttlMs %v, cacheScope %q", got.TTL, got.Scope)
			}
			if method == "server/discover" || method == "subscriptions/listen" {
				return
			}
			got = stampsOf(t, cfg, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s"_meta":{}}}`, method, m.params))
			if got.Type != "" || got.TTL != nil || got.Scope != "" || got.Meta.Server.Name != "" {
				t.Errorf("a legacy result is stamped: %+v", got)
			}
		})
	}
}

// stamps is what the modern era adds to a result.
type stamps struct {
	Type  string `json:"resultType"`
	TTL   *int   `json:"ttlMs"`
	Scope string `json:"cacheScope"`
	Meta  struct {
		Server mcp.ServerIdentity `json:"io.modelcontextprotocol/serverInfo"`
	} `json:"_meta"`
}

// stampsOf sends one request and reads the answer to it; a notification that
// comes before is passed over.
func stampsOf(t *testing.T, cfg mcp.Config, frame string) stamps {
	t.Helper()
	in, client := io.Pipe()
	back, out := io.Pipe()
	go func() {
		_ = mcp.New(cfg).Run(context.Background(), in, out)
		out.Close()
	}()
	if _, err := io.WriteString(client, frame+"\n"); err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	dec := json.NewDecoder(back)
	for {
		var answer struct {
			Method string          `json:"method"`
			Result *stamps         `json:"result"`
			Error  json.RawMessage `json:"error"`
		}
		if err := dec.Decode(&answer); err != nil || answer.Error != nil {
			t.Fatalf("%v, %s", err, answer.Error)
		}
		if answer.Method == "" {
			return *answer.Result
		}
	}
}

// A write's answer is called delivered once its bytes are out, and a dropped one
// never: an equal write is then its retry.
func TestDelivered(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		hold := make(chan struct{})
		var delivered []string
		session := says(`{}`)
		inner := session.call
		session.call = func(ctx context.Context, name string, raw json.RawMessage, meta plugin.Meta) tools.Envelope {
			if meta.ToolCallID == "cancelled" {
				<-hold
			}
			return inner(ctx, name, raw, meta)
		}
		session.delivered = func(id string) { delivered = append(delivered, id) }
		in, client := io.Pipe()
		back, out := io.Pipe()
		go func() {
			_ = mcp.New(mcp.Config{Session: session, Registry: still(t, smallManifest)}).Run(context.Background(), in, out)
			out.Close()
		}()
		r := bufio.NewReader(back)
		send := func(frame string) {
			if _, err := io.WriteString(client, frame+"\n"); err != nil {
				t.Error(err)
			}
			synctest.Wait()
		}
		send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","_meta":{"mnote/toolCallId":"answered"}}}`)
		if len(delivered) != 0 {
			t.Errorf("%v is called delivered before anybody read it", delivered)
		}
		if _, err := r.ReadString('\n'); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"x","_meta":{"mnote/toolCallId":"cancelled"}}}`)
		send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`)
		close(hold)
		synctest.Wait()
		client.Close()
		_, _ = io.Copy(io.Discard, r)
		if want := []string{"answered"}; !slices.Equal(delivered, want) {
			t.Errorf("delivered %v, want %v", delivered, want)
		}
	})
}
