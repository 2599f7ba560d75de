package schema

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/mnote-dev/mnote-host/tools"
)

// Schema reads the arguments of one tool. It compiles at its first use and is
// safe for concurrent use.
type Schema struct {
	tool    tools.Tool
	shape   func() (*shape, error)
	loose   func() (*judge, error)
	full    func() (*judge, error)
	confirm func() (*judge, error)
}

// New gives the schema of a tool. It does no work yet.
func New(t tools.Tool) *Schema {
	s := &Schema{tool: t}
	s.shape = sync.OnceValues(func() (*shape, error) {
		sh, err := read(t)
		if err != nil { // take any object; the kernel checks it
			sh = anyObject()
		}
		sh.index()
		return sh, err
	})
	s.loose = s.compiled(func(sh *shape) any { return sh.loose(sh.asked(t)) })
	s.full = s.compiled(func(sh *shape) any { return sh.full() })
	s.confirm = sync.OnceValues(func() (*judge, error) {
		if _, err := decode(t.ConfirmWhen, false, nil); err != nil {
			return nil, err
		}
		return compile(func() any {
			doc, _ := decode(t.ConfirmWhen, false, nil)
			return doc
		}, true)
	})
	return s
}

func (s *Schema) compiled(doc func(*shape) any) func() (*judge, error) {
	return sync.OnceValues(func() (*judge, error) {
		sh, _ := s.shape()
		return compile(func() any { return doc(sh) }, false)
	})
}

// Decode reads a call's arguments: decoded once, repaired where they can only
// mean one thing (each repair a sentence), defaults filled, everything else
// refused with mnote_tool_invalid_args or mnote_tool_payload_too_large. Absent
// arguments (nil, null) are an empty object.
func (s *Schema) Decode(raw json.RawMessage) (Args, []string, error) {
	sh, _ := s.shape()
	r := &repairer{shape: sh}
	values, err := r.whole(raw)
	if err != nil {
		return Args{}, nil, err
	}
	a := Args{values: values, HostFields: takeHostFields(values), hostPlan: s.AddsPlan()}
	r.arguments(values)
	r.unknown(s.tool, values)
	faults := append(r.faults, tooLong(values)...)
	if c, err := s.loose(); err == nil {
		faults = append(faults, sh.violations(c.faults(values))...)
	}
	if len(faults) > 0 {
		return Args{}, nil, refuse(faults...)
	}
	return a, r.notes, nil
}

// Check holds the whole call, session fields included, against the manifest's
// full schema. full is what Args.Full gives, or JSON bytes.
func (s *Schema) Check(full any) error {
	v, ok := full.(map[string]any)
	if !ok {
		tree, err := decode(Canonical(full), false, nil)
		if v, ok = tree.(map[string]any); err != nil || !ok {
			return refuse(violation{problem: words("不是一个 JSON 对象", "not a JSON object"), allowed: oneObject})
		}
	}
	c, err := s.full()
	if err != nil {
		return nil // Fault tells; the kernel checks the call
	}
	sh, _ := s.shape()
	if faults := sh.violations(c.faults(v)); len(faults) > 0 {
		return refuse(faults...)
	}
	return nil
}

// Confirms reports whether the tool's confirmWhen matches the arguments: a
// person must then say yes whatever the session's setting. A confirmWhen that
// cannot be read to the last keyword always matches.
func (s *Schema) Confirms(a Args) bool {
	if len(s.tool.ConfirmWhen) == 0 {
		return false
	}
	c, err := s.confirm()
	return err != nil || c.fits(a.values)
}

// Requires reports whether the manifest's full schema requires the field.
func (s *Schema) Requires(field string) bool {
	sh, _ := s.shape()
	return sh.requires(field)
}

// Lists reports whether the manifest's full schema names the field, among its
// properties or as required.
func (s *Schema) Lists(field string) bool {
	sh, _ := s.shape()
	return sh.lists(field)
}

// AddsPlan reports whether planId is the host's addition to a write: the host
// then keeps the plan itself and forwards without it.
func (s *Schema) AddsPlan() bool { return s.tool.Writes() && !s.Lists(planID) }

// Fault says why the manifest's schema cannot be used, or nil. The tool then
// takes any object, and its kernel checks it: a schema that only this host
// cannot read is no reason to take the tool away from people.
func (s *Schema) Fault() error {
	_, err := s.shape()
	for _, compiled := range []func() (*judge, error){s.loose, s.full} {
		j, errJudge := compiled()
		if errJudge == nil {
			errJudge = j.fault()
		}
		err = errors.Join(err, errJudge)
	}
	if err != nil {
		return fmt.Errorf("the schema of %s cannot be used, so its arguments are not checked here: %w", s.tool.Name, err)
	}
	return nil
}
