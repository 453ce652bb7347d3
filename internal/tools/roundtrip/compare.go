package main

import (
	"math"

	"unchoke/internal/path"
	"unchoke/internal/record"
	"unchoke/internal/twin"
)

// comparison is a parameter's own value beside what a fit says of it.
type comparison struct {
	parameter string
	direction record.Direction // empty: of both together
	truth     float64
	fit       twin.Param
}

// within says whether the interval holds the value. What the lab rounds, and a
// probe's clock, is a hundredth, and a tenth of a millisecond of a time.
func (c comparison) within() bool {
	slack := 0.01 * c.truth
	if c.parameter == rtt || c.parameter == jitter {
		slack += 1e-4
	}
	return c.truth >= c.fit.Low-slack && c.truth <= c.fit.High+slack
}

// The parameters.
const (
	rtt          = "rtt"
	jitter       = "jitter"
	loss         = "loss"
	rate         = "rate"
	queue        = "queue"
	policerRate  = "policer-rate"
	policerBurst = "policer-burst"
	mtu          = "mtu"
)

// compare holds a path against its fit.
func compare(p path.Path, f twin.Fit) []comparison {
	delay := twin.Param{
		Value: f.Up.Delay.Value + f.Down.Delay.Value,
		Low:   f.Up.Delay.Low + f.Down.Delay.Low, High: f.Up.Delay.High + f.Down.Delay.High,
	}
	// Without jitter, the RTT is that; with some, the middle one.
	out := []comparison{{rtt, "", (p.Up.Delay + p.Down.Delay).Seconds(), delay}}
	if own := f.Path().MTU; p.MTU != 0 || own != 0 {
		have, want := float64(orDefault(own)), float64(orDefault(p.MTU))
		out = append(out, comparison{mtu, "", want, twin.Param{Value: have, Low: have, High: have}})
	}
	for _, d := range record.Directions {
		if f.Measured(d) {
			way := p.Down
			if d == record.Up {
				way = p.Up
			}
			out = append(out, direction(d, way, f.Way(d))...)
		}
	}
	return out
}

func orDefault(mtu int) int {
	if mtu == 0 {
		return path.DefaultMTU
	}
	return mtu
}

// direction compares what a direction has. Others' traffic makes a queue and a
// loss that are not the path's.
func direction(d record.Direction, p path.Direction, w twin.Way) []comparison {
	if p.Cross != (path.Cross{}) {
		return nil
	}
	out := []comparison{{jitter, d, p.Jitter.Seconds(), w.Jitter}}
	out = append(out, comparison{loss, d, float64(p.Loss.Mean()), w.Loss.Mean})
	if p.Policer.Rate > 0 {
		r, b := buckets(w.Policer)
		return append(out, comparison{policerRate, d, float64(p.Policer.Rate), r}, comparison{policerBurst, d, float64(p.Policer.Burst), b})
	}
	limit := p.Rate
	if p.SQM.Shaper != "" {
		limit = p.SQM.Rate
	}
	if limit == 0 {
		return out
	}
	out = append(out, comparison{rate, d, float64(limit), w.Rate})
	if n := queueBytes(p); n > 0 && w.Queue.Wait.Known() {
		out = append(out, comparison{queue, d, n * 8 / float64(p.Rate), w.Queue.Wait})
	}
	return out
}

// queueBytes is a queue's length; 0 where it manages itself.
func queueBytes(p path.Direction) float64 {
	switch {
	case p.Queue.AQM != "" || p.SQM.Shaper != "":
		return 0
	case p.Queue.Packets > 0:
		return float64(p.Queue.Packets) * 1514
	}
	return float64(p.Queue.Bytes)
}

// buckets is the range of the buckets that could be.
func buckets(p twin.Policer) (rate, burst twin.Param) {
	rate, burst = twin.Param{Low: math.Inf(1)}, twin.Param{Low: math.Inf(1)}
	for _, b := range p.Buckets {
		rate.Low, rate.High = min(rate.Low, b.Rate), max(rate.High, b.Rate)
		burst.Low, burst.High = min(burst.Low, b.Burst), max(burst.High, b.Burst)
	}
	return rate, burst
}
