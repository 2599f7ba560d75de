package conform

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/mnote-dev/mnote-host/capabilities"
	"github.com/mnote-dev/mnote-host/tools"
)

func manifestChecks() []Check {
	return []Check{
		check("manifest/head", NeedsRead, manifestHead, "The manifest says ok, runtime mnote and its version."),
		check("manifest/tools", NeedsRead, manifestTools, "Each tool has a well-formed name of its own, a kind, a status that is known and an object schema."),
		check("manifest/writes", NeedsRead, manifestWrites, "Every write takes dryRun and an idempotency key (seed 7-6 §4)."),
		check("manifest/packs", NeedsRead, manifestPacks, "Each pack has an id of its own and lists tools that name it among their capabilityIds."),
		check("manifest/etag", NeedsRead, manifestETag, "ETag / If-None-Match → 304; another etag gets the whole manifest, and the same bytes as before."),
	}
}

func manifestHead(p *probe) error {
	switch d := p.doc; {
	case d.OK == nil || !*d.OK:
		return errors.New("ok is not true")
	case d.Runtime != "mnote":
		return fmt.Errorf("runtime is %q", d.Runtime)
	case d.ManifestVersion == "":
		return errors.New("manifestVersion is missing")
	case len(d.Tools) == 0:
		return errors.New("there is not one tool")
	}
	return nil
}

// manifestTools also compares wire names: a model sees only those, and of two
// tools with one wire name it could never call the second.
func manifestTools(p *probe) error {
	var wrong []error
	names := map[string]bool{}
	for _, t := range p.doc.Tools {
		name, err := tools.ParseName(t.Name)
		if err == nil && names[tools.WireName(name)] {
			err = fmt.Errorf("tool %s: another tool has its wire name", t.Name)
		}
		names[tools.WireName(name)] = true
		wrong = append(wrong, err, t.wrong())
	}
	return errors.Join(wrong...)
}

var statuses = []tools.Status{
	tools.StatusAvailable, tools.StatusPlanned, tools.StatusRetired, tools.StatusCompat,
	tools.StatusDisabledByPack, tools.StatusDisabled,
}

// wrong says what of a tool's line breaks the contract.
func (t toolLine) wrong() error {
	var what string
	switch {
	case t.Kind != tools.KindRead && t.Kind != tools.KindWrite:
		what = fmt.Sprintf("kind is %q", t.Kind)
	case !slices.Contains(statuses, t.Status):
		what = fmt.Sprintf("status is %q", t.Status)
	case t.Description == "":
		what = "description is missing"
	case t.InputSchema.Type != "object":
		what = "inputSchema is no schema of an object"
	case len(t.CapabilityScope) == 0:
		what = "capabilityScope is empty"
	default:
		return nil
	}
	return fmt.Errorf("tool %s: %s", t.Name, what)
}

func manifestWrites(p *probe) error {
	var wrong []error
	for _, t := range p.doc.Tools {
		if t.Kind == tools.KindWrite && t.available() && !(t.takes("dryRun") && t.takes("idempotencyKey")) {
			wrong = append(wrong, fmt.Errorf("tool %s takes no dryRun or no idempotencyKey", t.Name))
		}
	}
	return errors.Join(wrong...)
}

func manifestPacks(p *probe) error {
	var wrong []error
	ids := map[string]bool{}
	for _, c := range p.doc.Capabilities {
		if c.ID == "" || ids[c.ID] {
			wrong = append(wrong, fmt.Errorf("pack %q: the id is missing or taken", c.ID))
		}
		ids[c.ID] = true
		for _, name := range c.ToolNames {
			if !slices.Contains(p.doc.tool(tools.Name(name)).packs(), c.ID) {
				wrong = append(wrong, fmt.Errorf("pack %s lists %s, which does not name the pack", c.ID, name))
			}
		}
	}
	return errors.Join(wrong...)
}

// manifestETag: the host polls twice a minute, so an etag that never holds costs,
// and one that always holds hides a switch.
func manifestETag(p *probe) error {
	first, err := p.subject.Kernel.Manifest(p.ctx, "")
	if err != nil {
		return err
	}
	if first.ETag == "" {
		return errors.New("the manifest comes without an ETag")
	}
	if _, err := p.subject.Kernel.Manifest(p.ctx, first.ETag); !errors.Is(err, capabilities.ErrNotModified) {
		return fmt.Errorf("asked with its own etag the manifest is sent again (%v)", err)
	}
	other, err := p.subject.Kernel.Manifest(p.ctx, `"conform"`)
	switch {
	case err != nil:
		return fmt.Errorf("asked with another etag: %w", err)
	case other.ETag != first.ETag || !bytes.Equal(other.Raw, first.Raw):
		return errors.New("two fetches with nothing changed in between give two manifests")
	}
	return nil
}
