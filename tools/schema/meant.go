package schema

import (
	"slices"

	"github.com/mnote-dev/mnote-host/tools"
)

// sameThing are words that the tools of other hosts have for one thing; what a
// model remembers of those it tries here. Of groups that share a word the first
// with a known argument counts.
var sameThing = [][]string{
	{"documentid", "document", "doc", "page", "note", "file", "path", "filename", "filepath", "uri", "url"},
	{"folder", "directory", "dir", "root", "parent", "path"},
	{"content", "text", "body", "markdown", "value"},
	{"title", "name", "heading"},
	{"underheading", "heading", "section", "under"},
	{"after", "afterblockid", "below"},
	{"before", "beforeblockid", "above"},
	{"query", "q", "search", "keyword", "keywords", "term"},
	{"limit", "max", "count", "size", "top", "pagesize"},
	{"cursor", "offset", "page", "pagetoken", "nextcursor"},
	{"dryrun", "preview", "simulate"},
}

// meant gives the argument that an unknown word most likely stands for: another
// word for the same thing, or one that is written nearly so. There may be none.
func meant(word string, known []string) (string, bool) {
	for _, group := range sameThing {
		if !slices.Contains(group, tools.Fold(word)) {
			continue
		}
		if i := slices.IndexFunc(known, func(k string) bool { return slices.Contains(group, tools.Fold(k)) }); i >= 0 {
			return known[i], true
		}
	}
	for _, near := range tools.Nearest(word, known, 1) {
		return near, tools.Alike(word, near)
	}
	return "", false
}
