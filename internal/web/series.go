package web

import (
	"math"
	"time"

	"unchoke/internal/live/table"
)

// series is a flow's history as columns, as the page's charts take them.
type series struct {
	Time     []float64 `json:"time_s"` // since 1970
	Sent     []float64 `json:"sent_bps"`
	Received []float64 `json:"received_bps"`
	RTT      []float64 `json:"rtt_s"`
	Jitter   []float64 `json:"jitter_s"`
	Cwnd     []float64 `json:"cwnd_segments"`
	Resent   []float64 `json:"retransmits"` // segments since the point before
	App      []float64 `json:"app"`
	Window   []float64 `json:"receive_window"`
	Buffer   []float64 `json:"send_buffer"`
	Network  []float64 `json:"network"`
}

// seriesOf makes columns of points. While nothing moves there are none: the rest
// gets a point at its end, an interval before data moves again or at now, so
// that a line stays down instead of rising all the while.
func seriesOf(points []table.Point, interval time.Duration, now time.Time) series {
	var s series
	for i, p := range points {
		s.add(p, p.Time())
		end := now
		if i+1 < len(points) {
			end = points[i+1].Time().Add(-interval)
		}
		if p.Sent+p.Received == 0 && end.Sub(p.Time()) > interval/2 {
			p.Retransmits = 0
			s.add(p, end)
		}
	}
	return s
}

func (s *series) add(p table.Point, at time.Time) {
	limits := p.Limits.Shares()
	s.Time = append(s.Time, float64(at.UnixMilli())/1e3)
	s.Sent = append(s.Sent, short(float64(p.Sent)))
	s.Received = append(s.Received, short(float64(p.Received)))
	s.RTT = append(s.RTT, short(float64(p.RTT)))
	s.Jitter = append(s.Jitter, short(float64(p.Jitter)))
	s.Cwnd = append(s.Cwnd, float64(p.Cwnd))
	s.Resent = append(s.Resent, float64(p.Retransmits))
	s.App = append(s.App, short(limits.App))
	s.Window = append(s.Window, short(limits.ReceiveWindow))
	s.Buffer = append(s.Buffer, short(limits.SendBuffer))
	s.Network = append(s.Network, short(limits.Network))
}

// short is a figure to four digits: more do not show in a chart.
func short(v float64) float64 {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	scale := math.Pow(10, 3-math.Floor(math.Log10(math.Abs(v))))
	return math.Round(v*scale) / scale
}
