package ask

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"time"

	"unchoke/internal/app"
	"unchoke/internal/diagnose"
	"unchoke/internal/record"
	"unchoke/internal/tools/diagnosis/score"
	"unchoke/internal/twin"
)

// Weigh tries copies of a checked path, as a check does that has the lab, and
// returns what it says then. Of a path of which no copy can be made it says the
// same.
func Weigh(ctx context.Context, s score.Said) (score.Said, error) {
	run, err := record.Read(bytes.NewReader(s.Record))
	if err != nil {
		return s, err
	}
	start := time.Now()
	err = app.Weigh(ctx, app.WeighRequest{Run: run})
	if err != nil && !errors.Is(err, twin.ErrNothing) && !errors.Is(err, twin.ErrTooFast) {
		return s, err
	}
	s.Weighed = time.Since(start).Seconds()
	if s.Record, err = json.Marshal(run); err != nil {
		return s, err
	}
	return s.Again(diagnose.Diagnose)
}
