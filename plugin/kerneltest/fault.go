package kerneltest

import "slices"

// Fault is one clause that a Fake breaks on purpose.
type Fault string

// The faults of manifests.
const (
	ManifestHeadless   Fault = "the manifest has no version"
	ManifestOddTool    Fault = "a tool is of a kind that is none"
	ManifestKeyless    Fault = "a write takes no key"
	ManifestOddPack    Fault = "a pack lists a tool that does not name it"
	ManifestNoETag     Fault = "the manifest has no etag"
	ManifestAlwaysNew  Fault = "no etag holds"
	ManifestNeverSame  Fault = "two fetches give two manifests"
	ManifestOfSwitches Fault = "switches do not show in the manifest"
)

// The faults of every answer.
const (
	EchoesOtherTool  Fault = "answers name another tool"
	EchoesOtherCall  Fault = "answers name another call"
	EchoesOtherTrace Fault = "answers name another trace"
	OKWithoutResult  Fault = "successes have no result"
	FailsWithResult  Fault = "failures carry a result"
	FailsWithEffect  Fault = "failures carry an effect"
	FailsSilently    Fault = "failures have no message"
	FailsOddly       Fault = "failures have a code that is none"
	IgnoresContext   Fault = "a call outlives its context"
)

// The faults of reading and refusing.
const (
	ReadNamesCommand   Fault = "a read names a command"
	ReadWrites         Fault = "a read makes a revision"
	ReadHidesRevision  Fault = "a read tells no revision"
	ReadOfAnother      Fault = "a read gives another page"
	ReadForgetsIDs     Fault = "a read's audit names no document"
	ReadKeyBinds       Fault = "a read's key refuses the next read"
	RunsUnknownTools   Fault = "unknown tools succeed"
	RunsPlannedTools   Fault = "planned tools succeed"
	TakesAnyArgs       Fault = "arguments are not checked"
	NamesNoViolation   Fault = "bad arguments are not named"
	FindsAnother       Fault = "a missing document is another one"
	NeedsNoDocument    Fault = "a call without a document reads one"
	ServesAnyWorkspace Fault = "any workspace is served"
	LeaksTitles        Fault = "refusals name the page"
)

// The faults of grants.
const (
	TellsHidden    Fault = "a hidden page is told from an absent one"
	IgnoresNarrow  Fault = "documentIds do not narrow"
	IgnoresScopes  Fault = "scope words do not narrow"
	IgnoresLevels  Fault = "levels do not limit"
	IgnoresExpiry  Fault = "grants never expire"
	PlansForShared Fault = "a shared reader may plan"
	NoPlansForRead Fault = "a reader may not plan"
)

// The faults of writes and plans.
const (
	WriteKeepsRevision Fault = "a write tells the old revision"
	WriteNamesNothing  Fault = "a write names no command"
	WriteWithoutID     Fault = "a write has no command id"
	WriteSharesID      Fault = "all writes share a command id"
	WriteIsLost        Fault = "a write succeeds and writes nothing"
	IgnoresKeys        Fault = "a key binds nothing"
	ReplaysUnmarked    Fault = "a replay is not marked"
	ReplaysAnew        Fault = "a replay has a new command id"
	KeyTakesAnything   Fault = "a key takes other content"
	IgnoresRevisions   Fault = "expectedRevision is not compared"
	ConflictsBlindly   Fault = "a conflict hides the current revision"
	UndoDoesNothing    Fault = "an undo changes nothing"
	UndoSharesID       Fault = "an undo has the id of what it undoes"
	UndoIsPlanned      Fault = "the undo is planned, and refused" // no fault: a kernel that grows
	UndoRunsPlanned    Fault = "the undo is planned, and runs"
	UndoRepeats        Fault = "an undo can be had twice"
	DryRunWrites       Fault = "a dry run writes"
	DryRunSaysWrite    Fault = "a dry run says that it wrote"
	DryRunHasNoDiff    Fault = "a dry run shows no diff"
	DryRunUsesKey      Fault = "a dry run uses up its key"
	DryRunIgnoresRev   Fault = "a dry run compares no revision"
	PlanBindsNothing   Fault = "a plan takes other content"
	PlanRepeats        Fault = "a plan can be used twice"
	SavesAnything      Fault = "a write without content succeeds"
	PlanMiscounts      Fault = "a plan promises another revision"
)

// The faults of switches.
const (
	ListsNoPacks       Fault = "not one pack is listed"
	ListsHalfPacks     Fault = "packs are listed without their tools"
	ListsHalfTools     Fault = "a tool is not listed"
	SkillsDisagree     Fault = "the skill view shows other switches"
	SwitchesDoNothing  Fault = "a switch that is off refuses nothing"
	SwitchesLookOn     Fault = "a switch that is off is shown as on"
	SwitchesSayNothing Fault = "a disabled tool says no reason"
	SwitchesForget     Fault = "a pack switched on switches its tools on"
	SkillSwitchApart   Fault = "the skill switch is another one"
	SwitchesFixed      Fault = "a pack that is not toggleable can be switched"
	SwitchesAnything   Fault = "an unknown id can be switched"
	SwitchesWrongly    Fault = "a toggle answers the opposite"
)

// has reports whether the kernel has the fault.
func (f *Fake) has(x Fault) bool { return slices.Contains(f.faults, x) }
