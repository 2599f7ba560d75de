package tools

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestCallJSON: the writer says what encoding/json says, member by member in
// the same order, so that no field that is added to a Call is forgotten in it.
func TestCallJSON(t *testing.T) {
	t.Parallel()
	end := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	full := Call{
		ToolName: "mnote.page.get", WorkspaceID: "ws", DocumentID: ptr("页 \"1\""), ActorID: "a", SessionID: "s", RunID: "r",
		ToolCallID: "c", TraceID: "t", IdempotencyKey: "保存 <1>", DryRun: true, Scopes: []Scope{"page.read", "page.write"},
		Args: json.RawMessage(`{"a":1.50}`), Profile: "p", AgentID: "g",
		Grant: &Grant{Level: LevelWrite, DocumentIDs: []string{"d"}, ExpiresAt: &end},
		Refs:  []Ref{{Kind: "page", ID: "x"}}, Selection: json.RawMessage(`{"text":"y"}`), ObjectIdentity: "o", PendingFocus: "f", WholeDiff: true,
	}
	for f, v := range reflect.ValueOf(full).Fields() {
		if f.Tag.Get("json") != "-" && v.IsZero() {
			t.Errorf("%s is not tried", f.Name)
		}
	}
	for name, c := range map[string]Call{"full": full, "empty": {Scopes: []Scope{}, Args: json.RawMessage(`{}`)}} {
		want, err := Compact(c)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.JSON()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if got, err := (Call{}).JSON(); err != nil || !json.Valid(got) {
		t.Errorf("the zero call is %s: %v", got, err)
	}
	if _, err := (Call{Args: json.RawMessage(`{`)}).JSON(); err == nil {
		t.Error("args that are no JSON were written")
	}
}
