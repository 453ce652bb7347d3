package analysis

import (
	"cmp"
	"slices"

	"unchoke/internal/lab/traffic"
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

// infiniteSsthresh is TCP_INFINITE_SSTHRESH of Linux: no threshold yet.
const infiniteSsthresh = 0x7fffffff

// traces places the series on their curves, those of one curve together.
func traces(all []Cell, series []Series, curves []Curve) []Trace {
	at := map[condition]int{}
	for i := range all {
		at[condition{all[i].Path, all[i].Spec, all[i].Sides}] = i
	}
	retention := map[int]float64{}
	for _, c := range curves {
		for _, l := range c.Levels {
			retention[l.Cell] = l.Retention
		}
	}
	out := []Trace{}
	for _, s := range series {
		i, ok := at[condition{s.Row.Path, s.Row.Traffic, s.Row.Arm}]
		if !ok || len(s.Samples) == 0 {
			continue
		}
		t := Trace{Cell: i, Repetition: s.Row.Repetition, Where: Anywhere, Points: points(s.Samples)}
		if kept, ok := retention[i]; ok {
			t.Where = position(kept)
		}
		out = append(out, t)
	}
	slices.SortStableFunc(out, func(a, b Trace) int {
		return cmp.Or(cmp.Compare(a.Cell, b.Cell), cmp.Compare(a.Repetition, b.Repetition))
	})
	return out
}

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
		if p.Ssthresh >= infiniteSsthresh {
			p.Ssthresh = 0
		}
		out = append(out, p)
	}
	return out
}
