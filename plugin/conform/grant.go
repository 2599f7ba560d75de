package conform

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/mnote-dev/mnote-host/tools"
)

func grantChecks() []Check {
	return []Check{
		check("grant/document", NeedsRead, grantDocument, "Outside the grant the answer is the same whether a thing exists or not."),
		check("grant/scope", NeedsRead, grantScope, "The grant must hold each of the tool's scope words."),
		check("grant/none", NeedsRead, grantNone, "A grant of level none, or of a word nobody knows, permits nothing."),
		check("grant/expired", NeedsRead, grantExpired, "A grant that has expired permits nothing."),
		check("grant/read-level", NeedsWrite, grantReadLevel, "A level of read refuses a write and permits its dry run."),
		check("grant/shared", NeedsWrite, grantShared, "A shared-read grant refuses writes, dry runs included."),
	}
}

// grant permits everything on the subject's workspace at a level.
func (p *probe) grant(level tools.Level) tools.Grant {
	return tools.Grant{Level: level, WorkspaceID: p.subject.WorkspaceID, ResourceIDs: []string{}}
}

// granted sends the call under the grant, as a host does whose spawner gave one.
func granted(c tools.Call, g tools.Grant) tools.Call {
	c.Grant = &g
	return c
}

// grantDocument asks for a page outside the grant and for one that does not exist
// and compares the two refusals, less the ids: any difference tells a stranger
// which pages there are.
func grantDocument(p *probe) error {
	g := p.grant(tools.LevelRead)
	g.DocumentIDs = []string{"conform/another.md"}
	hidden := granted(p.call(p.script.Read, nil), g)
	absent := granted(p.call(p.script.Read, nil), g)
	absent.DocumentID = &p.script.MissingDocument
	codes := []tools.Code{tools.CodeDocumentNotFound, tools.CodePermissionDenied}
	there, err := p.refuse(hidden, codes...)
	if err != nil {
		return err
	}
	gone, err := p.refuse(absent, codes...)
	if err != nil {
		return err
	}
	if a, b := p.anonymous(there), p.anonymous(gone); a != b {
		return fmt.Errorf("a hidden page is told from an absent one:\n%s\n%s", a, b)
	}
	return p.silent(there)
}

// anonymous is a refusal without the ids of the two documents.
func (p *probe) anonymous(e *tools.Error) string {
	details, err := json.Marshal(e.Details)
	if err != nil {
		return err.Error()
	}
	return strings.NewReplacer(p.subject.DocumentID, "…", p.script.MissingDocument, "…").
		Replace(string(e.Code) + " " + e.Message + " " + string(details))
}

func grantScope(p *probe) error {
	g := p.grant(tools.LevelWrite)
	g.Scopes = []tools.Scope{"conform.read"}
	_, err := p.refuse(granted(p.call(p.script.Read, nil), g), tools.CodePermissionDenied)
	return err
}

// grantNone also sends a level from the future, which must not count as more than
// the ones we know.
func grantNone(p *probe) error {
	var wrong []error
	for _, level := range []tools.Level{tools.LevelNone, "owner"} {
		_, err := p.refuse(granted(p.call(p.script.Read, nil), p.grant(level)), tools.CodePermissionDenied)
		wrong = append(wrong, err)
	}
	return errors.Join(wrong...)
}

func grantExpired(p *probe) error {
	g := p.grant(tools.LevelRead)
	long := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
	g.ExpiresAt = &long
	_, err := p.refuse(granted(p.call(p.script.Read, nil), g), tools.CodePermissionDenied)
	return err
}

// grantReadLevel: a plan is a read, so a reader may see what a write would do.
func grantReadLevel(p *probe) error {
	before, err := p.read()
	if err != nil {
		return err
	}
	g := p.grant(tools.LevelRead)
	if _, err := p.refuse(granted(p.saving(p.marker()), g), tools.CodePermissionDenied); err != nil {
		return err
	}
	plan := granted(p.saving(p.marker()), g)
	plan.DryRun = true
	if _, err := p.succeed(plan, tools.EffectDryRun); err != nil {
		return err
	}
	return p.unchanged(before)
}

// grantShared: a plan is kept by the kernel, and a guest leaves nothing behind.
func grantShared(p *probe) error {
	before, err := p.read()
	if err != nil {
		return err
	}
	g := p.grant(tools.LevelRead)
	g.Shared = true
	for _, dry := range []bool{true, false} {
		c := granted(p.saving(p.marker()), g)
		c.DryRun = dry
		if _, err := p.refuse(c, tools.CodePermissionDenied); err != nil {
			return fmt.Errorf("dry run %v: %w", dry, err)
		}
	}
	if _, err := p.succeed(granted(p.call(p.script.Read, nil), g), tools.EffectRead); err != nil {
		return err
	}
	return p.unchanged(before)
}
