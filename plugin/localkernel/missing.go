package localkernel

import (
	"context"
	"time"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/store"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
)

// An editor that saves by putting the old file aside first leaves an instant in
// which there is no page. One that was there a moment ago is looked for again:
// mostMissing in all, a look each missingPause.
const (
	mostMissing  = 100 * time.Millisecond
	missingPause = 5 * time.Millisecond
)

// loadKnown is load, and looks again where a page is missing that known says was
// there.
func (k *Kernel) loadKnown(c *call, id vault.ID, known func() bool) (*document, error) {
	d, err := k.load(c, id)
	if !isNotFound(err) || !known() {
		return d, err
	}
	for waited := time.Duration(0); isNotFound(err) && waited < mostMissing; waited += missingPause {
		k.opts.pause(missingPause)
		d, err = k.load(c, id)
	}
	return d, err
}

func isNotFound(err error) bool {
	return err != nil && tools.AsError(err).Code == tools.CodeDocumentNotFound
}

// wasThere reports whether a page was there when it was last looked at.
func (k *Kernel) wasThere(ctx context.Context, id vault.ID) (was bool) {
	if k.state == nil {
		return false
	}
	k.stateReady()
	err := k.state.View(ctx, func(tx *store.Tx) error {
		was = wasThere(tx, id)
		return nil
	})
	return err == nil && was
}

func wasThere(tx *store.Tx, id vault.ID) bool {
	seen, found, err := tx.Document(string(id))
	return err == nil && found && seen.Hash != ""
}

// noteGone notes that a page which was seen is not there, so that it has a new
// revision should it come back.
func (k *Kernel) noteGone(ctx context.Context, id vault.ID) {
	if !k.wasThere(ctx, id) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, readPatience)
	defer cancel()
	if err := k.state.Update(ctx, func(tx *store.Tx) error {
		if err := k.settle(tx, string(id)); err != nil {
			return err
		}
		if _, err := k.folder.Lookup(id); err == nil {
			return nil
		}
		_, err := tx.See(string(id), "")
		return err
	}); err != nil {
		k.opts.Log.Warn().Err(err).Msg("a page that is gone cannot be noted")
	}
}
