package localkernel

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
)

// Bounds of the advice on a document that is not there.
const (
	maxNear   = 3
	maxLooked = 2000
)

var textNoDocumentNear = tools.Text{
	ZH: "没有这个文档，或者不在授权范围内；名字相近的有：%s；用 mnote.doc.list 查看全部",
	EN: "no such document, or it is outside what was granted; alike are: %s; mnote.doc.list shows all there is",
}

// withNear adds to the refusal of a document that is not there the ids that look
// like the one asked for: a name without its folder, its ending or its case. Only
// what the grant reaches is looked at, and no file is read.
func (k *Kernel) withNear(ctx context.Context, c *call, err error) error {
	e, ok := errors.AsType[*tools.Error](err)
	if !ok || e.Code != tools.CodeDocumentNotFound || e.Details["reason"] != nil || c.Document() == "" {
		return err
	}
	near := alikeIDs(c.Document(), k.pagesAround(ctx, c))
	if len(near) == 0 {
		return err
	}
	return tools.Errorf(e.Code, textNoDocumentNear, strings.Join(near, ", ")).With("nearest", near)
}

// pagesAround gives ids of pages: first those of the folder that was asked in,
// then all others, as far as a refusal may take time.
func (k *Kernel) pagesAround(ctx context.Context, c *call) []string {
	var ids []string
	looked, seen := 0, map[vault.ID]bool{}
	visit := func(e vault.Entry) error {
		if looked++; looked > maxLooked || ctx.Err() != nil {
			return fs.SkipAll
		}
		if enter := k.lists(c.access, e); enter != nil {
			return enter()
		}
		if e.Kind == vault.KindPage && !seen[e.ID] {
			ids, seen[e.ID] = append(ids, string(e.ID)), true
		}
		return nil
	}
	if dir, err := vault.ParseID(path.Dir(c.Document())); err == nil && k.listable(c.access, dir) {
		_ = k.folder.Walk(vault.Listing{Folder: dir, Depth: 1}, visit) // there may be no such folder
	}
	_ = k.folder.Walk(vault.Listing{}, visit) // what cannot be listed is no advice
	return ids
}

// alikeIDs picks the ids whose name is the wanted one's but for folder, ending,
// case and marks, else those whose name is nearly so.
func alikeIDs(wanted string, ids []string) []string {
	var same, names []string
	byName := map[string]string{}
	for _, id := range ids {
		name := stem(id)
		switch _, seen := byName[name]; {
		case id == wanted:
		case tools.Fold(name) == tools.Fold(stem(wanted)) && tools.Fold(name) != "":
			same = append(same, id)
		case !seen && tools.Alike(stem(wanted), name):
			names, byName[name] = append(names, name), id
		}
	}
	if len(same) > 0 {
		return same[:min(len(same), maxNear)]
	}
	var near []string
	for _, name := range tools.Nearest(stem(wanted), names, maxNear) {
		near = append(near, byName[name])
	}
	return near
}

// stem is a document's name without its folder and ending.
func stem(id string) string { return strings.TrimSuffix(path.Base(id), path.Ext(id)) }
