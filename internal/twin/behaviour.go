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
	RTT         float64 // idle, s
	One         Stream
	Cubic       Stream  // one by CUBIC, where the sender's own is none; else its Duration is 0
	Many        float64 // seconds that eight streams ran; 0: they were not measured
	ManyStarted float64 // when they began, s since the check did
	Eight       float64 // what was delivered of them in their second half, as of a copy's
}

// Stream is what came of one stream.
type Stream struct {
	Started  float64 // when it began, s since the check did
	Duration float64 // s
	Rate     float64 // steady
	Early    float64 // in its first half
	Resent   float64 // share of the segments; negative where not known
	Segments float64 // that were sent, retransmits included
	Rise     float64 // of the RTT under it above the idle one, s; negative where not known
}

// seen is the behaviour that a check measured.
func seen(f diagnose.Figures) Behaviour {
	b := Behaviour{RTT: f.Idle.Mid, One: streamOf(f.One, f.Rate, f.Loaded, f)}
	if t := f.Cubic; t != nil {
		b.Cubic = streamOf(t, t.SteadyRate, f.CubicLoaded, f)
	}
	if f.Eight != nil {
		b.Many, b.ManyStarted, b.Eight = f.Eight.Duration, f.Eight.Started, f.Eight.Goodput(0.5, 1)
	}
	return b
}

// streamOf reads a stream by its steady rate and the echoes' RTT beside it. The RTT
// under load is the sender's own where this host is it: a queue that keeps flows apart
// does not show in echoes.
func streamOf(t *record.Transfer, rate float64, loaded flow.Spread, f diagnose.Figures) Stream {
	s := Stream{Started: t.Started, Duration: t.Duration, Rate: rate, Early: t.Goodput(0, 0.5), Resent: -1, Rise: -1}
	if f.MSS > 0 {
		s.Segments = t.Rate * t.Duration / 8 / float64(f.MSS)
	}
	if n := t.Retransmits; n >= 0 && s.Segments > 0 {
		s.Segments += float64(n)
		s.Resent = float64(n) / s.Segments
	}
	if f.Idle.N > 0 && loaded.N > 0 && !f.Isolated {
		s.Rise = max(loaded.Mid-f.Idle.Mid, 0)
	}
	if sent, ok := flow.Sending(t); ok && f.Idle.N > 0 {
		if own := flow.SpreadOf(flow.RTTs(sent, flow.Since(steadyFrom*t.Duration))); own.N > 0 {
			s.Rise = max(own.Mid-f.Idle.Mid, 0)
		}
	}
	return s
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
