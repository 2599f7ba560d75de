package localkernel

import (
	"errors"

	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/store"
	"github.com/mnote-dev/mnote-host/plugin/localkernel/internal/vault"
	"github.com/mnote-dev/mnote-host/tools"
)

// settle finds out what became of the writes to a document that were cut off,
// and makes the state say the same as the file. It runs under the state's write
// lock, so that no owner of such a write is at work.
func (k *Kernel) settle(tx *store.Tx, key string) error {
	open, err := tx.Intents(key)
	if err != nil {
		return err
	}
	for _, i := range open {
		if err := k.settleOne(tx, i); err != nil {
			return err
		}
	}
	return nil
}

// catchUp settles, with this process's first write, whatever was cut off before,
// so that nothing of it is left in folders that nobody asks for again. What
// cannot be settled now is left to whoever asks for it: it is no fault of the
// write that is made.
func (k *Kernel) catchUp(tx *store.Tx) error {
	if k.caughtUp.Load() {
		return nil
	}
	open, err := tx.OpenIntents()
	for _, i := range open {
		if err != nil {
			break
		}
		err = k.settleOne(tx, i)
		if refusal, isRefusal := errors.AsType[*tools.Error](err); isRefusal { // nothing was noted of it
			k.opts.Log.Warn().Err(refusal).Str("trace", i.Command.Trace).Msg("a write that was cut off cannot be settled yet")
			err = nil
		}
	}
	if err == nil {
		k.caughtUp.Store(true)
	}
	return err
}

func (k *Kernel) settleOne(tx *store.Tx, i store.Intent) error {
	after, _, err := tx.Content(i.After)
	if err != nil {
		return err
	}
	found, err := k.folder.Settle(vault.Write{Path: i.Disk, Temp: i.Temp, Before: i.Before, After: i.After}, after)
	if err != nil {
		return coded(err)
	}
	k.opts.Log.Info().Str("outcome", string(found.Outcome)).Str("trace", i.Command.Trace).Msg("a write that was cut off is settled")
	if err := keepStray(tx, i.Path, found.Stray); err != nil {
		return err
	}
	switch found.Outcome {
	case vault.Done:
		k.sweep(i)
		_, err = tx.Finish(i)
	case vault.Dropped:
		err = tx.Drop(i)
	default:
		err = tx.Doubt(i)
	}
	return err
}

// keepStray gives another program's save that lost its place to a still later
// one a revision of its own, so that the history has it.
func keepStray(tx *store.Tx, key string, stray []byte) error {
	if stray == nil {
		return nil
	}
	hash, err := tx.PutContent(stray)
	if err != nil {
		return err
	}
	_, err = tx.See(key, hash)
	return err
}
