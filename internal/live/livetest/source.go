package livetest

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"
	"time"

	"unchoke/internal/finding"
	"unchoke/internal/live"
)

// Start is the time of the first snapshot.
var Start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// Flows makes n connections up, of every kind in turn.
func Flows(n int, seed uint64) []live.Flow {
	s := NewSource(n, seed)
	return s.step().Flows
}

// Source plays moving flows, a second at a time. In every snapshot one flow in
// two hundred, and at least one, has closed since the one before, and another
// has begun.
type Source struct {
	// Wait is the real time that Next waits; 0 for a test that does not want to.
	Wait time.Duration
	// Last is after how many snapshots the source ends; 0: never.
	Last int

	r     *rand.Rand
	flows []player
	next  uint64 // ID
	at    int    // snapshots given
}

// player is a flow and what it is like.
type player struct {
	kind
	live.Flow
}

// NewSource begins with n flows.
func NewSource(n int, seed uint64) *Source {
	s := &Source{r: rand.New(rand.NewPCG(seed, 0))}
	for range n {
		s.open(true)
	}
	return s
}

// Next gives the next second. io.EOF after the last.
func (s *Source) Next(ctx context.Context) (*live.Snapshot, error) {
	if s.Last > 0 && s.at >= s.Last {
		return nil, io.EOF
	}
	if s.Wait > 0 {
		select {
		case <-time.After(s.Wait):
		case <-ctx.Done():
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.step(), nil
}

// open adds a flow; one of the first may be of any age.
func (s *Source) open(first bool) {
	k := kinds[s.next%uint64(len(kinds))]
	s.next++
	n := uint32(s.next)
	p := player{kind: k, Flow: live.Flow{
		ID: fmt.Sprintf("%x", 0x1000+s.next), State: "established",
		Local:   netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, 10}), max(k.port, 1)),
		Remote:  netip.AddrPortFrom(netip.AddrFrom4([4]byte{198, 51, 100, byte(n)}), uint16(32768+n%28000)),
		Process: k.process, PID: 800 + int(n%30000), Unit: k.unit, CC: k.cc, Whole: !first,
		MinRTT: k.rtt, SegmentSize: 1448, Timeouts: 0, SendBuffer: 4 << 20, RecvBuffer: 6 << 20,
		RecvWindow: 3 << 20, SendWindow: 3 << 20, PMTU: 1500,
	}}
	if n%5 == 0 {
		var six [16]byte
		copy(six[:], []byte{0x20, 0x01, 0x0d, 0xb8})
		binary.BigEndian.PutUint32(six[12:], n)
		p.Remote = netip.AddrPortFrom(netip.AddrFrom16(six), p.Remote.Port())
		p.Local = netip.AddrPortFrom(netip.MustParseAddr("2001:db8:ffff::10"), p.Local.Port())
	}
	if k.process == "" {
		p.PID, p.CC, p.rtt, p.verdict = 0, "reno", 0.02, live.Watching
	}
	if first {
		p.Age = float64(1 + s.r.IntN(3600))
	}
	s.flows = append(s.flows, p)
}

// step moves every flow by a second.
func (s *Source) step() *live.Snapshot {
	snapshot := &live.Snapshot{
		Schema: live.Schema, Time: Start.Add(time.Duration(s.at) * time.Second), Interval: 1, Flows: make([]live.Flow, 0, len(s.flows)+len(s.flows)/100),
	}
	if s.at > 0 {
		for range max(len(s.flows)/200, min(len(s.flows), 1)) {
			i := s.r.IntN(len(s.flows))
			last := s.flows[i].Flow
			last.Closed, last.State = true, "close"
			snapshot.Flows = append(snapshot.Flows, last)
			s.flows = append(s.flows[:i], s.flows[i+1:]...)
			s.open(false)
		}
	}
	s.at++
	for i := range s.flows {
		s.flows[i].move(s.r)
		snapshot.Flows = append(snapshot.Flows, s.flows[i].Flow)
	}
	return snapshot
}

// move makes a second pass for a flow.
func (p *player) move(r *rand.Rand) {
	p.Age++
	p.SentRate, p.ReceivedRate = around(r, p.sent, 0.3), around(r, p.received, 0.3)
	p.Sent += uint64(p.SentRate / 8)
	p.Received += uint64(p.ReceivedRate / 8)
	if p.sent+p.received == 0 {
		p.Idle++
	}
	p.MinRTT = p.rtt
	p.RTT = p.rtt * (1 + p.jitter*r.Float64())
	p.Jitter = around(r, p.rtt*p.jitter, 0.2)
	if p.RTT > 0 {
		p.JitterRatio = p.Jitter / p.RTT
	}
	p.RateCV = around(r, 0.1+3*p.jitter, 0.5)
	segments := p.SentRate / 8 / float64(p.SegmentSize)
	p.RetransmitRatio = around(r, p.retransmits, 0.5)
	p.Segments += uint64(segments)
	if lost := uint64(segments*p.RetransmitRatio + r.Float64()); p.retransmits > 0 && lost > 0 {
		p.Retransmits += lost
		p.Lossy = min(p.Lossy+1, 30)
		p.Ssthresh = max(p.Cwnd/2, 2)
	}
	p.Cwnd = 10 + uint32(p.SentRate/8*p.RTT/float64(p.SegmentSize))
	p.Unacked = p.Cwnd / 2
	p.DeliveryRate, p.PacingRate = p.SentRate, 1.2*p.SentRate
	p.Limits = p.limits
	p.Verdict = live.Watching
	if p.Age < 10 || p.verdict == live.Watching {
		return
	}
	p.Verdict, p.Confidence, p.Summary = p.verdict, p.confidence, p.summary
	p.Warnings, p.Advice, p.Flow.Next = p.warnings, p.advice, p.next
	p.Evidence = []finding.Evidence{
		{What: "smoothed RTT", Value: p.RTT, Unit: finding.Seconds},
		{What: "segments sent again", Value: p.RetransmitRatio, Unit: finding.Ratio},
		{What: "rate of the busier direction", Value: max(p.SentRate, p.ReceivedRate), Unit: finding.BitRate},
	}
}
