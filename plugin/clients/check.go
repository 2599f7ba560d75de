package clients

import (
	"fmt"
	"regexp"

	"github.com/mnote-dev/mnote-host/tools"
	"github.com/mnote-dev/mnote-host/tools/schema"
)

// Check tells what of these tools, offered by a server of this name, the program
// would drop, cut or stumble on; a sentence each, none when all is well.
func (c Client) Check(server string, list []tools.Tool) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	if c.Limits.Tools > 0 && len(list) > c.Limits.Tools {
		fault("%d tools, and %s shows its model %d", len(list), c.Title, c.Limits.Tools)
	}
	form := regexp.MustCompile(c.nameForm())
	seen := map[string]tools.Name{}
	for _, t := range list {
		shown := c.Shows(server, tools.WireName(t.Name))
		if max := c.Limits.ToolName; max > 0 && len(shown) > max {
			fault("%s: %s is %d bytes, and %s takes %d", t.Name, shown, len(shown), c.Title, max)
		}
		if !form.MatchString(shown) {
			fault("%s: %s does not match %s", t.Name, shown, form)
		}
		if other, twice := seen[shown]; twice {
			fault("%s and %s are both shown as %s", other, t.Name, shown)
		}
		seen[shown] = t.Name
		faults = append(faults, c.checkTool(t)...)
	}
	return faults
}

// nameForm is the form of a tool's name as the model sees it; empty in the data
// is any.
func (c Client) nameForm() string {
	if c.Limits.NameForm == "" {
		return ".*"
	}
	return c.Limits.NameForm
}

// checkTool checks a tool's words and the schema that a model would see.
func (c Client) checkTool(t tools.Tool) (faults []string) {
	if t.Description == "" {
		faults = append(faults, fmt.Sprintf("%s: no description", t.Name))
	}
	if max := c.Limits.Description; max > 0 && len([]rune(t.Description)) > max {
		faults = append(faults, fmt.Sprintf("%s: the description has %d characters, and %s shows %d", t.Name, len([]rune(t.Description)), c.Title, max))
	}
	in, err := schema.Narrow(t)
	if err != nil {
		faults = append(faults, fmt.Sprintf("%s: %v", t.Name, err))
	}
	for _, f := range c.Dialect.Faults(in) {
		faults = append(faults, fmt.Sprintf("%s: %s", t.Name, f))
	}
	return faults
}
