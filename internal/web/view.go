package web

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"unchoke/internal/finding"
	"unchoke/internal/live"
	"unchoke/internal/live/table"
)

// view is one event of a page that shows the table.
type view struct {
	Time     time.Time `json:"time"`
	Interval float64   `json:"interval_s"`
	All      int       `json:"all_flows"` // open ones of this host
	Flows    int       `json:"flows"`     // that are shown, on all pages of the table
	Moving   int       `json:"moving"`    // of them, that carry data
	Sent     float64   `json:"sent_bps"`  // of those that are open, together
	Received float64   `json:"received_bps"`
	// Verdicts counts them by verdict, the most frequent first.
	Verdicts []count `json:"verdicts"`
	Warned   int     `json:"warned"` // with a warning
	Lost     int64   `json:"lost_events"`
	Short    int64   `json:"short_flows"`

	From   int        `json:"from"`  // the first row's index
	Total  int        `json:"total"` // of rows, on all pages
	Rows   []row      `json:"rows,omitempty"`
	Groups []groupRow `json:"groups,omitempty"`
	Notes  []string   `json:"notes,omitempty"`

	Tape *tapeState `json:"tape,omitempty"` // of a recording
}

type count struct {
	Verdict finding.Cause `json:"verdict"`
	Flows   int           `json:"flows"`
}

// row is a flow's line; its keys are live.Flow's.
type row struct {
	ID          string         `json:"id"`
	Local       string         `json:"local"`
	Remote      string         `json:"remote"`
	Process     string         `json:"process,omitempty"`
	PID         int            `json:"pid,omitempty"`
	Unit        string         `json:"unit,omitempty"`
	Closed      bool           `json:"closed,omitempty"`
	CC          string         `json:"cc"`
	Age         float64        `json:"age_s"`
	Sent        float64        `json:"sent_bps"`
	Received    float64        `json:"received_bps"`
	RTT         float64        `json:"rtt_s"`
	JitterRatio float64        `json:"jitter_rtt_ratio"`
	Resent      float64        `json:"retransmit_ratio"`
	Limits      live.Limits    `json:"limits"`
	Verdict     finding.Cause  `json:"verdict"`
	Confidence  float64        `json:"confidence"`
	Warnings    []live.Warning `json:"warnings,omitempty"`
}

// groupRow is a group's line.
type groupRow struct {
	Name     string  `json:"name"`
	Flows    int     `json:"flows"`
	Moving   int     `json:"moving"`
	Sent     float64 `json:"sent_bps"`
	Received float64 `json:"received_bps"`
	Verdicts []count `json:"verdicts"`
	Warned   int     `json:"warned"`
}

// view makes the event of a look.
func (q query) view(l *look) view {
	s := l.snapshot
	v := view{Time: s.Time, Interval: s.Interval, Lost: s.LostEvents, Short: s.Short, Notes: s.Notes}
	for i := range s.Flows {
		if !s.Flows[i].Closed {
			v.All++
		}
	}
	flows := q.selected(l)
	all := sum(flows)
	v.Flows, v.Moving, v.Sent, v.Received, v.Verdicts, v.Warned = all.Flows, all.Moving, all.Sent, all.Received, all.Verdicts, all.Warned
	q.order.Sort(flows)
	if q.group != "" && q.in == nil {
		groups := table.Groups(flows, q.group)
		v.Total = len(groups)
		v.From = q.first(len(groups))
		for _, g := range groups[v.From:min(v.From+pageRows, len(groups))] {
			line := sum(g.Flows)
			line.Name = g.Name
			v.Groups = append(v.Groups, line)
		}
		return v
	}
	v.Total = len(flows)
	v.From = q.first(len(flows))
	for _, f := range flows[v.From:min(v.From+pageRows, len(flows))] {
		v.Rows = append(v.Rows, rowOf(f))
	}
	return v
}

// first is the first row's index on the page asked for; on the last page where
// there are not so many.
func (q query) first(total int) int {
	last := max(total-1, 0) / pageRows * pageRows
	return min(q.from/pageRows*pageRows, last)
}

func sum(flows []*live.Flow) groupRow {
	var g groupRow
	verdicts := map[finding.Cause]int{}
	for _, f := range flows {
		g.Flows++
		if !f.Closed { // the rates of one that has ended are its last ones
			g.Sent += f.SentRate
			g.Received += f.ReceivedRate
			if f.SentRate+f.ReceivedRate > 0 {
				g.Moving++
			}
		}
		if len(f.Warnings) > 0 {
			g.Warned++
		}
		verdicts[f.Verdict]++
	}
	for verdict, n := range maps.All(verdicts) {
		g.Verdicts = append(g.Verdicts, count{verdict, n})
	}
	slices.SortFunc(g.Verdicts, func(a, b count) int { return cmp.Or(b.Flows-a.Flows, cmp.Compare(a.Verdict, b.Verdict)) })
	return g
}

func rowOf(f *live.Flow) row {
	return row{
		ID: f.ID, Local: f.Local.String(), Remote: f.Remote.String(), Process: f.Process, PID: f.PID, Unit: cmp.Or(f.Unit, f.Container), Closed: f.Closed,
		CC: f.CC, Age: f.Age, Sent: f.SentRate, Received: f.ReceivedRate, RTT: f.RTT, JitterRatio: f.JitterRatio, Resent: f.RetransmitRatio,
		Limits: f.Limits, Verdict: f.Verdict, Confidence: f.Confidence, Warnings: f.Warnings,
	}
}
