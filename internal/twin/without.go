package twin

import (
	"fmt"
	"slices"
	"strings"

	"unchoke/internal/finding"
	"unchoke/internal/path"
	"unchoke/internal/record"
	"unchoke/internal/unit"
)

// ample is a socket buffer that holds no stream back which the lab rebuilds.
const ample unit.Size = 256 << 20

// takers take a cause's impairment away from a copy. They say whether it had
// one. Those of one cause stand together.
var takers = []struct {
	cause finding.Cause
	words string
	take  func(*Copy) bool
}{
	{finding.LossLimited, "random loss", func(c *Copy) bool {
		had := c.Path.Up.Loss != path.Loss{}
		c.Path.Up.Loss = path.Loss{}
		return had
	}},
	{finding.LossLimited, "outages", func(c *Copy) bool {
		had := c.outage.there()
		c.outage.up, c.outage.down = false, false
		return had
	}},
	{finding.Reordering, "packets that overtake", func(c *Copy) bool {
		had := false
		for _, d := range []*path.Direction{&c.Path.Up, &c.Path.Down} {
			if d.Order == path.Free && d.Jitter > 0 {
				had = had || d == &c.Path.Up
				d.Order = path.Keep
			}
		}
		return had
	}},
	{finding.Policed, "drops above the limit", func(c *Copy) bool {
		up := &c.Path.Up
		had := up.Policer.Rate > 0
		if had {
			// The limit stays, with room to wait in front of it.
			up.Rate, up.Queue, up.Policer = up.Policer.Rate, path.Queue{BDP: 1}, path.Policer{}
		}
		return had
	}},
	{finding.ShallowBuffer, "too short a queue", func(c *Copy) bool {
		bunched := c.evened()
		return c.deepened() || bunched
	}},
	{finding.Congested, "other traffic", func(c *Copy) bool {
		had := c.Path.Up.Cross != path.Cross{}
		c.Path.Up.Cross = path.Cross{}
		return had
	}},
	{finding.AckLimited, "too thin a way back", func(c *Copy) bool {
		// Acknowledgements need a fortieth of the rate at the least: 66 bytes for
		// two segments of 1448.
		down, there := &c.Path.Down, sends(c.Path.Up)
		thin := func(rate unit.BitRate) bool { return rate > 0 && there > 20*rate }
		had := thin(sends(*down))
		if had {
			if thin(down.SQM.Rate) {
				down.SQM = path.SQM{}
			}
			down.Rate, down.Queue = there, path.Queue{}
		}
		return had
	}},
	{finding.NoSACK, "the lack of selective acknowledgements", func(c *Copy) bool {
		had := c.NoSACK
		c.NoSACK = false
		return had
	}},
	{finding.SendBuffer, "the limit of the send buffer", func(c *Copy) bool {
		c.SendMax = ample
		return true
	}},
	{finding.ReceiveWindow, "the limit of the receive window", func(c *Copy) bool {
		c.ReceiveMax = ample
		return true
	}},
}

// sends is the rate of a direction's bottleneck or of the sending host's shaper, whichever is
// less; 0 where neither is known.
func sends(d path.Direction) unit.BitRate { return leastKnown(d.Rate, d.SQM.Rate) }

// deepened gives a copy's bottleneck a bandwidth-delay product of queue, where it
// has less or drops early. It says whether it had.
func (c *Copy) deepened() bool {
	up := &c.Path.Up
	if up.Rate == 0 || up.Policer.Rate > 0 {
		return false
	}
	bdp := unit.Size(float64(up.Rate) / 8 * c.Path.RTT().Seconds())
	early := up.Queue.AQM == path.CoDel || up.Queue.AQM == path.PIE
	if !early && (up.Queue.AQM != "" || c.Path.QueueBytes(*up) >= bdp) {
		return false
	}
	up.Queue = path.Queue{BDP: 1}
	return true
}

// evened takes from a copy a delay that varies, so that packets come in bunches, which
// overflow a queue that holds them one by one, and overtake where they may. It says
// whether it had one that matters.
func (c *Copy) evened() bool {
	had := false
	for _, d := range []*path.Direction{&c.Path.Up, &c.Path.Down} {
		if d.Jitter.Seconds() >= bunching*c.Path.RTT().Seconds() {
			d.Jitter, d.Dist, d.Order = 0, "", ""
			had = true
		}
	}
	return had
}

// bunching is the standard deviation of a direction's delay, as a share of the RTT,
// from which bunches matter: less moves the RTT by less than the eighth that slow
// start's own exit allows (HyStart, tcp_cubic.c).
const bunching = 0.07

// without is the copy with a cause taken away, and whether it had one.
func (c Copy) without(cause finding.Cause) (Copy, bool) {
	had := false
	for _, t := range takers {
		if t.cause == cause {
			had = t.take(&c) || had
		}
	}
	return c, had
}

// Counterfactuals are the arms that take away what may hold one stream back:
// what most of the members have, what was found, the hosts' buffers where the path
// comes near them, and each two together that may hide each other: a buffer that was
// found full also hides what a stream would meet beyond it. Where the stream is healthy
// but for outages, it is these alone.
func (p Panel) Counterfactuals(found []finding.Finding) []Arm {
	here := slices.DeleteFunc(slices.Clone(found), func(f finding.Finding) bool { return f.Direction != p.Direction })
	if finding.Named(here, finding.Healthy) {
		return []Arm{p.lacking(finding.LossLimited)}
	}
	var present, held, causes []finding.Cause
	for i, t := range takers {
		if i > 0 && takers[i-1].cause == t.cause {
			continue
		}
		n := 0
		for _, c := range p.Members {
			if _, had := c.without(t.cause); had {
				n++
			}
		}
		named := finding.Named(here, t.cause)
		switch {
		case n == 0:
		case t.cause == finding.SendBuffer || t.cause == finding.ReceiveWindow:
			if named {
				held = append(held, t.cause)
			}
			if named || p.NearBuffers {
				causes = append(causes, t.cause)
			}
		case 2*n >= len(p.Members):
			present = append(present, t.cause)
			causes = append(causes, t.cause)
		case named || 4*n >= len(p.Members):
			causes = append(causes, t.cause)
		}
	}
	var arms []Arm
	for _, c := range causes {
		arms = append(arms, p.lacking(c))
	}
	for i, a := range present {
		for _, b := range present[i+1:] {
			arms = append(arms, p.lacking(a, b))
		}
		for _, buffer := range held {
			arms = append(arms, p.lacking(a, buffer))
		}
	}
	if p.NearBuffers {
		// A stream meets the smaller of both first.
		arms = append(arms, p.lacking(finding.SendBuffer, finding.ReceiveWindow))
	}
	return arms
}

// lacking is the arm without some causes.
func (p Panel) lacking(causes ...finding.Cause) Arm {
	var what []string
	for _, t := range takers {
		had := func(c Copy) bool { return t.take(&c) }
		if slices.Contains(causes, t.cause) && slices.ContainsFunc(p.Members, had) {
			what = append(what, t.words)
		}
	}
	name := fmt.Sprintf("without %s", strings.Join(what, " and "))
	return Arm{Arm: record.Arm{Name: name, Direction: p.Direction}, Without: causes}
}

// words are causes as a record keeps them.
func words(causes []finding.Cause) []string {
	var out []string
	for _, c := range causes {
		out = append(out, string(c))
	}
	return out
}

// FirstLack says that an arm is without what none of the first n members has, and a later
// one does: to the first it is the path as it is.
func (p Panel) FirstLack(a Arm, n int) bool {
	had := func(c Copy) bool {
		return slices.ContainsFunc(a.Without, func(cause finding.Cause) bool {
			_, had := c.without(cause)
			return had
		})
	}
	n = min(n, len(p.Members))
	return !slices.ContainsFunc(p.Members[:n], had) && slices.ContainsFunc(p.Members[n:], had)
}
