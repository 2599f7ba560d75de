package page_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/page"
	"github.com/mnote-dev/mnote-host/tools"
)

// These checks are written against the public face alone, so that they do not
// share a fault with the code they check.

// wholeFile checks that the blocks and the blank lines between them are the
// file, and that no two ids are equal.
func wholeFile(p *page.Page) error {
	src, at := p.Bytes(), 0
	if p.BOM() {
		at = 3
	}
	seen := map[string]bool{}
	var joined bytes.Buffer
	joined.Write(src[:at])
	for _, b := range p.Blocks() {
		if b.Start < at || b.End <= b.Start || b.End > len(src) {
			return fmt.Errorf("block %s lies at [%d,%d) behind %d", b.ID, b.Start, b.End, at)
		}
		if len(bytes.Trim(src[at:b.Start], " \t\r\n")) > 0 {
			return fmt.Errorf("text before block %s belongs to none", b.ID)
		}
		if seen[b.ID] {
			return fmt.Errorf("two blocks have the id %s", b.ID)
		}
		seen[b.ID] = true
		joined.Write(src[at:b.Start])
		joined.WriteString(p.Source(b))
		at = b.End
	}
	if len(bytes.Trim(src[at:], " \t\r\n")) > 0 {
		return errors.New("text behind the last block belongs to none")
	}
	joined.Write(src[at:])
	if !bytes.Equal(joined.Bytes(), src) {
		return errors.New("the blocks joined are not the file")
	}
	return nil
}

var ordinal = regexp.MustCompile(`_\d+$`)

// ids gives the blocks' ids without the ordinals of equal ones.
func ids(p *page.Page) []string {
	var out []string
	for _, b := range p.Blocks() {
		out = append(out, ordinal.ReplaceAllString(b.ID, ""))
	}
	return out
}

// outsideKept checks an edit that touched the blocks [from, to) of old: the
// bytes up to the block before and from the block behind on are the old ones,
// and so are those blocks' ids.
func outsideKept(old, now *page.Page, from, to int) error {
	src, out := old.Bytes(), now.Bytes()
	blocks := old.Blocks()
	head, tail := 0, len(src)
	if from > 0 {
		head = blocks[from-1].End
	} else if old.BOM() {
		head = 3
	}
	if to < len(blocks) {
		tail = blocks[to].Start
	} else if len(blocks) > 0 {
		tail = blocks[len(blocks)-1].End
	}
	if !bytes.HasPrefix(out, src[:head]) {
		return errors.New("bytes before the edit changed")
	}
	if len(now.Blocks()) > 0 && !bytes.HasSuffix(out, src[tail:]) {
		return errors.New("bytes behind the edit changed")
	}
	was, is := ids(old), ids(now)
	if len(is) < from+len(was)-to || !slices.Equal(was[:from], is[:from]) || !slices.Equal(was[to:], is[len(is)-(len(was)-to):]) {
		return fmt.Errorf("blocks outside the edit changed: %v to %v, touched [%d,%d)", was, is, from, to)
	}
	return nil
}

// insertKept checks an insertion before block k: nothing outside it changed, or
// a list beside the place grew, its old bytes at one end of the new ones.
func insertKept(old *page.Page, e *page.Edit, k int) error {
	err := outsideKept(old, e.Page, k, k)
	if err == nil {
		return nil
	}
	was, is := old.Blocks(), e.Page.Blocks()
	for _, at := range []int{k - 1, k} {
		if at < 0 || at >= len(was) || len(was) != len(is) || outsideKept(old, e.Page, at, at+1) != nil {
			continue
		}
		before, after := old.Source(was[at]), e.Page.Source(is[at])
		whole := at < k && strings.HasPrefix(after, before) || at == k && strings.HasSuffix(after, before)
		told := slices.ContainsFunc(e.Changes, func(c page.Change) bool { return c.OldID == was[at].ID && c.NewID == is[at].ID })
		if whole && told && strings.HasSuffix(string(was[at].Type), "List") && strings.HasSuffix(string(is[at].Type), "List") {
			return nil
		}
	}
	return err
}

// refusal gives the code and reason of an error that must be a coded one.
func refusal(err error) (tools.Code, string) {
	e, ok := errors.AsType[*tools.Error](err)
	if !ok {
		return "", fmt.Sprint(err)
	}
	reason, _ := e.Details["reason"].(string)
	if strings.Contains(e.In(tools.EN).Message, "%!") || strings.Contains(e.In(tools.ZH).Message, "%!") ||
		e.In(tools.EN).Message == "" || e.In(tools.ZH).Message == "" || e.Code == tools.CodeInternal || reason == "" {
		return "", "a badly made error: " + e.Error()
	}
	return e.Code, reason
}

// refusedFor checks that an edit was refused for one of the reasons.
func refusedFor(err error, reasons ...string) error {
	if _, reason := refusal(err); !slices.Contains(reasons, reason) {
		return fmt.Errorf("refused for %q, want one of %q", reason, reasons)
	}
	return nil
}

// given is a block as page.get gives it, through JSON.
func given(p *page.Page, b page.Block) page.Content {
	text := p.Text(b)
	c := page.Content{ID: b.ID, Type: b.Type, Level: b.Level, Text: &text}
	if source := p.Source(b); source != text {
		c.Source = &source
	}
	raw, err := json.Marshal(c)
	if err != nil {
		panic(err)
	}
	var out page.Content
	if err := json.Unmarshal(raw, &out); err != nil {
		panic(err)
	}
	return out
}

func givenAll(p *page.Page) []page.Content {
	var out []page.Content
	for _, b := range p.Blocks() {
		out = append(out, given(p, b))
	}
	return out
}

func text(s string) page.Content { return page.Content{Text: &s} }

func source(s string) page.Content { return page.Content{Source: &s} }

// outline is a page in short: a type and the source of each block.
func outline(p *page.Page) []string {
	var out []string
	for _, b := range p.Blocks() {
		out = append(out, string(b.Type)+": "+p.Source(b))
	}
	return out
}
