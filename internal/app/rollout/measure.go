package rollout

import (
	"context"
	"time"

	"unchoke/internal/app"
	"unchoke/internal/app/request"
	"unchoke/internal/compare"
	"unchoke/internal/fleet"
	"unchoke/internal/fleet/inventory"
	"unchoke/internal/probe/trial"
	"unchoke/internal/record"
)

// Measure makes so many measurements of what one stream carries between this
// host and another one, in each direction, interleaved. They are kept as the
// record of a comparison of the directions.
func Measure(ctx context.Context, q request.Request, h inventory.Host, s fleet.Settings, seed uint64, progress request.Progress) (fleet.Rates, error) {
	q.Target, q.SSH = h.Target(), h.SSH
	c, _, err := app.Compare(ctx, app.CompareRequest{
		Request: q,
		Arms: []record.Arm{
			{Name: "direction=" + string(record.Down), Direction: record.Down},
			{Name: "direction=" + string(record.Up), Direction: record.Up},
		},
		Config:   record.ComparisonConfig{Seed: seed, Blocks: s.Rounds, MaxBlocks: s.Rounds, Margin: compare.DefaultMargin},
		Duration: time.Duration(s.Seconds * float64(time.Second)), Omit: trial.Auto, Pause: trial.Auto,
		Wait: 5 * time.Second, Progress: progress,
	})
	var r fleet.Rates
	if c == nil {
		return r, err
	}
	if c.ID != "" {
		r.Records = []string{c.ID}
	}
	for _, t := range c.Trials {
		if t.Arm == 0 {
			r.Down = append(r.Down, t.Rate)
		} else {
			r.Up = append(r.Up, t.Rate)
		}
	}
	return r, err
}
