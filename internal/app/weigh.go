//go:build !slim

package app

import (
	"context"

	"unchoke/internal/app/request"
	"unchoke/internal/record"
)

// WeighRequest asks what the causes that a check found cost, and what their
// remedies would gain.
type WeighRequest struct {
	request.Request // of the check: whose record is kept
	Run             *record.Run
	Progress        request.Progress
}

// Weigh tries, in the lab and quickly, a checked path without what impairs it
// and with the remedies. What comes of it goes into the record, where the
// diagnosis, a report and a plan read it.
func Weigh(ctx context.Context, q WeighRequest) error {
	p, err := Predict(ctx, PredictRequest{Run: q.Run, Causes: true, Quick: true, Progress: q.Progress})
	if err != nil {
		return err
	}
	if q.Run.Predicted = p.Arms; len(p.Arms) > 0 {
		q.Save(q.Run, &q.Run.Warnings)
	}
	return nil
}
