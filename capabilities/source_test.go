package capabilities

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// source answers with f.
type source func(ctx context.Context, etag string) (Manifest, error)

func (f source) Manifest(ctx context.Context, etag string) (Manifest, error) { return f(ctx, etag) }

// kernel is a source whose manifest a test changes.
type kernel struct {
	tb    testing.TB
	mu    sync.Mutex
	doc   string
	etags []string // asked with
	fail  error
}

func (k *kernel) set(doc string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.doc = doc
}

func (k *kernel) breakWith(err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.fail = err
}

func (k *kernel) Manifest(_ context.Context, etag string) (Manifest, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.etags = append(k.etags, etag)
	tag := fmt.Sprintf("%q", k.doc)
	switch {
	case k.fail != nil:
		return Manifest{}, k.fail
	case etag == tag:
		return Manifest{}, ErrNotModified
	}
	m := mustRead(k.tb, []byte(k.doc))
	m.ETag = tag
	return m, nil
}

func doc(version string, tools ...string) string {
	var list []string
	for _, n := range tools {
		name, off := strings.CutSuffix(n, "!")
		list = append(list, fmt.Sprintf(`{"name":%q,"title":%q,"enabled":%v}`, name, version, !off))
	}
	return fmt.Sprintf(`{"manifestVersion":%q,"capabilities":[{"id":"p","skillId":"p"}],"tools":[%s]}`, version, strings.Join(list, ","))
}
