package sqlite

import (
	"context"

	"github.com/mnote-dev/mnote-host/plugin/internal/file"
)

// hold takes the lock that stands for the file, for all who open, close or move
// it away, and gives what lets it go. A folder cannot be locked here.
func hold(ctx context.Context, path string, _ bool) (release func(), err error) {
	return file.Lock(ctx, path+".lock")
}
