package localkernel

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/store"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
)

var (
	textArtifactCut = tools.Text{
		ZH: "长的内容只列出开头（truncated）；把该条的 contentCursor 作为 cursor 再调用 mnote.artifact.list，可读到其余部分",
		EN: "of a long text the list has the start (truncated); mnote.artifact.list with its contentCursor as cursor reads on",
	}
	textArtifactStale = tools.Text{
		ZH: "给出这个 cursor 之后该条内容变了；请去掉 cursor 重新列出",
		EN: "the text changed since this cursor was given; leave the cursor out and list again",
	}
)

// artifactPartMark begins the cursor that reads on in one artifact's text.
const artifactPartMark = "t1"

// artifactPlace is where in which state of an artifact's text a part begins.
type artifactPlace struct {
	at       int
	revision int64
	node     string
}

func (p artifactPlace) cursor(key string) string {
	place := strconv.Itoa(p.at) + "-" + strconv.FormatInt(p.revision, 10) + "-" + p.node
	return placeCursor(artifactPartMark, place, key)
}

// readArtifactPlace reads a cursor; that of the list itself, or none, is no part.
func readArtifactPlace(cursor, key string) (p artifactPlace, isPart bool, err error) {
	if !strings.HasPrefix(cursor, artifactPartMark+cursorSeparator) {
		return p, false, nil
	}
	_, err = readPlaceCursor(artifactPartMark, cursor, key, func(place string) bool {
		words := strings.SplitN(place, "-", 3)
		if len(words) != 3 {
			return false
		}
		var atErr, revisionErr error
		p.at, atErr = strconv.Atoi(words[0])
		p.revision, revisionErr = strconv.ParseInt(words[1], 10, 64)
		p.node = words[2]
		return atErr == nil && revisionErr == nil && p.at > 0 && p.node != ""
	})
	return p, true, err
}

// artifactPart reads on in the text of one artifact, as far as fits a reply.
func artifactPart(tx *store.Tx, id vault.ID, key string, p artifactPlace) (artifactList, error) {
	out := artifactList{Artifacts: []artifact{}}
	n, found, err := tx.Node(p.node)
	switch {
	case err != nil:
		return out, err
	case !found || n.Path != key:
		return out, badCursor()
	case n.Revision != p.revision:
		return out, tools.Errorf(tools.CodeConflict, textArtifactStale).With("reason", "cursor_stale")
	}
	text, err := textOf(tx, n.Hash)
	if err != nil {
		return out, err
	}
	if p.at >= len(text) || !utf8.RuneStart(text[p.at]) {
		return out, badCursor()
	}
	a := artifactOf(id, n)
	a.Part = true
	for share := maxReply; ; share = share * 9 / 10 { // bytes are no characters of JSON
		a.show(text, p.at, share, key)
		if jsonSize(a) <= maxReply || share <= minShare {
			break
		}
	}
	out.Artifacts = append(out.Artifacts, a)
	return out, nil
}

// show puts so much of a text into the line, from a place on, and says how to
// read on.
func (a *artifact) show(text []byte, at, limit int, key string) {
	n := upTo(text[at:], limit)
	a.Content = string(bytes.ToValidUTF8(text[at:at+n], []byte("\uFFFD")))
	a.Truncated, a.ContentCursor = at+n < len(text), ""
	if a.Truncated {
		a.ContentCursor = artifactPlace{at + n, a.Revision, a.NodeID}.cursor(key)
	}
}

// upTo is how many bytes of a text fit a limit, cut at a character.
func upTo(text []byte, limit int) int {
	if len(text) <= limit {
		return len(text)
	}
	n := limit
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	if n == 0 { // no text at all
		return limit
	}
	return n
}
