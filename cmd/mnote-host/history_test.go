package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mnote-dev/mnote-host/transport/mcp"
)

// TestHistoryKeep: what a person set reaches the kernel; what cannot be
// understood drops nothing, since it may have been more than the default.
func TestHistoryKeep(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		flag, env, file string
		want            int
	}{
		"nothing":         {want: 200},
		"flag":            {flag: "1", env: "MNOTE_HISTORY_KEEP=7", want: 1},
		"environment":     {env: "MNOTE_HISTORY_KEEP=7", file: "history_keep = 9", want: 7},
		"file":            {file: "history_keep = 9", want: 9},
		"zero":            {flag: "0", want: math.MaxInt},
		"negative":        {env: "MNOTE_HISTORY_KEEP=-1", want: math.MaxInt},
		"no number":       {file: `history_keep = "all"`, want: math.MaxInt},
		"too large":       {flag: "99999999999999999999", want: math.MaxInt},
		"unreadable file": {file: "history_keep = ", want: math.MaxInt},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			state := t.TempDir()
			if err := os.WriteFile(filepath.Join(state, "config.toml"), []byte(tt.file), 0o600); err != nil {
				t.Fatal(err)
			}
			flags := map[string]string{"state": state}
			if tt.flag != "" {
				flags["history-keep"] = tt.flag
			}
			p := aProgram(t, flags)
			p.values = resolve(flags, []string{tt.env})
			if got := p.localOptions("token").HistoryKeep; got != tt.want {
				t.Errorf("HistoryKeep = %d, want %d", got, tt.want)
			}
			if bad := tt.want == math.MaxInt; bad != (len(p.values.warnings) > 0) {
				t.Errorf("warnings: %v", p.values.warnings)
			}
		})
	}
}

// TestHistoryFits: a long history comes through the face in parts, none of them
// past --max-result, and together it is all of it, whatever the limit asked for.
func TestHistoryFits(t *testing.T) {
	t.Parallel()
	const writes = 70
	notes := t.TempDir()
	if err := os.WriteFile(filepath.Join(notes, "a.md"), []byte("# A\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := aProgram(t, map[string]string{"workspace": notes, "state": t.TempDir(), "actor": strings.Repeat("名", 100)})
	w := p.assemble()
	t.Cleanup(w.close)
	client := p.connectTo(t, w)
	for i := range writes {
		args := map[string]any{"documentId": "a.md", "mode": "append", "dryRun": false, "content": fmt.Sprintf("line %d", i)}
		if refusal, _ := outcomeOf(t, client, "mnote_page_save", args); refusal != "" {
			t.Fatal(refusal)
		}
	}
	for _, limit := range []int{0, 1, 60, 100_000} {
		args := map[string]any{"documentId": "a.md"}
		if limit > 0 {
			args["limit"] = limit
		}
		next := int64(writes + 1)
		for {
			page := historyPage(t, client, args)
			for _, r := range page.Revisions {
				if r.Revision != next {
					t.Fatalf("limit %d: revision %d where %d is next", limit, r.Revision, next)
				}
				next--
			}
			if page.NextCursor == "" {
				break
			}
			args["cursor"] = page.NextCursor
		}
		if next != 0 {
			t.Errorf("limit %d: the list ends before revision %d", limit, next)
		}
	}
}

// history is doc.history's result.
type history struct {
	Revisions []struct {
		Revision int64 `json:"revision"`
	} `json:"revisions"`
	NextCursor string `json:"nextCursor"`
}

// historyPage asks for one part, which is whole and no longer than the default
// of --max-result.
func historyPage(t *testing.T, client *mcp.Probe, args map[string]any) (page history) {
	t.Helper()
	r, err := client.Call(t.Context(), "mnote_doc_history", args)
	if err != nil {
		t.Fatal(err)
	}
	if r.Envelope == nil || !r.Envelope.OK || len(r.Text) > 15000 {
		t.Fatalf("%v gives %d bytes: %.300s", args, len(r.Text), r.Text)
	}
	if err := json.Unmarshal(r.Envelope.Result, &page); err != nil {
		t.Fatal(err)
	}
	return page
}
