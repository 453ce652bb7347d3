//go:build !slim

package app

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"unchoke/internal/app/request"
	"unchoke/internal/finding"
	"unchoke/internal/hint"
	"unchoke/internal/state"
)

const lossyUp = "../diagnose/testdata/loss-limited--wireguard-up.json.gz"

// A plan knows what was measured and diagnosed, direction by direction.
func TestMeasured(t *testing.T) {
	run, err := state.ReadRun(lossyUp)
	if err != nil {
		t.Fatal(err)
	}
	m := Measured(run)
	if m.Target != run.Target || m.Tunnel != "wireguard" || m.RTT <= 0 {
		t.Errorf("%+v", m)
	}
	if !slices.Contains(m.Up.Causes, finding.LossLimited) || m.Up.CC != "cubic" || m.Up.Capacity <= m.Up.Rate {
		t.Errorf("up: %+v", m.Up)
	}
	if !slices.Equal(m.Down.Causes, []finding.Cause{finding.Healthy}) {
		t.Errorf("down: %+v", m.Down)
	}
}

func TestCheckFor(t *testing.T) {
	t.Setenv("UNCHOKE_STATE_DIR", t.TempDir())
	if run, err := CheckFor(""); run != nil || err != nil {
		t.Errorf("without any record: %v, %v", run, err)
	}
	if _, err := CheckFor("far"); !errors.Is(err, state.ErrNotFound) || !strings.Contains(hint.Of(err), "unchoke check far") {
		t.Errorf("an unknown target: %v", err)
	}
	run, err := CheckFor(lossyUp)
	if err != nil {
		t.Fatal(err)
	}
	store, err := state.DefaultStore()
	if err != nil {
		t.Fatal(err)
	}
	run.ID = ""
	if err := store.Save(run); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", LastRecord, run.ID, run.Target, request.Host(run.Target)} {
		if got, err := CheckFor(name); err != nil || got == nil || got.ID != run.ID {
			t.Errorf("%q: %v, %v", name, got, err)
		}
	}
}

// A directory with the name of a host is no record.
func TestTargetNamedAsADirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("UNCHOKE_STATE_DIR", t.TempDir())
	if err := os.Mkdir("far", 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := CheckFor("far"); !errors.Is(err, state.ErrNotFound) || !strings.Contains(err.Error(), "no check of far") {
		t.Errorf("%v", err)
	}
}
