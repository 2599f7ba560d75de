package conform

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mnote-dev/mnote-host/tools"
)

func refusalChecks() []Check {
	return []Check{
		check("refuse/unknown-tool", NeedsRead, refuseUnknownTool, "There is no such tool: mnote_tool_not_found."),
		check("refuse/planned-tool", NeedsRead, refusePlannedTool, "A tool that is planned is not there yet: mnote_tool_not_found."),
		check("refuse/bad-args", NeedsRead, refuseBadArgs, "Arguments that break the schema are mnote_tool_invalid_args, with violations."),
		check("refuse/missing-document", NeedsRead, refuseMissingDocument, "A document that is not there is mnote_tool_document_not_found, never another one."),
		check("refuse/no-document", NeedsRead, refuseNoDocument, "Only documentId may be null, and a tool that needs one then refuses."),
		check("refuse/foreign-workspace", NeedsRead, refuseForeignWorkspace, "A call for another workspace is refused."),
		check("refuse/bad-write", NeedsWrite, refuseBadWrite, "A write without its content is refused, and nothing is written."),
	}
}

func refuseUnknownTool(p *probe) error {
	_, err := p.refuse(p.call(p.script.Unknown, nil), tools.CodeNotFound)
	return err
}

// refusePlannedTool tries each of them: what is advertised later must not half
// work now.
func refusePlannedTool(p *probe) error {
	for _, t := range p.doc.Tools {
		if t.Status != tools.StatusPlanned {
			continue
		}
		if _, err := p.refuse(p.call(tools.Name(t.Name), nil), tools.CodeNotFound); err != nil {
			return err
		}
	}
	return nil
}

func refuseBadArgs(p *probe) error {
	e, err := p.refuse(p.call(p.script.Read, map[string]any{"includeBlocks": []int{1}}), tools.CodeInvalidArgs)
	if err != nil {
		return err
	}
	return violations(e)
}

// violations fails if a refusal does not say which argument is wrong: a model can
// only repair what is named.
func violations(e *tools.Error) error {
	var d struct{ Violations []any }
	raw, err := json.Marshal(e.Details)
	if err == nil {
		err = json.Unmarshal(raw, &d)
	}
	if err != nil || len(d.Violations) == 0 {
		return errors.New("details.violations names nothing")
	}
	return nil
}

// refuseMissingDocument uses an id that shares words with real ones: a kernel that
// looks for the nearest page would find one.
func refuseMissingDocument(p *probe) error {
	c := p.call(p.script.Read, nil)
	c.DocumentID = &p.script.MissingDocument
	_, err := p.refuse(c, tools.CodeDocumentNotFound)
	return err
}

func refuseNoDocument(p *probe) error {
	c := p.call(p.script.Read, nil)
	c.DocumentID = nil
	_, err := p.refuse(c, tools.CodeMissingContext, tools.CodeInvalidArgs, tools.CodeDocumentNotFound)
	return err
}

// refuseForeignWorkspace leaves the code open among those that fit; what may not
// happen is an answer, or a refusal that names the page.
func refuseForeignWorkspace(p *probe) error {
	c := p.call(p.script.Read, nil)
	c.WorkspaceID = p.script.ForeignWorkspace
	e, err := p.refuse(c, tools.CodePermissionDenied, tools.CodeDocumentNotFound, tools.CodeMissingContext, tools.CodeInvalidArgs)
	if err != nil {
		return err
	}
	return p.silent(e)
}

// silent fails if a refusal names the page's title.
func (p *probe) silent(e *tools.Error) error {
	g, err := p.read()
	if err != nil {
		return err
	}
	details, err := json.Marshal(e.Details)
	if err != nil {
		return err
	}
	if g.Title != "" && strings.Contains(e.Message+string(details), g.Title) {
		return fmt.Errorf("the refusal names the page: %q %s", e.Message, details)
	}
	return nil
}

// refuseBadWrite leaves out the one argument without which there is nothing to
// write.
func refuseBadWrite(p *probe) error {
	before, err := p.read()
	if err != nil {
		return err
	}
	if _, err := p.refuse(p.call(p.script.Save, map[string]any{"mode": "append"}), tools.CodeInvalidArgs); err != nil {
		return err
	}
	return p.unchanged(before)
}
