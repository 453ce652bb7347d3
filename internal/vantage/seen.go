package vantage

import (
	"net/netip"

	"unchoke/internal/diagnose"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// Seen is what was seen from one place, over its rounds.
type Seen struct {
	Name     string    `json:"name"`
	Records  []string  `json:"records"` // their IDs, by round
	Failures []Failure `json:"failures"`
	// Passes are the other places that its packets pass on their way to the
	// target, the nearest first; How says by what that is known.
	Passes []string `json:"passes"`
	How    string   `json:"passes_by,omitempty"`

	Source   string  `json:"source,omitempty"`
	Gateway  string  `json:"gateway,omitempty"`
	Device   string  `json:"device,omitempty"`
	Speed    float64 `json:"device_speed_bps,omitempty"`
	Duplex   string  `json:"device_duplex,omitempty"`
	Wireless bool    `json:"device_wireless,omitempty"`

	RTT  Figure `json:"rtt_s"`
	Ways []Way  `json:"directions"`
}

// Way is one direction, seen from a place.
type Way struct {
	Direction record.Direction `json:"direction"`
	Rate      Figure           `json:"rate_bps"`     // of one stream
	Capacity  Figure           `json:"capacity_bps"` // the most that was seen to arrive
	LoadedRTT Figure           `json:"loaded_rtt_s"`
	// Verdict is what most rounds say; unclear where they do not agree. Agreed of
	// Rounds said it.
	Verdict    finding.Cause `json:"verdict"`
	Agreed     int           `json:"agreed"`
	Confidence float64       `json:"confidence"` // the median of those rounds
}

// view is a place in the terms in which symptoms ask.
type view struct {
	seen   Seen
	runs   []*record.Run // those that there are, in order
	rounds []int         // of which round each is, from 0
	ways   map[record.Direction]*way
}

// way is what a direction's rounds say.
type way struct {
	figures  []diagnose.Figures
	leading  []finding.Finding   // of each round; one without cause where nothing was found
	findings [][]finding.Finding // of each round
	rate     Figure
	capacity Figure
}

func newView(o Observed) *view {
	v := &view{seen: Seen{
		Name: o.Name, Records: []string{}, Failures: o.Failures, Passes: []string{}, Ways: []Way{},
	}, ways: map[record.Direction]*way{}}
	if v.seen.Failures == nil {
		v.seen.Failures = []Failure{}
	}
	var rtts []float64
	for i, r := range o.Runs {
		if r == nil {
			continue
		}
		v.runs, v.rounds = append(v.runs, r), append(v.rounds, i)
		v.seen.Records = append(v.seen.Records, r.ID)
		if rtt := diagnose.MeasuredPath(r).RTT; rtt > 0 {
			rtts = append(rtts, rtt)
		}
	}
	v.seen.RTT = figureOf(rtts)
	if len(v.runs) == 0 {
		return v
	}
	last := v.last()
	v.seen.Source, v.seen.Gateway, v.seen.Device = last.Route.Source, last.Route.Gateway, last.Route.Device
	if n, ok := card(last); ok {
		v.seen.Speed, v.seen.Duplex, v.seen.Wireless = n.Speed, n.Duplex, n.Wireless
	}
	for _, d := range record.Directions {
		if w := newWay(v.runs, d); w != nil {
			v.ways[d] = w
			v.seen.Ways = append(v.seen.Ways, w.summary(d))
		}
	}
	return v
}

// last is the place's newest record.
func (v *view) last() *record.Run { return v.runs[len(v.runs)-1] }

// card is the device by which a host's packets leave; of a tunnel, the outer
// ones.
func card(r *record.Run) (record.NIC, bool) {
	for _, use := range []record.NICUse{record.OnUnderlay, record.OnRoute} {
		for _, n := range r.NICs {
			if n.Use == use {
				if n.Driver == "tun" && n.Speed == tunSpeed {
					n.Speed, n.Duplex = 0, ""
				}
				return n, true
			}
		}
	}
	return record.NIC{}, false
}

func newWay(runs []*record.Run, d record.Direction) *way {
	w := &way{}
	var rates, capacities []float64
	for _, r := range runs {
		f, ok := diagnose.FiguresOf(r, d)
		if !ok {
			continue
		}
		var here []finding.Finding
		lead := finding.Finding{Cause: finding.Unclear}
		for _, x := range diagnose.Diagnose(r) {
			if x.Direction == d {
				here = append(here, x)
			}
		}
		if len(here) > 0 {
			lead = here[0]
		}
		w.figures = append(w.figures, f)
		w.findings = append(w.findings, here)
		w.leading = append(w.leading, lead)
		rates = append(rates, f.Rate)
		capacities = append(capacities, max(f.Capacity, f.Rate))
	}
	if len(w.figures) == 0 {
		return nil
	}
	w.rate, w.capacity = figureOf(rates), figureOf(capacities)
	return w
}

func (w *way) summary(d record.Direction) Way {
	out := Way{Direction: d, Rate: w.rate, Capacity: w.capacity, Verdict: finding.Unclear}
	var loaded []float64
	votes := map[finding.Cause][]float64{}
	for i, f := range w.figures {
		if f.Loaded.N > 0 {
			loaded = append(loaded, f.Loaded.Mid)
		}
		lead := w.leading[i]
		votes[lead.Cause] = append(votes[lead.Cause], lead.Confidence)
	}
	out.LoadedRTT = figureOf(loaded)
	for cause, confidences := range votes {
		if 2*len(confidences) > len(w.figures) {
			out.Verdict, out.Agreed = cause, len(confidences)
			out.Confidence = figureOf(confidences).Median
		}
	}
	return out
}

// addresses are those of the place's host.
func (v *view) addresses() []netip.Prefix {
	var out []netip.Prefix
	for _, text := range v.last().Near.Addresses {
		if p, err := netip.ParsePrefix(text); err == nil {
			out = append(out, p)
		}
	}
	return out
}

// source is the address from which the place's packets leave.
func (v *view) source() netip.Addr {
	a, _ := netip.ParseAddr(v.last().Route.Source)
	return a
}

// translated is the address by which the target knows the place, where that is
// another than its own.
func (v *view) translated() (netip.Addr, bool) {
	a, err := netip.ParseAddr(v.last().Far.Sees)
	return a, err == nil && a != v.source()
}
