// Package closely says what one connection did while it was looked at many times
// a second: the figures of a live.Flow, and those that only looks so close tell.
// It is pure.
package closely

import (
	"net/netip"
	"time"

	"unchoke/internal/flow/lately"
	"unchoke/internal/live"
	"unchoke/internal/record"
	"unchoke/tcpinfo"
)

// lookEvery is how often package watch looks, in seconds: the figures of a
// live.Flow are of looks so far apart, and its rules go by that.
const lookEvery = 1.0

// Live is what a watch would have said of the connection, had it looked at it
// once a second from the first sample to the last, and what the looks between
// tell. The verdict is still to be made.
func Live(r *record.Run) live.Flow {
	f := live.Flow{Verdict: live.Watching}
	if x := r.Flow; x != nil {
		f.ID, f.Process, f.PID, f.Unit, f.Container, f.UID = x.Socket, x.Process, x.PID, x.Unit, x.Container, x.UID
		f.Local, _ = netip.ParseAddrPort(x.Local)
		f.Remote, _ = netip.ParseAddrPort(x.Remote)
		f.Device, f.Accepted, f.Closed = x.Device, x.Accepted, x.Ended
	}
	t := carried(r)
	if t == nil {
		return f
	}
	f.CC = t.CC
	s := t.Series[0]
	s.Samples = begun(s)
	if len(s.Samples) == 0 {
		return f
	}
	account := lately.Begin(sampled(s.Samples[0]))
	due := s.Samples[0].At + lookEvery
	last := &s.Samples[len(s.Samples)-1]
	for i := range s.Samples {
		x := &s.Samples[i]
		// The last look may come early, but not so early that its rates are of an
		// instant.
		if x.At < due && (x != last || due-x.At > lookEvery/2) {
			continue
		}
		due += lookEvery
		account.Add(sampled(*x))
		f.PeakDelivery = max(f.PeakDelivery, tcpinfo.Finite(x.Info.DeliveryRate))
		account.Figures(&f, &x.Info)
	}
	account.Figures(&f, &last.Info)
	all := everyLook(s)
	f.Limits = all.Limits()
	f.Stalled, f.Standing = all.Stalled()
	f.Closely = of(s)
	f.Closely.Packets = packetsOf(t)
	f.State = last.Info.State.String()
	f.Age = last.At - s.Samples[0].At
	if m := last.Memory; m != nil {
		f.SendBuffer, f.RecvBuffer, f.RecvQueue, f.RecvMemory = m.SendBuffer, m.RecvBuffer, m.Unread, m.Arrived
	}
	return f
}

// begun leaves out the looks before the transfer began: a first part of the time,
// long enough to matter, in which hardly anything was under way or delivered of all
// that was. An ssh that shakes hands has nothing to send, and does not hold its
// transfer back for that. At least leastSpan is kept.
func begun(s record.Series) []record.Sample {
	all := s.Samples
	moved := func(x *record.Sample) float64 {
		if s.Sender {
			return float64(x.Info.BytesAcked)
		}
		return float64(x.Info.BytesReceived)
	}
	if len(all) == 0 {
		return all
	}
	first, last := &all[0], &all[len(all)-1]
	hardly := moved(first) + beginsShare*(moved(last)-moved(first))
	for k := range all {
		switch {
		case last.At-all[k].At < leastSpan:
			return all
		case moved(&all[k]) <= hardly && all[k].Info.Unacked <= beginsSegments:
		case all[k].At-first.At < beginsLate*(last.At-first.At):
			return all
		default:
			return all[k:]
		}
	}
	return all
}

// A transfer has begun when beginsShare of all that was delivered has been. One that
// was on its way has that in beginsShare of the time; in beginsLate of it only one
// that was not.
const (
	beginsShare = 0.02
	beginsLate  = 0.1
	// Nothing that is larger than a greeting is under way before.
	beginsSegments = 4
)

// of is what the connection's series tells, lately: the other figures are of no more.
func of(s record.Series) live.Closely {
	all := make([]look, 0, len(s.Samples))
	for i := range s.Samples {
		x, unread := &s.Samples[i], uint32(0)
		if x.Memory != nil {
			unread = x.Memory.Unread
		}
		all = append(all, lookOf(s.Sender, sampled(*x), unread))
	}
	return figures(since(all, all[len(all)-1].at-live.Lately), s.Sender, false)
}

// carried is the transfer that the connection is in a record; nil where it has none.
func carried(r *record.Run) *record.Transfer {
	for i := range r.Transfers {
		if t := &r.Transfers[i]; len(t.Series) > 0 {
			return t
		}
	}
	return nil
}

// everyLook is the account of all the looks: one a second meets too few of the moments
// at which a program that sends in bursts has nothing to send, and calls what stands
// still for less than two of them no stall.
func everyLook(s record.Series) lately.Account {
	account := lately.Begin(sampled(s.Samples[0]))
	for _, x := range s.Samples[1:] {
		account.Add(sampled(x))
	}
	return account
}

func sampled(x record.Sample) lately.Look {
	l := lately.Look{At: time.Duration(x.At * float64(time.Second)), Info: &x.Info}
	if x.Memory != nil {
		l.Queued, l.SendBuffer = x.Memory.Queued, x.Memory.SendBuffer
	}
	return l
}
