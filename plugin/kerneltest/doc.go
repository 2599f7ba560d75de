// Package kerneltest runs the contract checks of plugin/conform as tests: the
// suite that any plugin.Kernel must pass. Only tests import it.
//
// A Fake is a kernel in memory that keeps the contract, for tests of what
// stands above a kernel. A Fault makes it break one clause on purpose: that is
// how the checks themselves are tested.
package kerneltest
