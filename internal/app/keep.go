package app

import (
	"slices"

	"unchoke/internal/record"
	"unchoke/internal/state"
)

// KeepPrediction puts what was predicted of a path into its record, where the
// diagnosis, a plan and a comparison find it. It saves a record of this user's
// store alone: a file, or another user's record, stays as it is.
func KeepPrediction(run *record.Run, predicted []record.Predicted) error {
	run.Predicted = predicted
	store, err := state.DefaultStore()
	if err != nil {
		return nil // there is none
	}
	ids, err := store.IDs()
	if err != nil || !slices.Contains(ids, run.ID) {
		return err
	}
	return store.Save(run)
}
