package plugin

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/internal/guard"
	"github.com/mnote-dev/mnote-host/tools"
)

// refreshPatience is how long a step about to refuse waits for the kernel's
// newest word on its tools.
const refreshPatience = 5 * time.Second

// lookPatience is how long the refusal of a call's arguments waits for the
// kernel's word on its tool.
const lookPatience = time.Second

// maxName is the longest tool name that is repeated in an envelope.
const maxName = 128

// arrive gives a call its ids; whatever happens next can be told apart and
// recorded.
func (s *Session) arrive(name string, raw json.RawMessage, meta Meta) callArrived {
	return callArrived{trail{call: s.draft(name, meta), tool: &noTool, meta: &meta, began: s.host.now()}, name, raw}
}

// noTool is the tool of a call that has none yet.
var noTool tools.Tool

// resolve is step 1: the name's tool, from one snapshot for the whole call. A
// tool that nobody has heard of may be one that the kernel has just got; while no
// word of the kernel's own is there, nobody can say that there is none.
func (s *Session) resolve(ctx context.Context, c callArrived) (callFound, error) {
	if err := s.unserved(); err != nil {
		return callFound{}, err
	}
	found, err := s.look(c)
	if !errors.Is(err, notFound) {
		return found, err
	}
	silent := s.host.refresh(ctx)
	if silent == nil {
		return s.look(c)
	}
	if dead, ok := errors.AsType[*tools.Error](silent); ok && !s.host.cfg.Registry.Snapshot().Certain() {
		return callFound{}, dead
	}
	return found, err
}

func (s *Session) look(c callArrived) (callFound, error) {
	snapshot := s.host.cfg.Registry.Snapshot()
	tool, err := snapshot.Resolve(c.name)
	if err != nil {
		return callFound{}, err
	}
	o := s.host.offer(snapshot, tool)
	c.tool = &o.tool
	c.call.ToolName, c.call.Kind, c.call.Scopes = o.tool.Name, o.tool.Kind, o.scopes
	return callFound{c, snapshot, o.schema}, nil
}

// gate is step 2. It asks the kernel again before it refuses: a switch takes
// effect on the next call, whether or not the client lists again.
func (s *Session) gate(ctx context.Context, c callFound) (callOpen, error) {
	if s.free(c.tool) {
		return callOpen{c}, nil
	}
	err := guard.Gate(c.snapshot, *c.tool)
	if err == nil || s.host.refresh(ctx) != nil {
		return callOpen{c}, err
	}
	if c, err = s.look(c.callArrived); err != nil {
		return callOpen{}, err
	}
	return callOpen{c}, guard.Gate(c.snapshot, *c.tool)
}

// orOff gives the fault of a call's arguments, unless its tool was switched off
// since the view of this call: a model would mend a call that cannot work.
func (s *Session) orOff(ctx context.Context, c callOpen, fault error) error {
	ctx, cancel := context.WithTimeout(ctx, lookPatience)
	defer cancel()
	if s.host.cfg.Registry.Refresh(ctx) != nil {
		return fault
	}
	snapshot := s.host.cfg.Registry.Snapshot()
	tool, err := snapshot.Resolve(c.name)
	if err != nil {
		return fault
	}
	if s.free(&tool) {
		return fault
	}
	return cmp.Or(guard.Gate(snapshot, tool), fault)
}

// decode is step 3.
func (s *Session) decode(ctx context.Context, c callOpen) (callRead, error) {
	if limit := s.host.limits.ArgsBytes; limit >= 0 && len(c.raw) > limit {
		return callRead{}, tools.Errorf(tools.CodePayloadTooLarge, tools.Text{
			ZH: "参数共 %d 字节，超过上限 %d 字节；请分几次写（例如 mode=append）",
			EN: "the arguments are %d bytes and the limit is %d; write in several calls (mode=append, say)",
		}, len(c.raw), limit).With("limitBytes", limit)
	}
	read, fault := decoded(c)
	if fault == nil {
		return read, nil
	}
	if off := s.orOff(ctx, c, fault); off != fault {
		return callRead{}, off
	}
	// The kernel has been asked on the way; it may take what the view of this call,
	// or the manifest that we ship, did not know.
	newest, err := s.look(c.callArrived)
	if err != nil || newest.schema == c.schema {
		return callRead{}, fault
	}
	return decoded(callOpen{newest})
}

func decoded(c callOpen) (callRead, error) {
	args, repairs, err := c.schema.Decode(c.raw)
	if err != nil {
		return callRead{}, err
	}
	c.repairs = repairs
	c.call.DryRun = c.tool.Writes() && args.DryRun()
	return callRead{c, args}, nil
}

// authorise is step 5: the guards, then the session's limits.
func (s *Session) authorise(_ context.Context, c callBound) (callAllowed, error) {
	if err := s.permit(c); err != nil {
		return callAllowed{}, err
	}
	return callAllowed{c}, s.rate.take(s.host.now())
}

// permit holds a bound call against the grant as it stands now.
func (s *Session) permit(c callBound) error {
	return guard.Authorise(s.within(c.call), guard.Reach{
		Tool:           *c.tool,
		Packs:          packsOf(c.snapshot, *c.tool),
		DryRun:         c.call.DryRun,
		DocumentID:     c.call.Document(),
		Resource:       c.schema.Lists(guard.MindmapField) || c.schema.Lists(guard.AssetField),
		MindmapID:      c.args.MindmapID(),
		AssetID:        c.args.AssetID(),
		ObjectIdentity: c.call.ObjectIdentity,
	}, s.host.now())
}

// notFound is compared by its code alone.
var notFound = tools.Errorf(tools.CodeNotFound, tools.Text{})
