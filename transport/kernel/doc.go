// Package kernel carries calls to a kernel over HTTP and brings envelopes back.
//
// A Client speaks kernel-api: the manifest, one endpoint for calls, the lists
// and switches for people. It reads tolerantly (the short forms of seed 7-6 are
// completed, members it does not know are kept) and says exactly what is known
// of a call that got no answer: mnote_kernel_unavailable when nothing was sent,
// mnote_tool_timeout with outcome unknown once a write may be out. A fault, in
// this package, is a call without an answer; a breach is an answer that breaks
// the contract.
//
// Retry, Breaker and Log are kernels around a kernel; their order is one
// visible expression in cmd. InProcess carries the same bytes to an
// http.Handler without a port.
//
// It knows no session, no guard and no face, and not which kernel answers.
package kernel
