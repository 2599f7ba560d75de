package plugin_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/plugin"
	"github.com/mnote-dev/mnote-host/tools"
)

// skillKernel hands out a text that names its tools whatever is on, as a
// careless kernel would.
const skillKernel = `{"ok": true, "capabilities": [
  {"id": "a", "title": "甲", "skillId": "a", "enabled": true, "toolNames": ["mnote.skill.read", "mnote.a.get"]},
  {"id": "b", "title": "乙", "skillId": "b", "enabled": %B, "toolNames": ["mnote.b.get"]}],
 "tools": [
  {"name": "mnote.skill.read", "kind": "read", "capabilityId": "a", "capabilityIds": ["a", "b"], "inputSchema": {"type": "object", "properties": {"skillId": {"type": "string"}}}},
  {"name": "mnote.a.get", "kind": "read", "capabilityId": "a", "enabled": %A},
  {"name": "mnote.b.get", "kind": "read", "capabilityId": "b"},
  {"name": "mnote.soon.get", "kind": "read", "capabilityId": "a", "status": "planned"}]}`

const skillBody = "Read it.\n- `mnote.a.get`, `mnote.b.get`: pages\n- mnote.b.get alone\n- `mnote.soon.get`, `mnote.never.heard`\n"

func switchedManifest(a, b string) string {
	return strings.NewReplacer("%A", a, "%B", b).Replace(skillKernel)
}

// A skill that is handed out names the tools that are advertised at that moment
// and no others, by their wire names: whoever wrote it, whatever this process
// knew before.
func TestSkillNamesWhatIsOn(t *testing.T) {
	t.Parallel()
	now := switchedManifest("true", "true")
	k := &kernel{
		manifest: func(context.Context, string) (capabilities.Manifest, error) { return capabilities.Read([]byte(now)) },
		call: func(_ context.Context, c tools.Call) (tools.Envelope, error) {
			return tools.Succeed(c, tools.EffectRead, "", map[string]any{"skillId": "a", "title": "甲", "content": skillBody, "toolNames": []string{"mnote.a.get"}})
		},
	}
	r := newRig(t, setup{kernel: k, manifest: now})
	for _, c := range []struct{ a, b, want string }{
		{"true", "true", "Read it.\n- `mnote_a_get`, `mnote_b_get`: pages\n- mnote_b_get alone\n"},
		{"true", "false", "Read it.\n- `mnote_a_get`: pages\n"},
		{"false", "false", "Read it.\n"},
		{"false", "true", "Read it.\n- `mnote_b_get`: pages\n- mnote_b_get alone\n"},
		{"true", "true", "Read it.\n- `mnote_a_get`, `mnote_b_get`: pages\n- mnote_b_get alone\n"},
	} {
		now = switchedManifest(c.a, c.b)
		env := r.call("mnote_skill_read", `{"skillId":"a"}`)
		var result struct {
			SkillID, Title, Content string
			ToolNames               []string
		}
		if !env.OK || json.Unmarshal(env.Result, &result) != nil {
			t.Fatalf("skill.read answered %s", env.JSON())
		}
		if result.Content != c.want {
			t.Errorf("a=%s b=%s: %q, want %q", c.a, c.b, result.Content, c.want)
		}
		if result.SkillID != "a" || result.Title != "甲" || len(result.ToolNames) != 1 {
			t.Errorf("the other members changed: %s", env.Result)
		}
	}
}

// What a kernel sends as a skill is left as it is where it has no text.
func TestSkillWithoutText(t *testing.T) {
	t.Parallel()
	for _, result := range []string{`{}`, `{"content":null}`, `{"content":7}`, `{"content":""}`} {
		k := &kernel{call: func(_ context.Context, c tools.Call) (tools.Envelope, error) {
			return tools.Succeed(c, tools.EffectRead, "", json.RawMessage(result))
		}}
		r := newRig(t, setup{kernel: k, manifest: switchedManifest("true", "true"), session: func(c *plugin.SessionConfig) { c.DocumentID = "" }})
		if env := r.call("mnote_skill_read", `{"skillId":"a"}`); string(env.Result) != result {
			t.Errorf("%s became %s", result, env.Result)
		}
	}
}
