package plugin

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mnote-dev/mnote-host/plugin/internal/ledger"
	"github.com/mnote-dev/mnote-host/tools"
)

// Whatever a kernel says of a dry run, what an agent is told of it is a bounded
// line of valid text, what a person is shown is a bounded object, and the same
// words promise the same.
func FuzzPlanTold(f *testing.F) {
	for _, seed := range []string{
		`{"unifiedDiff": "+a\n+b\n", "diff": []}`, `{"planId": 7, "unifiedDiff": "世` + strings.Repeat("界", 900) + `"}`, `{}`, `null`, `[]`, `{"a":1,"a":2}`,
		`{"unifiedDiff": null, "unifiedDiffTruncated": true, "diff": "` + strings.Repeat("x", 1100) + `"}`, `{"unifiedDiff": "\ud800` + strings.Repeat("\\n", 1200) + `"}`,
		`{"warnings": [{"reason":"<&>"}], "baseRevision": 1e400, "resultRevision": "x"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, result []byte) {
		if !json.Valid(result) {
			return // the client lets nothing else through
		}
		err := needsApproval(ledger.Approval{ID: "plan_1"}, "mnote-host approve plan_1", result, Unanswered)
		line := tools.Refuse(tools.Call{}, err).JSON()
		if !json.Valid(line) || !utf8.Valid(line) || len(line) > 12_000 || strings.Contains(string(line), "\n") || !strings.Contains(string(line), "plan_1") {
			t.Errorf("told %q", line)
		}
		var c callFresh
		c.call.Args = json.RawMessage(`{"content":"x"}`)
		shown := preview(c, result)
		if _, named := membersOf(shown)[planIDField]; named || !json.Valid(shown) || len(shown) > maxPreview {
			t.Errorf("shown %q", shown)
		}
		if string(promiseOf(result)) != string(promiseOf(append([]byte(" "), result...))) {
			t.Error("the same words promise something else")
		}
		if named := withMembers(result, map[string]any{"planId": "plan_1"}); result[0] == '{' && !strings.Contains(string(named), `"planId":"plan_1"`) {
			t.Errorf("named %q", named)
		}
	})
}

func TestCutLines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		limit int
		want  string
	}{
		{"a\nb\n", 9, "a\nb\n"}, {"a\nb\nc\n", 5, "a\nb\n"}, {"abcdef", 3, "abc"}, {"世界", 4, "世"}, {"世界", 2, ""}, {"\nabc", 2, "\n"}, {"", 0, ""},
	} {
		if got := cutLines(c.text, c.limit); got != c.want {
			t.Errorf("%q to %d gives %q, want %q", c.text, c.limit, got, c.want)
		}
	}
}
