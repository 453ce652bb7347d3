package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	usecase "unchoke/internal/app"
	"unchoke/internal/compare"
	"unchoke/internal/lab/preset"
	"unchoke/internal/record"
	"unchoke/internal/report/render"
	"unchoke/internal/stats"
	"unchoke/internal/tools/diagnosis/ask"
	"unchoke/internal/tools/diagnosis/draw"
	"unchoke/internal/twin"
)

// predictedHead begins the table of what a check alone predicts.
const predictedHead = `| preset | a check says | arm | reported | predicted, nine of ten in | its ratio | predicted ratio |
|---|---|---|---:|---:|---:|---:|
`

// predictAll checks the path of each preset and prints what the record of that
// check alone predicts, beside what the article reported.
func predictAll(ctx context.Context, unchoke string, presets []preset.Preset, seed uint64, stdout, stderr io.Writer) error {
	fmt.Fprint(stdout, predictedHead)
	for _, p := range presets {
		began := time.Now()
		said, prediction, err := foresee(ctx, unchoke, p, seed)
		if err != nil {
			return fmt.Errorf("preset %s: %w", p.Name, err)
		}
		fmt.Fprint(stdout, predictedRows(p, said, prediction))
		fmt.Fprintf(stderr, "%s: %.0f s\n", p.Name, time.Since(began).Seconds())
	}
	return nil
}

// foresee checks a preset's path against stock iperf3, and predicts its arms.
func foresee(ctx context.Context, unchoke string, p preset.Preset, seed uint64) (verdict string, _ twin.Prediction, err error) {
	said := ask.Check(ctx, unchoke, ask.IPerf3, draw.Draw{
		Lab: seed, Scene: draw.Scene{Path: p.Path, NearSysctl: p.NearSysctl, FarSysctl: p.FarSysctl},
	})
	if said.Error != "" {
		return "", twin.Prediction{}, fmt.Errorf("check: %s", said.Error)
	}
	run, err := record.Read(bytes.NewReader(said.Record))
	if err != nil {
		return "", twin.Prediction{}, fmt.Errorf("the check left no record: %w", err)
	}
	q := usecase.PredictRequest{Run: run}
	for _, text := range p.Arms {
		arm, err := compare.ParseArm(text)
		if err != nil {
			return "", twin.Prediction{}, err
		}
		arm.Direction = record.Direction(p.Direction)
		q.Arms = append(q.Arms, arm)
	}
	prediction, err := usecase.Predict(ctx, q)
	return string(said.Verdict), prediction, err
}

// predictedRows are a preset's arms as rows of a markdown table.
func predictedRows(p preset.Preset, verdict string, prediction twin.Prediction) string {
	var b strings.Builder
	base := predictedOf(prediction, p, 0)
	for i, text := range p.Arms {
		cells := make([]string, 7)
		if i == 0 {
			cells[0], cells[1] = p.Name, verdict
		}
		cells[2] = strings.NewReplacer("cc=", "", "streams=", "", ",", " × ").Replace(text)
		var told preset.Figure
		if i < len(p.Claim.Arms) {
			told = p.Claim.Arms[i]
		}
		cells[3], cells[5] = render.RateRange(told.Rate), render.RatioRange(ratio(p, i))
		switch said := predictedOf(prediction, p, i); {
		case said == nil:
			cells[4] = "refused"
		default:
			cells[4] = render.RateInterval(said.Rate, stats.Interval{Low: said.Low, High: said.High})
			if i > 0 && base != nil && base.Rate > 0 {
				cells[6] = render.Times(said.Rate / base.Rate)
			}
		}
		b.WriteString(render.MarkdownRow(cells...))
	}
	return b.String()
}

// predictedOf is what was predicted of a preset's arm; nil where its direction
// was refused.
func predictedOf(prediction twin.Prediction, p preset.Preset, arm int) *record.Predicted {
	parsed, err := compare.ParseArm(p.Arms[arm])
	if err != nil {
		return nil
	}
	for i := range prediction.Arms {
		if a := &prediction.Arms[i]; a.Arm == parsed.Name && string(a.Direction) == p.Direction {
			return a
		}
	}
	return nil
}

// ratio is what the source has of an arm over the baseline, by its own words or
// its rates.
func ratio(p preset.Preset, arm int) stats.Interval {
	if arm == 0 || arm >= len(p.Claim.Arms) {
		return stats.Interval{}
	}
	told, base := p.Claim.Arms[arm], p.Claim.Arms[0]
	if told.Ratio.High > 0 || base.Rate.Low <= 0 {
		return told.Ratio
	}
	return stats.Interval{Low: told.Rate.Low / base.Rate.High, High: told.Rate.High / base.Rate.Low}
}
