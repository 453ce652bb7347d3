package truth

import (
	"context"

	"unchoke/internal/tools/diagnosis/draw"
)

// steadyRun is the plan for what one stream carries in the long run: slow start
// and CUBIC's first descent are left out, and a dozen seconds counted, which
// hold what a path repeats.
func steadyRun(d draw.Draw, way draw.Direction) Seconds {
	j := judge{draw: d, most: 20}
	p := j.plan(way)
	p.Omit, p.Count = max(p.Omit, 3), min(max(p.Count, 12), 20)
	return p
}

// Carried is what one stream carries in a direction where the sender has a
// congestion control: a run a seed, and the third only where the first two do not both
// have nine tenths of what the path lets pass, and the median with them, or where the path
// changes with time.
func Carried(ctx context.Context, r Runner, d draw.Draw, way draw.Direction, cc string) ([]Run, error) {
	s := d.Scene
	set(&s, way == draw.Up, "net.ipv4.tcp_congestion_control="+cc)
	var runs []Run
	for i, full := 0, 0; i < Seeds && (full <= Seeds/2 || d.Scheduled); i++ {
		seed, p := begins(d, i, steadyRun(d, way))
		run, err := r.Run(ctx, s, seed, way, p)
		if err != nil {
			return nil, err
		}
		runs = append(runs, run)
		if run.Rate > fills*goodput*d.Ceiling[way] {
			full++
		}
	}
	return runs, nil
}

// fills is the share of the path from which a run has nearly all of it.
const fills = 0.9

// Rate is the median of the runs' rates in bit/s.
func Rate(runs []Run) float64 {
	rates := make([]float64, len(runs))
	for i, r := range runs {
		rates[i] = r.Rate
	}
	return Median(rates)
}
