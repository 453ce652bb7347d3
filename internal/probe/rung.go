package probe

import (
	"time"

	"unchoke/internal/record"
	"unchoke/internal/stats"
	"unchoke/iperf3"
)

// rungOf turns one UDP stream into a rung.
func rungOf(name string, d record.Direction, offered int64, s iperf3.Stream, payload int) record.Transfer {
	u := &record.Rung{Offered: float64(offered), Payload: payload, Reordered: -1}
	t := record.Transfer{
		Name: name, Direction: d, Protocol: record.UDP, Streams: 1,
		Duration: (s.End - s.Start).Seconds(), Retransmits: -1, UDP: u,
	}
	if s.Sending {
		sentUp(u, s)
	} else {
		receivedDown(u, &t, s)
	}
	t.Rate = u.Delivered
	return t
}

// inSlot gives a stream the bounds of its own slot: those that it came with are the whole
// test's, which may have ended before the slot did.
func inSlot(s *iperf3.Stream, from, length time.Duration) {
	s.Start, s.End = from, min(from+length, s.End)
}

// sentUp counts as lost what was sent and did not arrive: the far end cannot
// know of packets lost after the last that reached it. The stream is told, and its times
// are those of its slot. What seems to have left faster than it was offered waited for room
// in a full queue of this host's before, or began late: its rate is that of all of its time.
func sentUp(u *record.Rung, s iperf3.Stream) {
	u.Packets = s.Sent.Packets
	span := (s.Sent.Last - s.Sent.First).Seconds()
	if u.Packets > 1 && span > 0 {
		u.Sent = float64(u.Packets-1) * float64(u.Payload) * 8 / span
	}
	if whole := (s.End - s.Start).Seconds(); u.Packets > 1 && whole > 0 && (span <= 0 || u.Sent > hurried*u.Offered) {
		u.Sent = float64(u.Packets) * float64(u.Payload) * 8 / whole
	}
	arrived := min(max(s.Remote.Packets-s.Remote.Lost, 0), u.Packets)
	u.Jitter = s.Remote.Jitter.Seconds()
	u.Lost = u.Packets - arrived
	if u.Packets > 0 {
		u.Delivered = u.Sent * float64(arrived) / float64(u.Packets)
	}
}

// hurried: a timer's steps make a rung a little faster or slower than it was offered.
const hurried = 1.02

// receivedDown goes by the sequence numbers from the first that arrived to the
// last. What the far end sent before may have met a test that had not begun here,
// since the word that it begins was lost and sent again. The far end sends on
// until it learns that the test is over, and its own count takes in packets that
// were still on their way then.
func receivedDown(u *record.Rung, t *record.Transfer, s iperf3.Stream) {
	u.Packets, u.Lost, u.Reordered = s.Packets, s.Lost, s.Reordered
	if s.Reordered == 0 {
		u.BeforeLoss = beforeLoss(s.Trace)
	}
	if live := liveTrace(s.Trace); len(live) > 0 && int64(len(s.Trace)) == s.Packets-s.Lost {
		s.Trace = live
		u.Packets, u.Lost, u.Reordered = countTrace(live)
	}
	whole := s.Trace
	if s.Reordered > 0 {
		if settled := settledTrace(s.Trace); len(settled) > len(s.Trace)/5 {
			s.Trace = settled
			u.Packets, u.Lost, u.Reordered = countTrace(s.Trace)
		} else {
			// The delay varies by more than the rung is long: all that is missing
			// may have been on its way.
			_, _, u.Reordered = countTrace(s.Trace)
			u.Packets, u.Lost = int64(len(s.Trace)), 0
		}
	}
	u.Jitter = s.Jitter.Seconds()
	if n := len(s.Trace); n > 1 {
		first, last := s.Trace[0], s.Trace[n-1]
		// A sender's packets are evenly spaced: any two of them tell its rate.
		if span := (last.Sent - first.Sent).Seconds(); span > 0 && last.Seq > first.Seq {
			u.Sent = float64(last.Seq-first.Seq) * float64(u.Payload) * 8 / span
		}
		if span := (last.Arrived - first.Arrived).Seconds(); span > 0 {
			u.Delivered = float64(n-1) * float64(u.Payload) * 8 / span
		}
		if u.Reordered > 0 {
			u.Delivered = max(u.Delivered, amid(whole)*float64(u.Payload)*8)
		}
		u.Delay, u.Slots = delays(s.Trace), slots(s.Trace)
		countMissing(u, s.Trace)
	} else if t.Duration > 0 {
		u.Sent = float64(u.Packets) * float64(u.Payload) * 8 / t.Duration
		u.Delivered = float64(u.Packets-u.Lost) * float64(u.Payload) * 8 / t.Duration
	}
}

// liveTrace leaves out what the kernel had before the test began here: where the
// far end's word that it begins was lost and sent again, its packets come to a
// socket that nobody reads, and what that has no room for is no loss of the
// path.
func liveTrace(trace []iperf3.Packet) []iperf3.Packet {
	var out []iperf3.Packet
	for _, p := range trace {
		if p.Arrived >= 0 {
			out = append(out, p)
		}
	}
	return out
}

// settledTrace leaves out both ends of a trace whose packets overtook each
// other: of those sent last, the slow ones had not arrived yet when it ended;
// of those sent first, the fast ones came before the test had begun here. None
// of them is lost.
func settledTrace(trace []iperf3.Packet) []iperf3.Packet {
	if len(trace) == 0 {
		return trace
	}
	least, most, first := trace[0].Arrived-trace[0].Sent, trace[0].Arrived-trace[0].Sent, trace[0].Sent
	for _, p := range trace {
		least, most, first = min(least, p.Arrived-p.Sent), max(most, p.Arrived-p.Sent), min(first, p.Sent)
	}
	begin := first + (most - least)
	end := trace[len(trace)-1].Arrived - most
	var out []iperf3.Packet
	for _, p := range trace {
		if p.Sent >= begin && p.Sent <= end {
			out = append(out, p)
		}
	}
	return out
}

// amid is how many packets a second arrived in the middle half of a trace. A
// delay that lets packets overtake thins both of its ends: what was sent there
// arrives over a longer time than it was sent in.
func amid(trace []iperf3.Packet) float64 {
	begin, span := trace[0].Arrived, trace[len(trace)-1].Arrived-trace[0].Arrived
	if span <= 0 {
		return 0
	}
	n := 0
	for _, p := range trace {
		if at := p.Arrived - begin; at >= span/4 && at < span-span/4 {
			n++
		}
	}
	return float64(n) / (span / 2).Seconds()
}

// countTrace counts what was sent from the trace's lowest sequence number to
// its highest, what of it did not arrive, and what arrived after a later one.
func countTrace(trace []iperf3.Packet) (packets, lost, reordered int64) {
	if len(trace) == 0 {
		return 0, 0, 0
	}
	low, high := trace[0].Seq, trace[0].Seq
	for _, p := range trace {
		if p.Seq < high {
			reordered++
		}
		low, high = min(low, p.Seq), max(high, p.Seq)
	}
	packets = int64(high-low) + 1
	return packets, max(packets-int64(len(trace)), 0), reordered
}

// delays summarises the one-way delays above the least of them. The clocks of
// the two hosts differ by an unknown offset, which drops out.
func delays(trace []iperf3.Packet) *record.Quantiles {
	d := make([]float64, len(trace))
	least := (trace[0].Arrived - trace[0].Sent).Seconds()
	for i, p := range trace {
		d[i] = (p.Arrived - p.Sent).Seconds()
		least = min(least, d[i])
	}
	for i := range d {
		d[i] -= least
	}
	q := stats.Quantiles(d, 0.05, 0.5, 0.95, 1)
	return &record.Quantiles{P05: q[0], P50: q[1], P95: q[2], Max: q[3], SD: stats.SD(d)}
}

// medianRTT of the probes that were answered, 0 where none was.
func medianRTT(e record.Echo) time.Duration { return max(riseOf(e.Probes, 0), 0) }

// since shifts a series so that it begins at a later moment of the run;
// probes sent before have negative times.
func since(e record.Echo, begin float64) record.Echo {
	shift := begin - e.Started
	out := e
	out.Started = begin
	out.Probes = make([]record.Probe, len(e.Probes))
	for i, p := range e.Probes {
		p.At -= shift
		out.Probes[i] = p
	}
	return out
}

// window is the part of a series between two of its times, beginning anew.
func window(e record.Echo, name string, from, to float64) record.Echo {
	out := record.Echo{Name: name, Started: e.Started + from, Method: e.Method}
	for _, p := range e.Probes {
		if p.At >= from && p.At < to {
			p.At -= from
			out.Probes = append(out.Probes, p)
			out.Sent++
		}
	}
	return out
}
