// Package clients knows the programs whose configuration can start us: one data
// file a client, and nothing else in the code knows a client by name.
//
// A Client says what one of them can take (Limits, Dialect), what to offer it
// (Offers), how to write a result for it (Results) and how it shows a tool's
// name. The client is named at launch (--client); clientInfo, which anyone may
// claim, changes only how a result is written: see Recognise.
//
// The package knows no protocol and no call.
package clients
