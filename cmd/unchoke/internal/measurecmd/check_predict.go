//go:build !slim

package measurecmd

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"unchoke/cmd/unchoke/internal/cli"
	usecase "unchoke/internal/app"
	"unchoke/internal/app/request"
	"unchoke/internal/diagnose"
	"unchoke/internal/lab"
	"unchoke/internal/lab/kernel"
	"unchoke/internal/record"
	"unchoke/internal/state"
	"unchoke/internal/twin"
)

// quickPrediction is how long a check waits for its prediction.
const quickPrediction = 5 * time.Second

// weigh tries what was found by a check that was just made. A check is whole
// without it: where the lab has no kernel, takes too long or does not understand
// the path, there is none, and unchoke predict says why.
func weigh(ctx context.Context, q request.Request, run *record.Run, progress request.Progress) {
	if lab.Inside() || !haveKernel() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, quickPrediction)
	defer cancel()
	_ = usecase.Weigh(ctx, usecase.WeighRequest{Request: q, Run: run, Progress: progress})
}

func haveKernel() bool {
	_, err := kernel.Find(kernel.Places(), "")
	return err == nil
}

// hintAtPrediction says once to each user what a lab kernel is good for: where a
// remedy could have been tried, and there is none.
func hintAtPrediction(a *cli.App, run *record.Run) {
	if lab.Inside() || haveKernel() {
		return
	}
	if arms, _ := twin.Remedies(diagnose.Diagnose(run)); len(arms) == 0 {
		return
	}
	store, err := state.DefaultStore()
	if err != nil {
		return
	}
	said := filepath.Join(filepath.Dir(store.Dir), "hinted-at-predict")
	f, err := os.OpenFile(said, os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return // said before, or nowhere to note it
	}
	if err == nil {
		f.Close()
	}
	a.Tell("hint: install the package unchoke-lab-kernel, or: unchoke lab kernel build; then check and predict say what each remedy would gain, before anything is changed")
}
