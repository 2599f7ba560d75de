// Package conform holds the contract checks: what every kernel must keep,
// whoever wrote it, told as plain functions without testing.
//
// A Check tries one clause of kernel-api on a Subject: a kernel, and what may
// be done to it. A check that writes leaves the document as it found it.
// plugin/kerneltest runs the checks as tests, mnote-host conform prints them.
//
// It knows no transport and no local kernel. The names of the tools that it
// calls are data (script.json).
package conform
