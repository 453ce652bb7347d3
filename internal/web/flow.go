package web

import (
	"time"

	"unchoke/internal/finding"
	"unchoke/internal/live"
	"unchoke/internal/report/render"
)

// flowView is one event of a flow's page.
type flowView struct {
	Time time.Time  `json:"time"`
	Flow *live.Flow `json:"flow"`
	// Title is the verdict in plain words, empty of those that are no cause.
	Title string `json:"title,omitempty"`
	// History is the minutes before, in the first event of a stream.
	History *series    `json:"history,omitempty"`
	Tape    *tapeState `json:"tape,omitempty"` // of a recording
}

// gone is the event of a flow that is not there: in a recording it may be again.
type gone struct {
	Tape *tapeState `json:"tape,omitempty"`
}

// showFlow sends a flow's figures, or that it is gone; sent says that there was a
// flow. The first figures of a stream come with the minutes before.
func (s *Server) showFlow(o *outlet, l *look, id string, first bool) (sent bool) {
	f := l.flow(id)
	if f == nil {
		o.event(l.id, "gone", gone{stateOf(s.options.Tape)})
		return false
	}
	v := flowView{Time: l.snapshot.Time, Flow: f, Tape: stateOf(s.options.Tape)}
	if f.Verdict != live.Watching && f.Verdict != "" {
		v.Title = render.Capital(finding.Of(f.Verdict).Title)
	}
	if first {
		history := seriesOf(s.feed.points(id), time.Duration(l.snapshot.Interval*float64(time.Second)), l.snapshot.Time)
		v.History = &history
	}
	o.event(l.id, "flow", v)
	return true
}

// flow finds a flow, open or ended lately; nil where there is none.
func (l *look) flow(id string) *live.Flow {
	for _, f := range l.flows {
		if f.ID == id {
			return f
		}
	}
	return nil
}
