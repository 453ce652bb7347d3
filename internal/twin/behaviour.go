package twin

import (
	"time"

	"unchoke/internal/diagnose"
	"unchoke/internal/flow"
	"unchoke/internal/record"
)

// Behaviour is what a direction does to one stream and to eight: what a copy is
// held against. Rates are goodput in bit/s.
type Behaviour struct {
	Started     float64 // when the one stream began, s since the check did
	Duration    float64 // of it, s
	RTT         float64 // idle, s
	Rate        float64 // of it, steady
	Early       float64 // in its first half
	Resent      float64 // share of the segments; negative where not known
	Segments    float64 // that were sent, retransmits included
	Rise        float64 // of the RTT under it above the idle one, s; negative where not known
	Many        float64 // seconds that eight streams ran; 0: they were not measured
	ManyStarted float64 // as Started, of them
	Eight       float64 // rate of them
}

// seen is the behaviour that a check measured. The RTT under load is the
// sender's own where this host is it: a queue that keeps flows apart does not
// show in echoes.
func seen(r *record.Run, d record.Direction, f diagnose.Figures) Behaviour {
	b := Behaviour{
		Started: f.One.Started, Duration: f.One.Duration, RTT: f.Idle.Mid, Rate: f.Rate, Early: f.One.Goodput(0, 0.5),
		Resent: -1, Rise: -1,
	}
	if f.MSS > 0 {
		b.Segments = f.One.Rate * f.One.Duration / 8 / float64(f.MSS)
	}
	if n := f.One.Retransmits; n >= 0 && b.Segments > 0 {
		b.Segments += float64(n)
		b.Resent = float64(n) / b.Segments
	}
	if f.Idle.N > 0 && f.Loaded.N > 0 && !f.Isolated {
		b.Rise = max(f.Loaded.Mid-f.Idle.Mid, 0)
	}
	if s, ok := flow.Sending(f.One); ok && f.Idle.N > 0 {
		if own := flow.SpreadOf(flow.RTTs(s, flow.Since(steadyFrom*f.One.Duration))); own.N > 0 {
			b.Rise = max(own.Mid-f.Idle.Mid, 0)
		}
	}
	if f.Eight != nil {
		b.Many, b.ManyStarted, b.Eight = f.Eight.Duration, f.Eight.Started, f.Eight.SteadyRate
	}
	return b
}

// steadyFrom is the share of a transfer after which its RTT counts.
const steadyFrom = 0.4

// Steady is a stream's steady rate as a check reckons it, in bit/s, from how
// many bytes had been received by a time.
func Steady(received func(time.Duration) float64, duration time.Duration) float64 {
	return flow.Goodput(func(from, to float64) float64 {
		a, b := time.Duration(from*float64(duration)), time.Duration(to*float64(duration))
		return 8 * (received(b) - received(a)) / (b - a).Seconds()
	}).Steady()
}
