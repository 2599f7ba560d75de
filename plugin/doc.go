// Package plugin decides about a call and runs it.
//
// A Host is this program's core: one registry, one ledger, one Kernel. A
// Session is one conversation with its ids, grant and workspace; its Call takes
// a tool's name and raw arguments through the steps of the pipeline (resolve,
// gate, decode, bind, authorise, replay, confirm, claim, forward, verify,
// record) and always answers with an envelope. Faces hand in Meta and a
// Confirmer; they cannot reach a guard.
//
// Inside, a stage is where a call is on its way, and its trail is what is known
// of it so far: enough to refuse it and to record it. A write that its caller
// has left, or whose answer is on its way out, is pending: an equal one without
// a key is then its retry.
//
// A write that needs a yes which nobody can give in its call waits as a plan: its
// dry run is shown to a person, who approves or declines it outside the call, and
// the same write then passes once. Where a kernel keeps no plans the host does.
//
// It knows no wire protocol and no HTTP, and not which kernel answers.
package plugin
