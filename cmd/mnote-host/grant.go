package main

import (
	"errors"
	"os"

	"github.com/mnote-dev/mnote-host/tools"
)

// grant reads the access scope; nil is the owner's own session. Whoever meant to
// narrow and was not understood must not end up with an owner's session: then
// every call is refused with the error, which says what to mend.
func (p *program) grant() (*tools.Grant, error) {
	if why := p.values.narrowing(); why != (text{}) {
		return nothing(), tools.Errorf(tools.CodePermissionDenied, tools.Text{
			ZH: "这个会话什么也不许做，因为限制它的设置读不懂：%[1]s",
			EN: "this session may do nothing, because a setting that narrows it cannot be understood: %[2]s",
		}, why.zh, why.en)
	}
	doc, err := p.accessScope()
	if doc == nil && err == nil {
		return nil, nil
	}
	g, parseErr := tools.ReadGrant(doc)
	if err = errors.Join(err, parseErr); err != nil {
		p.inner.Warn().Err(err).Msg(p.say("授权范围读不懂，这个会话什么也不许做", "the access scope cannot be read, so this session may do nothing"))
		return nothing(), tools.Errorf(tools.CodePermissionDenied, tools.Text{
			ZH: "这个会话什么也不许做，因为授权范围读不懂：%[1]v",
			EN: "this session may do nothing, because its access scope cannot be read: %[1]v",
		}, err)
	}
	return &g, nil
}

// nothing is the grant that allows no call.
func nothing() *tools.Grant { return &tools.Grant{Level: tools.LevelNone} }

// accessScope gives the document itself, or nil where none was given.
func (p *program) accessScope() ([]byte, error) {
	if doc := p.values.get("access-scope"); doc != "" {
		return []byte(doc), nil
	}
	if file := p.values.get("access-scope-file"); file != "" {
		doc, err := os.ReadFile(file)
		return append([]byte{}, doc...), err
	}
	return nil, nil
}
