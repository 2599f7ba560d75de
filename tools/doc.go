// Package tools says what one call is: the contract of seed 7-6 as Go values.
//
// A Tool is a declaration from a kernel's manifest; tools are declared here and
// run by a kernel (the local one is plugin/localkernel). Its Name is dotted
// (mnote.page.get), its wire name is what a model sees (mnote_page_get). A Call
// is the request to run a tool, an Envelope the answer to it; a refusal is an
// Envelope with OK=false that was made before anything was sent. An Error has
// one stable Code for machines and a text in each Lang for people. A Grant is
// what the person gave a session, and its Level and Scopes say how much.
//
// The package knows no protocol, no manifest document and no kernel.
package tools
