package proofs

import (
	"encoding/json"
	"fmt"
)

// envelope is what the proofs read of an answer.
type envelope struct {
	OK     bool   `json:"ok"`
	Result result `json:"result"`
	Audit  struct {
		Effect    string `json:"effect"`
		CommandID string `json:"commandId"`
		Replayed  bool   `json:"replayed"`
	} `json:"audit"`
	Error *struct {
		Code    string         `json:"code"`
		Message string         `json:"message"`
		Details map[string]any `json:"details"`
	} `json:"error"`
	raw string
}

// result has the members of every tool's result that the proofs look at.
type result struct {
	Revision    int64      `json:"revision"`
	ContentHash string     `json:"contentHash"`
	PlanID      string     `json:"planId"`
	ResultHash  string     `json:"resultHash"`
	DocumentID  string     `json:"documentId"`
	Blocks      []block    `json:"blocks"`
	Changed     []change   `json:"changed"`
	Entries     []entry    `json:"entries"`
	Revisions   []revision `json:"revisions"`
	NextCursor  string     `json:"nextCursor"`
	Artifacts   []struct {
		Kind string `json:"kind"`
	} `json:"artifacts"`
	Total          any   `json:"total"`
	ResultRevision int64 `json:"resultRevision"`
}

type block struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	Level  int    `json:"level,omitempty"`
	Text   string `json:"text"`
	Source string `json:"source,omitempty"`
	Part   bool   `json:"part,omitempty"` // the text is a piece of a block that fits no answer
}

type change struct {
	OldID string `json:"oldId"`
	NewID string `json:"newId"`
}

type entry struct {
	DocumentID string `json:"documentId"`
	Kind       string `json:"kind"`
}

type revision struct {
	Revision    int64  `json:"revision"`
	ContentHash string `json:"contentHash"`
	Source      string `json:"source"`
	CommandID   string `json:"commandId"`
}

// open reads an answer's line.
func open(line []byte) (envelope, error) {
	var frame struct {
		Result struct {
			Structured json.RawMessage `json:"structuredContent"`
			Content    []struct{ Text string }
		} `json:"result"`
		Error json.RawMessage `json:"error"`
	}
	var env envelope
	if err := json.Unmarshal(line, &frame); err != nil {
		return env, err
	}
	inner := frame.Result.Structured
	if inner == nil && len(frame.Result.Content) > 0 {
		inner = json.RawMessage(frame.Result.Content[0].Text)
	}
	if err := json.Unmarshal(inner, &env); err != nil {
		return env, fmt.Errorf("no envelope in %s: %w", line, err)
	}
	env.raw = string(inner)
	return env, nil
}

// code is the refusal's, or "".
func (e envelope) code() string {
	if e.Error == nil {
		return ""
	}
	return e.Error.Code
}

// reason is the refusal's details.reason, or "".
func (e envelope) reason() string {
	if e.Error == nil {
		return ""
	}
	reason, _ := e.Error.Details["reason"].(string)
	return reason
}
