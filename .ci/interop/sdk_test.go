package interop

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// everySDK runs a test for each library and generation.
func everySDK(t *testing.T, test func(t *testing.T, s sdk, b box)) {
	t.Helper()
	t.Parallel()
	for _, s := range sdks {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			test(t, s, newBox(t))
		})
	}
}

// TestSDKs: the same lists and the same answers for everyone.
func TestSDKs(t *testing.T) {
	listing := newBox(t).listed(t)
	everySDK(t, func(t *testing.T, s sdk, b box) {
		d := s.drive(t, b, "none", b.args()...)
		if got := do[[]string](d, operation{Op: "list", What: "tools"}); !slices.Equal(got, listing) {
			t.Errorf("the tools are %v, the host shows %v", got, listing)
		}
		for _, what := range []string{"tools", "resources", "templates", "prompts"} {
			r := d.try(operation{Op: "list", What: what, Cursor: "bm9wZQ=="})
			if r.Error == nil || !strings.Contains(r.Error.Message, "unknown cursor") {
				t.Errorf("%s with a cursor that we never gave: %s, %+v", what, r.OK, r.Error)
			}
		}
		play(t, b, d.call)
		checkTexts(t, d)
	})
}

// listed gives the tools' wire names in the order that the host's own command
// shows them in.
func (b box) listed(t *testing.T) (names []string) {
	t.Helper()
	cmd := exec.Command(host, "tools", "--wire", "--workspace", b.notes, "--state", b.state)
	cmd.Env = b.env()
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(out), "\n") {
		if name, _, _ := strings.Cut(strings.TrimSpace(line), " "); strings.HasPrefix(name, "mnote_") {
			names = append(names, name)
		}
	}
	return names
}

// checkTexts: resources, prompts and completion.
func checkTexts(t *testing.T, d *driver) {
	t.Helper()
	const skill, page = "mnote-current-page", "mnote://page/{+documentId}"
	if got := do[[]string](d, operation{Op: "list", What: "resources"}); !slices.Contains(got, "mnote://skill/"+skill) {
		t.Errorf("the resources are %v", got)
	}
	if got := do[[]string](d, operation{Op: "list", What: "templates"}); !slices.Equal(got, []string{page}) {
		t.Errorf("the templates are %v", got)
	}
	if got := do[[]string](d, operation{Op: "list", What: "prompts"}); !slices.Contains(got, skill) {
		t.Errorf("the prompts are %v", got)
	}
	text := do[string](d, operation{Op: "read", URI: "mnote://skill/" + skill})
	if got := do[string](d, operation{Op: "prompt", Name: skill}); got != text || len(got) < 200 {
		t.Errorf("the prompt is %q, the skill's resource %q", got, text)
	}
	if got := do[string](d, operation{Op: "read", URI: "mnote://page/Welcome.md"}); !strings.Contains(got, "A line from a client.") {
		t.Errorf("the page's resource is %q", got)
	}
	if got := do[[]string](d, operation{Op: "complete", URI: page, Argument: "documentId", Value: "Wel"}); !slices.Equal(got, []string{"Welcome.md"}) {
		t.Errorf("Wel completes to %v", got)
	}
	if r := d.try(operation{Op: "read", URI: "mnote://page/nowhere.md"}); r.Error == nil {
		t.Errorf("a page that is not there was read: %s", r.OK)
	}
}

// TestSDKsAsk: what a person does with a question is what happens to the write.
func TestSDKsAsk(t *testing.T) {
	everySDK(t, func(t *testing.T, s sdk, b box) {
		for _, c := range []struct{ elicit, code string }{
			{"accept", ""}, {"decline", "mnote_tool_confirmation_declined"}, {"cancel", "mnote_tool_confirmation_required"}, {"none", "mnote_tool_confirmation_required"},
		} {
			before := b.page(t, "Welcome.md")
			d := s.drive(t, b, c.elicit, b.args("--confirm", "writes")...)
			env := d.call("mnote_page_save", object{"documentId": "Welcome.md", "content": "Asked: " + c.elicit, "mode": "append", "dryRun": false})
			switch {
			case c.code == "" && (!env.OK || b.page(t, "Welcome.md") == before):
				t.Errorf("%s: %+v", c.elicit, env.Error)
			case c.code != "" && (env.OK || env.Error.Code != c.code || b.page(t, "Welcome.md") != before):
				t.Errorf("%s: %+v", c.elicit, env.Error)
			}
		}
	})
}

// TestSDKsUnanswered: a question that nobody answers writes nothing and holds
// nothing up. A legacy server waits for its answer, for two minutes; in the modern
// era the client does, until its user has had enough.
func TestSDKsUnanswered(t *testing.T) {
	everySDK(t, func(t *testing.T, s sdk, b box) {
		before := b.page(t, "Welcome.md")
		d := s.drive(t, b, "silent", b.args("--confirm", "writes")...)
		save := operation{Op: "call", Name: "mnote_page_save", Args: object{"documentId": "Welcome.md", "content": "Asked in vain.", "mode": "append", "dryRun": false}}
		if s.era == "modern" {
			save.CancelAfter = 5000
		}
		r := do[called](d, save)
		if s.era == "modern" && !r.Cancelled {
			t.Errorf("the modern client went on: %+v", r)
		}
		if s.era == "legacy" {
			if env := parse(t, r.Text); env.OK || env.Error.Code != "mnote_tool_confirmation_required" {
				t.Errorf("nobody answered, and it said %s", r.Text)
			}
		}
		if b.page(t, "Welcome.md") != before {
			t.Error("the page was written")
		}
		if env := d.call("mnote_page_get", object{"documentId": "Welcome.md"}); !env.OK {
			t.Errorf("the call after it: %+v", env.Error)
		}
	})
}

// TestSDKsLeave: a call that takes long shows signs of life, its caller may
// leave, the kernel hears of it, and the next call is served.
func TestSDKsLeave(t *testing.T) {
	everySDK(t, func(t *testing.T, s sdk, b box) {
		k := newSlowKernel(t)
		d := s.drive(t, b, "none", "mcp", "--kernel", k.URL, "--workspace-id", "ws_1", "--state", b.state)
		read := operation{Op: "call", Name: "mnote_page_get", Args: object{"documentId": "a.md"}, CancelAfter: 7000}
		if got := do[called](d, read); !got.Cancelled || got.Beats == 0 {
			t.Errorf("the call that was left: %+v", got)
		}
		select {
		case <-k.left:
		case <-time.After(10 * time.Second):
			t.Error("the kernel was not told that its caller left")
		}
		if env := d.call("mnote_page_get", object{"documentId": "b.md"}); !env.OK {
			t.Errorf("the call after it: %+v", env.Error)
		}
	})
}

// TestSDKsHear: another process switches a pack off, and the client hears that
// its tools are others now.
func TestSDKsHear(t *testing.T) {
	everySDK(t, func(t *testing.T, s sdk, b box) {
		d := s.drive(t, b, "none", b.args()...)
		before := do[[]string](d, operation{Op: "list", What: "tools"})
		cmd := exec.Command(host, "capabilities", "disable", "mnote-current-page", "--workspace", b.notes, "--state", b.state)
		cmd.Env = b.env()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for deadline := time.Now().Add(45 * time.Second); ; time.Sleep(200 * time.Millisecond) {
			if slices.Contains(do[[]string](d, operation{Op: "heard"}), "tools") {
				break
			}
			if time.Now().After(deadline) {
				t.Fatal("nothing was heard of the switch")
			}
		}
		if after := do[[]string](d, operation{Op: "list", What: "tools"}); len(after) >= len(before) {
			t.Errorf("after the switch the tools are %v", after)
		}
	})
}
