// Package guard holds the rules of a call's steps 2, 4 and 5: one small
// function a rule, each with one error code.
//
// A guard is a verb or the name of what it looks at, refuses with a
// *tools.Error or returns nil, and reads nothing but its arguments: no clock, no
// disk, no kernel. So it can never tell whether a thing outside the grant
// exists. Bounds are what a session may reach; a Reach is what one call wants
// of them. Sent and Missing belong to step 4, bind; Gate to step 2; Authorise
// lists the guards of step 5 in their order.
package guard
