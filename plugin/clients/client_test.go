package clients_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mnote-dev/mnote-host/plugin/clients"
)

func TestNames(t *testing.T) {
	t.Parallel()
	want := []string{"generic", "hermes", "hermes-plugin", "reasonix"}
	for _, w := range want {
		if !slices.Contains(clients.Names(), w) {
			t.Errorf("no client %q in %v", w, clients.Names())
		}
	}
	if !slices.IsSorted(clients.Names()) {
		t.Errorf("the names are in no order: %v", clients.Names())
	}
	for _, name := range clients.Names() {
		c, err := clients.Named(name)
		if err != nil || c.Name != name || c.Title == "" || !strings.Contains(c.ToolName, "{tool}") {
			t.Errorf("Named(%q) = %+v, %v", name, c, err)
		}
	}
}

func TestNamedUnknown(t *testing.T) {
	t.Parallel()
	c, err := clients.Named("Hermes")
	if err == nil || !strings.Contains(err.Error(), "hermes, hermes-plugin") {
		t.Errorf("the error does not list the names: %v", err)
	}
	if c.Name != "generic" {
		t.Errorf("an unknown name leads to %q and not to generic", c.Name)
	}
}

// The table of faces.md "Clients differ".
func TestRendering(t *testing.T) {
	t.Parallel()
	type row struct{ refusalIsError, short, structured, resources, prompts bool }
	want := map[string]row{
		"generic":       {true, false, true, true, true},
		"hermes":        {false, false, false, false, false},
		"hermes-plugin": {false, false, false, false, false},
		"reasonix":      {true, true, true, true, true},
	}
	got := map[string]row{}
	for name := range want {
		c, err := clients.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		got[name] = row{c.Results.RefusalIsError, c.Results.ShortErrors, c.Results.Structured, c.Offers.Resources, c.Offers.Prompts}
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(row{})); diff != "" {
		t.Error(diff)
	}
}

func TestRecognise(t *testing.T) {
	t.Parallel()
	for info, want := range map[string]string{"reasonix": "reasonix", "mnote-hermes-plugin": "hermes-plugin"} {
		if c, ok := clients.Recognise(info); !ok || c.Name != want {
			t.Errorf("Recognise(%q) = %q, %v", info, c.Name, ok)
		}
	}
	// "mcp" is every Python program's default: it must not be taken for Hermes.
	for _, info := range []string{"", "mcp", "Reasonix ", "hermes", "some-editor"} {
		if c, ok := clients.Recognise(info); ok {
			t.Errorf("Recognise(%q) = %q", info, c.Name)
		}
	}
}

func TestShows(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"generic":       "mcp__mnote__mnote_page_get",
		"hermes":        "mcp__mnote__mnote_page_get",
		"hermes-plugin": "mnote_page_get",
		"reasonix":      "mcp-tool:mnote/mnote_page_get",
	}
	for name, shown := range want {
		c, err := clients.Named(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Shows("mnote", "mnote_page_get"); got != shown {
			t.Errorf("%s shows %q, want %q", name, got, shown)
		}
	}
}

// Hermes sends a call again, writes included, when an error's text looks like a
// broken transport (hermes.md E, A8).
func TestCalm(t *testing.T) {
	t.Parallel()
	hermes, err := clients.Named("hermes")
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string]string{
		"the Session Expired, log in":    "the session-expired, log in",
		"a session; expired":             "a session; expired",
		"ClosedResourceError":            "closedres-ourceerror",
		"page_key=abc, API_KEY=x":        "page_key: abc, API_key: x",
		"unexpected end of file":         "unexpected end-of-file",
		"会话 session expired 了":           "会话 session-expired 了",
		"session expiredsession expired": "session-expiredsession-expired",
	} {
		got := hermes.Results.Calm(in)
		if got != want {
			t.Errorf("Calm(%q) = %q, want %q", in, got, want)
		}
		for _, phrase := range hermes.Results.Avoid {
			if strings.Contains(strings.ToLower(got), phrase) {
				t.Errorf("Calm(%q) still holds %q", in, phrase)
			}
		}
	}
	if got := clients.Generic().Results.Calm("session expired"); got != "session expired" {
		t.Errorf("a client that avoids nothing got %q", got)
	}
}

func TestAgent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		argv []string
		want string
	}{
		{[]string{"hermes", "acp"}, "hermes"},
		{[]string{"/usr/local/bin/reasonix", "acp"}, "reasonix"},
		{[]string{`C:\Tools\Reasonix.EXE`, "acp"}, "reasonix"},
		{[]string{"hermes.cmd", "acp"}, "hermes"},
		{[]string{"node", "reasonix"}, ""},
		{nil, ""},
	} {
		c, ok := clients.Agent(tt.argv)
		if c.Name != tt.want || ok != (tt.want != "") {
			t.Errorf("Agent(%q) is %q, %v; want %q", tt.argv, c.Name, ok, tt.want)
		}
	}
}
