package vantage

import (
	"fmt"
	"slices"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// inHost says whether what was placed on a segment lies in the host at its near
// end: in its card, or in a shaper of its own through which it forwards as well.
func (s *survey) inHost(at Segment, have []*view, d record.Direction) (Segment, string) {
	if at.Kind != KindBetween && at.Kind != KindWay && at.Kind != KindPlace {
		return at, ""
	}
	for _, v := range have {
		if v.seen.Name != at.From {
			continue
		}
		if why := v.ownLimit(d); why != "" {
			return AtPlace(at.From), why
		}
	}
	return at, ""
}

// ownLimit is what in the place itself bounds its rate to what it reached; empty
// where nothing seen does.
func (v *view) ownLimit(d record.Direction) string {
	w := v.ways[d]
	if w == nil {
		return ""
	}
	if n, ok := card(v.last()); ok && n.Speed > 0 && !n.Wireless {
		if share := w.capacity.Median / n.Speed; share >= cardLeast && share <= cardMost {
			return fmt.Sprintf("The card of %s, %s, is at %s%s.", v.seen.Name, n.Device, rate(n.Speed), duplexWords(n.Duplex))
		}
	}
	if d == record.Up {
		return v.ownShaper(w)
	}
	return ""
}

func duplexWords(duplex string) string {
	if duplex == "" {
		return ""
	}
	return ", " + duplex + " duplex"
}

// shapers hold packets back by a rate; other queueing disciplines have
// overlimits for other reasons.
var shapers = []string{"tbf", "htb", "hfsc", "cake", "cbq"}

// ownShaper is a shaper on the device by which the place sends, for which a good
// part of the packets of its stream had to wait.
func (v *view) ownShaper(w *way) string {
	n, ok := card(v.last())
	for _, f := range w.figures {
		for _, q := range f.One.Egress {
			if ok && q.Device != n.Device || !slices.Contains(shapers, q.Kind) || q.Packets == 0 {
				continue
			}
			if float64(q.Overlimits) >= shapedShare*float64(q.Packets) {
				return fmt.Sprintf("%s shapes what it sends itself: on %s, %s made packets wait %d times for %d that it passed.",
					v.seen.Name, q.Device, q.Kind, q.Overlimits, q.Packets)
			}
		}
	}
	return ""
}

// settings are the values of hosts that a cause of theirs rests on, beside the
// other places'.
func (s *survey) settings(cause finding.Cause, d record.Direction, have []*view) []string {
	var out []string
	for _, v := range have {
		for _, f := range v.ways[d].findings[len(v.ways[d].findings)-1] {
			if f.Cause == cause {
				out = append(out, v.seen.Name+": "+f.Summary)
			}
		}
	}
	value := func(v *view) int64 {
		switch {
		case host(cause, d) != "near":
		case cause == finding.ReceiveWindow:
			return v.last().Near.TCPRmem[2]
		case cause == finding.SendBuffer:
			return v.last().Near.TCPWmem[2]
		}
		return 0
	}
	name := map[finding.Cause]string{finding.ReceiveWindow: "tcp_rmem", finding.SendBuffer: "tcp_wmem"}[cause]
	for _, v := range s.views {
		if n := value(v); n > 0 {
			out = append(out, fmt.Sprintf("%s's %s ends at %s.", v.seen.Name, name, size(float64(n))))
		}
	}
	if cause == finding.CPUBound {
		out = append(out, s.forwarded(d, have)...)
	}
	return out
}

// forwarded is what one stream of those behind a place gets through it.
func (s *survey) forwarded(d record.Direction, have []*view) []string {
	var out []string
	for _, v := range s.views {
		for _, full := range have {
			if w := v.ways[d]; w != nil && s.net.leads(v, full) && w.rate.Low > Matters*full.ways[d].rate.High {
				out = append(out, fmt.Sprintf("%s forwards %s for %s: more than its own connections get.",
					full.seen.Name, rate(w.rate.Median), v.seen.Name))
			}
		}
	}
	return out
}

// fullCore says that a core of the place had no rest while its stream ran, by the
// round in which packets took most of it.
func (v *view) fullCore(d record.Direction) []string {
	var core *record.Core
	for _, f := range v.ways[d].figures {
		if f.One.CPU == nil {
			continue
		}
		for i, c := range f.One.CPU.Cores {
			if c.Busy+c.Stolen >= fullShare && (core == nil || c.SoftIRQ > core.SoftIRQ) {
				core = &f.One.CPU.Cores[i]
			}
		}
	}
	if core == nil {
		return nil
	}
	return []string{fmt.Sprintf("Core %d of %s was full meanwhile, %s of it with packets in the kernel (softirq).",
		core.Core, v.seen.Name, percent(core.SoftIRQ))}
}

// media is what is known of the link at the near end of a segment.
func (s *survey) media(at Segment) []string {
	var out []string
	for _, v := range s.views {
		if v.seen.Wireless && at.From == v.seen.Name && (at.Kind == KindBetween || at.Kind == KindWay) {
			out = append(out, fmt.Sprintf("%s's card %s is Wi-Fi.", v.seen.Name, v.seen.Device))
		}
		if v.seen.Duplex == "half" && at.From == v.seen.Name {
			out = append(out, fmt.Sprintf("%s's card %s runs at half duplex: packets collide where the other end has full duplex.", v.seen.Name, v.seen.Device))
		}
	}
	return out
}
