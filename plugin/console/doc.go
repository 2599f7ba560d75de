// Package console is the page for people: 能力 (packs and their switches), 记录
// (the audit as a timeline, with diff and undo), 计划 (writes that wait for a
// yes).
//
// A Console is an http.Handler of server-rendered pages, embedded, that work
// without script and load nothing from elsewhere. It serves this machine only:
// a one-time link, made by Link, opens a login, which is a cookie and a token
// against forged forms. What it shows and changes are its Records, which cmd
// puts together.
//
// It knows no kernel and no database.
package console
