package capabilities

import "context"

// Source fetches a kernel's manifest. With etag it may answer ErrNotModified.
// Every other error means nothing is known and the last manifest stays.
type Source interface {
	Manifest(ctx context.Context, etag string) (Manifest, error)
}
