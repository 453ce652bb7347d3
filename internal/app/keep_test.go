package app

import (
	"testing"

	"unchoke/internal/record"
	"unchoke/internal/state"
)

// What was predicted counts at once, for a report on the record in hand, and is saved where
// the record is this user's own.
func TestKeepPrediction(t *testing.T) {
	t.Setenv("UNCHOKE_STATE_DIR", t.TempDir())
	store, err := state.DefaultStore()
	if err != nil {
		t.Fatal(err)
	}
	old := []record.Predicted{{Arm: record.Now, Direction: record.Up, Rate: 1e6}}
	predicted := []record.Predicted{{Arm: record.Now, Direction: record.Up, Rate: 2e6}}
	own := &record.Run{Schema: record.Schema, Predicted: old}
	if err := store.Save(own); err != nil {
		t.Fatal(err)
	}
	for name, run := range map[string]*record.Run{"own": own, "a file": {ID: "20260101-000000-abcdef", Predicted: old}} {
		if err := KeepPrediction(run, predicted); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(run.Predicted) != 1 || run.Predicted[0].Rate != 2e6 {
			t.Errorf("%s: in hand it has %+v", name, run.Predicted)
		}
	}
	saved := func() []record.Predicted {
		document, err := store.Load(own.ID)
		run, isRun := document.(*record.Run)
		if err != nil || !isRun {
			t.Fatalf("saved: %v, %+v", err, document)
		}
		return run.Predicted
	}
	if got := saved(); len(got) != 1 || got[0].Rate != 2e6 {
		t.Errorf("saved: %+v", got)
	}
	// Copies that are unlike the path leave nothing of what fewer of them had said.
	if err := KeepPrediction(own, nil); err != nil || len(own.Predicted) > 0 || len(saved()) > 0 {
		t.Errorf("refused: %v, in hand %+v, saved %+v", err, own.Predicted, saved())
	}
	if ids, err := store.IDs(); err != nil || len(ids) != 1 {
		t.Errorf("records %v, %v", ids, err)
	}
}
