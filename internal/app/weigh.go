package app

import (
	"context"

	"unchoke/internal/record"
	"unchoke/internal/twin"
)

// WeighRequest asks what the causes that a check found cost, and what their
// remedies would gain.
type WeighRequest struct {
	Request  // of the check: whose record is kept
	Run      *record.Run
	Progress Progress
}

// Weigh tries, in the lab and quickly, a checked path without what impairs it
// and with the remedies. What it finds of causes goes into the record, where
// diagnose reads it.
func Weigh(ctx context.Context, q WeighRequest) ([]twin.Predicted, error) {
	p, err := Predict(ctx, PredictRequest{Run: q.Run, Causes: true, Quick: true, Progress: q.Progress})
	if err != nil {
		return nil, err
	}
	if q.Run.Counterfactuals = p.Counterfactuals(); len(q.Run.Counterfactuals) > 0 {
		q.save(q.Run, &q.Run.Warnings)
	}
	return p.Remedies(), nil
}
