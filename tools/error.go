package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
)

// Lang is a language of the texts for people.
type Lang string

// The languages; Chinese is the default, as in the seeds.
const (
	ZH Lang = "zh"
	EN Lang = "en"
)

// Text is one message in each language, or the format of one.
type Text struct{ ZH, EN string }

// In picks the text of a language; an unknown one gets Chinese.
func (t Text) In(lang Lang) string {
	if lang == EN {
		return t.EN
	}
	return t.ZH
}

// Error is a coded failure: the code for machines, the text for people, the
// details for whoever repairs the call. On the wire it is {code, message,
// details?}. It never holds a secret or page content.
type Error struct {
	Code Code
	// Message is what an envelope carries; empty until In has picked it.
	Message string
	// Details are small JSON values such as reason, currentRevision, violations.
	Details map[string]any

	text  Text
	cause error
}

// Errorf makes a coded error; args fill both languages' formats alike.
func Errorf(code Code, format Text, args ...any) *Error {
	return &Error{Code: code, text: Text{ZH: fmt.Sprintf(format.ZH, args...), EN: fmt.Sprintf(format.EN, args...)}}
}

// With returns a copy that also holds the detail.
func (e *Error) With(key string, value any) *Error {
	c := *e
	c.Details = maps.Clone(e.Details)
	if c.Details == nil {
		c.Details = map[string]any{}
	}
	c.Details[key] = value
	return &c
}

// Because returns a copy that wraps cause for the log; the wire never shows it.
func (e *Error) Because(cause error) *Error {
	c := *e
	c.cause = cause
	return &c
}

// In returns a copy whose Message is in the language. A message that a kernel
// wrote stays as it is.
func (e *Error) In(lang Lang) *Error {
	c := *e
	if t := e.text.In(lang); t != "" {
		c.Message = t
	}
	return &c
}

// Error gives the code and the English text, and the cause for the log.
func (e *Error) Error() string {
	text := e.text.EN
	if text == "" {
		text = e.Message
	}
	if e.cause != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, text, e.cause)
	}
	return fmt.Sprintf("%s: %s", e.Code, text)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.cause }

// Is makes errors.Is compare by code alone.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// AsError returns the coded error in err, or a bare mnote_internal that keeps
// err for the log and shows none of it.
func AsError(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return Errorf(CodeInternal, Text{
		ZH: "mnote-host 内部错误；细节在它的日志里，按 traceId 查找",
		EN: "internal error of mnote-host; its log has the details under the traceId",
	}).Because(err)
}

type errorJSON struct {
	Code    Code           `json:"code"`
	Message string         `json:"message"`
	Details map[string]any `json:"details,omitempty"`
}

// MarshalJSON writes {code, message, details?}; without a chosen message it
// writes the Chinese one.
func (e *Error) MarshalJSON() ([]byte, error) {
	m := e.Message
	if m == "" {
		m = e.text.ZH
	}
	return Compact(errorJSON{e.Code, m, e.Details})
}

// UnmarshalJSON reads {code, message, details?} and drops unknown members.
func (e *Error) UnmarshalJSON(data []byte) error {
	var j errorJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return fmt.Errorf("read an envelope's error: %w", err)
	}
	*e = Error{Code: j.Code, Message: j.Message, Details: j.Details}
	return nil
}
