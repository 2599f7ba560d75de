package localkernel

import (
	"context"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/store"
)

// Undone says which of the commands are undone, each with the undo that stands,
// for people.
func (k *Kernel) Undone(ctx context.Context, commands []string) (map[string]string, error) {
	if k.state == nil || len(commands) == 0 {
		return nil, nil
	}
	k.stateReady()
	undone := map[string]string{}
	return undone, k.state.View(ctx, func(tx *store.Tx) error {
		for _, command := range commands {
			by, err := undoneBy(tx, command)
			if err != nil {
				return err
			}
			if by != "" {
				undone[command] = by
			}
		}
		return nil
	})
}
