package skills_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/skills"
)

// Agent Skills limits (evidence of several clients): name 64 characters,
// description 1,024; ours stay within 600 tokens, for which 4 bytes of English
// a token is the usual estimate.
func TestSkillsKeepTheirLimits(t *testing.T) {
	t.Parallel()
	want := []string{"mnote-chat-only", "mnote-current-page", "mnote-knowledge-rag", "mnote-local-file", "mnote-mindmap", "mnote-onlyoffice-live"}
	var got []string
	for _, s := range skills.All() {
		got = append(got, s.ID)
		if s.Title == "" || s.Description == "" || len([]rune(s.Description)) > 1024 {
			t.Errorf("%s: title %q, description of %d characters", s.ID, s.Title, len(s.Description))
		}
		if n := len(s.Body); n > 2400 {
			t.Errorf("%s: %d bytes, more than 600 tokens of English", s.ID, n)
		}
		if n := strings.Count(s.Body, "## Example"); n != 2 {
			t.Errorf("%s: %d worked examples, want 2", s.ID, n)
		}
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("skills are %v, want %v", got, want)
	}
}

func TestReadKnowsOnlyIDs(t *testing.T) {
	t.Parallel()
	if s, ok := skills.Read("mnote-mindmap"); !ok || s.Title != "思维导图" {
		t.Errorf("Read(mnote-mindmap) = %q, %t", s.Title, ok)
	}
	for _, id := range []string{"", "mnote-local-index", "../mnote-mindmap", "mnote-mindmap/SKILL.md"} {
		if _, ok := skills.Read(id); ok {
			t.Errorf("Read(%q) found a skill", id)
		}
	}
}

func TestTextNamesToolsAsTheAgentShowsThem(t *testing.T) {
	t.Parallel()
	for _, s := range skills.All() {
		text := s.Text(func(name string) (string, bool) { return "mcp__mnote__" + strings.ReplaceAll(name, ".", "_"), true })
		if m := regexp.MustCompile(`\bmnote\.[a-z]+\.[a-z]+`).FindString(text); m != "" {
			t.Errorf("%s still says %s", s.ID, m)
		}
		if strings.Count(text, "\n") != strings.Count(s.Body, "\n") {
			t.Errorf("%s lost lines though every tool is there", s.ID)
		}
	}
}

// A skill that is handed out never names a tool which is off, whichever tools
// are: every tool alone, and every tool but one.
func TestTextDropsWhatIsOff(t *testing.T) {
	t.Parallel()
	for _, s := range skills.All() {
		for _, tool := range s.Tools() {
			for _, only := range []bool{true, false} {
				text := s.Text(func(name string) (string, bool) { return name, (name == tool) == only })
				for _, name := range s.Tools() {
					has := regexp.MustCompile(regexp.QuoteMeta(name) + `\b`).MatchString(text)
					if want := (name == tool) == only; has && !want {
						t.Errorf("%s (only=%t): names %s, which is off, beside %s", s.ID, only, name, tool)
					}
				}
			}
		}
	}
}

// The texts of a kernel's own are written by others: names that stand bare are
// found too, and what is no name is left alone.
func TestTextOfAnyHand(t *testing.T) {
	t.Parallel()
	shown := func(name string) (string, bool) { return strings.ReplaceAll(name, ".", "_"), name != "mnote.a.off" }
	for body, want := range map[string]string{
		"Call mnote.a.on first.\n":              "Call mnote_a_on first.\n",
		"Call mnote.a.off first.\nThen wait.":   "Then wait.",
		"- `mnote.a.on`, `mnote.a.off`: both\n": "- `mnote_a_on`: both\n",
		"- `mnote.a.off` and `mnote.a.on`\n":    "",
		"see mnote.md, .mnote and a.mnote\n":    "see mnote.md, .mnote and a.mnote\n",
		"`mnote.a.on` {\"x\":1}, `y`\n":         "`mnote_a_on` {\"x\":1}, `y`\n",
		"mnote.a.on.":                           "mnote_a_on.",
		"":                                      "",
	} {
		if got := (skills.Skill{Body: body}).Text(shown); got != want {
			t.Errorf("%q gives %q, want %q", body, got, want)
		}
	}
}

// Whatever a text holds, no name of a tool that is off is left in it.
func FuzzText(f *testing.F) {
	f.Add("- `mnote.a.b`, `mnote.c.d`: x\nmnote.a.b.mnote.c.d")
	f.Fuzz(func(t *testing.T, body string) {
		s := skills.Skill{Body: body}
		names := s.Tools()
		for _, only := range append(names, "") {
			text := s.Text(func(name string) (string, bool) { return name, name == only })
			for _, left := range (skills.Skill{Body: text}).Tools() {
				if left != only {
					t.Errorf("%q: only %q is on, and %q names %q", body, only, text, left)
				}
			}
		}
	})
}
