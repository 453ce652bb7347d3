package analysis

import (
	"cmp"
	"math"
	"slices"

	"unchoke/internal/lab/traffic"
	"unchoke/tcpinfo"
)

// Trace is the sender's state over one run, to show what happens at a cliff.
type Trace struct {
	Cell       int      `json:"cell"`
	Repetition int      `json:"repetition"`
	Where      Position `json:"where"`
	Points     []Point  `json:"points"`
}

// Position is where a run stands on its curve.
type Position string

const (
	Below    Position = "below"     // retention above 90 %
	At       Position = "at"        // between
	Above    Position = "above"     // retention below 25 %
	Anywhere Position = "elsewhere" // the cell is on no curve
)

// Point is the sender's TCP_INFO at one moment.
type Point struct {
	At       float64 `json:"at_s"`
	Cwnd     uint32  `json:"cwnd_segments"`
	Ssthresh uint32  `json:"ssthresh_segments"` // 0 before it was first set
	State    uint8   `json:"ca_state"`          // 0 open, 1 disorder, 2 CWR, 3 recovery, 4 loss
	DSACKs   uint32  `json:"dsacks"`
	Reorder  uint32  `json:"reordering_events"`
	Degree   uint32  `json:"reordering_degree"`
	Retrans  uint32  `json:"retransmits"`
	RTT      float64 `json:"rtt_s"`
	Received int64   `json:"received_bytes"`
}

// tracePoints is as many moments as a plot can tell apart.
const tracePoints = 500

// traces chooses, of the series of each curve, a run below its cliff, at it and
// above it, those nearest to it, and places them. Series of cells on no curve
// are all kept.
func traces(all []Cell, series []Series, curves []Curve) []Trace {
	at := places(all)
	of := map[int]Series{} // the first of each cell
	for _, s := range series {
		i, ok := at[conditionOf(s.Row)]
		if prior, seen := of[i]; ok && len(s.Samples) > 0 && (!seen || s.Row.Repetition < prior.Row.Repetition) {
			of[i] = s
		}
	}
	where := map[int]Position{}
	for i := range of {
		where[i] = Anywhere
	}
	for _, c := range curves {
		for _, l := range c.Levels {
			if where[l.Cell] == Anywhere {
				delete(where, l.Cell)
			}
		}
	}
	for _, c := range curves {
		nearest := map[Position]Level{}
		for _, l := range c.Levels[1:] {
			p := position(l.Retention)
			prior, seen := nearest[p]
			if _, ok := of[l.Cell]; ok && (!seen || toCliff(l) < toCliff(prior)) {
				nearest[p] = l
			}
		}
		for p, l := range nearest {
			where[l.Cell] = p
		}
	}
	out := []Trace{}
	for i, p := range where {
		out = append(out, Trace{Cell: i, Repetition: of[i].Row.Repetition, Where: p, Points: points(of[i].Samples)})
	}
	slices.SortFunc(out, func(a, b Trace) int { return cmp.Compare(a.Cell, b.Cell) })
	return out
}

// toCliff is how far a level's retention is from the cliff's, as a factor.
func toCliff(l Level) float64 { return math.Abs(math.Log(max(l.Retention, 1e-9) / CliffRetention)) }

func position(retention float64) Position {
	switch {
	case retention > 0.9:
		return Below
	case retention < 0.25:
		return Above
	}
	return At
}

// points thins a series out.
func points(samples []traffic.Sample) []Point {
	step := (len(samples) + tracePoints - 1) / tracePoints
	var out []Point
	for i := 0; i < len(samples); i += step {
		s := samples[i]
		p := Point{
			At: s.At.Seconds(), Cwnd: s.Cwnd, Ssthresh: s.Ssthresh, State: s.State,
			DSACKs: s.DSACKs, Reorder: s.ReordSeen, Degree: s.Reordering, Retrans: s.Retrans,
			RTT: s.RTT.Seconds(), Received: s.Received,
		}
		if p.Ssthresh >= tcpinfo.InfiniteSsthresh {
			p.Ssthresh = 0
		}
		out = append(out, p)
	}
	return out
}
