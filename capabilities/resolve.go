package capabilities

import (
	"strings"

	"github.com/mnote-dev/mnote-host/tools"
)

// nearest is how many names a refusal offers.
const nearest = 3

// Resolve finds a tool by wire name, dotted name or alias. What may not be
// called is mnote_tool_not_found, naming the three nearest names and saying so
// of a planned tool, or mnote_tool_retired, naming what to use instead. It does
// not look at switches.
func (s *Snapshot) Resolve(name string) (tools.Tool, error) {
	if i, ok := s.byName[name]; ok {
		return s.callable(s.all[i])
	}
	if use, ok := retired(name); ok {
		return tools.Tool{}, gone(name, use)
	}
	if use, ok := compat(name); ok {
		return tools.Tool{}, gone(name, use)
	}
	return tools.Tool{}, s.notFound(name, tools.Text{
		ZH: "没有名为 %s 的工具",
		EN: "there is no tool %s",
	})
}

// Offers reports whether a tool may be called and is switched on: what Resolve
// and Switched say of it, without the words of a refusal.
func (s *Snapshot) Offers(name tools.Name) bool {
	i, ok := s.byName[string(name)]
	if !ok || !open(&s.all[i]) {
		return false
	}
	on, _ := s.Switched(s.all[i])
	return on
}

// open reports whether a tool's status lets anyone call it.
func open(t *tools.Tool) bool {
	switch t.Status {
	case tools.StatusAvailable, tools.StatusDisabled, tools.StatusDisabledByPack:
		return true
	}
	return t.Status == tools.StatusCompat && !t.Writes()
}

// callable refuses a tool that is not open, and says why.
func (s *Snapshot) callable(t tools.Tool) (tools.Tool, error) {
	if open(&t) {
		return t, nil
	}
	switch t.Status {
	case tools.StatusCompat, tools.StatusRetired:
		return tools.Tool{}, gone(string(t.Name), t.UseInstead)
	case tools.StatusPlanned:
		return tools.Tool{}, s.notFound(string(t.Name), tools.Text{
			ZH: "工具 %s 还在计划中，尚未实现",
			EN: "the tool %s is planned and not built yet",
		}).With("status", string(t.Status))
	}
	return tools.Tool{}, s.notFound(string(t.Name), tools.Text{
		ZH: "工具 %s 的状态不是这个版本认识的，不能调用",
		EN: "the tool %s has a status that this version does not know, so it cannot be called",
	}).With("status", strings.Trim(short(string(t.Status)), `"`))
}

// notFound adds the nearest names to a refusal whose text names the tool.
func (s *Snapshot) notFound(name string, text tools.Text) *tools.Error {
	var wires []string
	for _, t := range s.advertised {
		wires = append(wires, tools.WireName(t.Name))
	}
	near := tools.Nearest(name, wires, nearest)
	if len(near) == 0 {
		text.ZH += "；现在没有可用的工具"
		text.EN += "; no tool is available now"
		return tools.Errorf(tools.CodeNotFound, text, short(name))
	}
	text.ZH += "；名字最接近的是 %s"
	text.EN += "; the nearest names are %s"
	return tools.Errorf(tools.CodeNotFound, text, short(name), strings.Join(near, ", ")).With("nearest", near)
}

// gone refuses a retired name and says what to use instead.
func gone(name string, use tools.Name) *tools.Error {
	if use == "" {
		return tools.Errorf(tools.CodeRetired, tools.Text{
			ZH: "工具 %s 已停用，没有替代",
			EN: "the tool %s is retired and has no replacement",
		}, short(name))
	}
	return tools.Errorf(tools.CodeRetired, tools.Text{
		ZH: "工具 %s 已停用，请改用 %s（%s）",
		EN: "the tool %s is retired; use %s (%s) instead",
	}, short(name), tools.WireName(use), use).With("useInstead", string(use))
}
