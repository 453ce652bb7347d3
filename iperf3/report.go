package iperf3

import (
	"math"
	"time"

	"unchoke/iperf3/internal/wire"
)

// results is the report as it goes over the wire.
func (r *Report) results() wire.Results {
	out := wire.Results{
		CPUTotal: r.CPU.Total * 100, CPUUser: r.CPU.User * 100, CPUSystem: r.CPU.System * 100,
		SenderHasRetransmits: wire.Flag(r.HasRetransmits),
		CongestionUsed:       r.Congestion,
		Streams:              make([]wire.StreamResults, 0, len(r.Streams)),
	}
	for _, s := range r.Streams {
		out.Streams = append(out.Streams, wire.StreamResults{
			ID: wire.Number(s.ID), Bytes: wire.Number(s.Bytes), Retransmits: wire.Number(s.Retransmits),
			Jitter: s.Jitter.Seconds(),
			Errors: wire.Number(s.Lost + s.OmittedLost), OmittedErrors: wire.Number(s.OmittedLost),
			Packets: wire.Number(s.Packets + s.OmittedPackets), OmittedPackets: wire.Number(s.OmittedPackets),
			StartTime: s.Start.Seconds(), EndTime: s.End.Seconds(),
		})
	}
	return out
}

// reportOf reads what the peer sent.
func reportOf(r *wire.Results) Report {
	out := Report{
		CPU:            CPU{Total: r.CPUTotal / 100, User: r.CPUUser / 100, System: r.CPUSystem / 100},
		HasRetransmits: r.SenderHasRetransmits > 0,
		Congestion:     r.CongestionUsed,
	}
	for _, s := range r.Streams {
		out.Streams = append(out.Streams, StreamReport{
			ID: s.ID.Int(), Bytes: int64(s.Bytes), Retransmits: int64(s.Retransmits),
			Jitter: fromSeconds(s.Jitter),
			Lost:   int64(s.Errors - s.OmittedErrors), OmittedLost: int64(s.OmittedErrors),
			Packets: int64(s.Packets - s.OmittedPackets), OmittedPackets: int64(s.OmittedPackets),
			Start: fromSeconds(s.StartTime), End: fromSeconds(s.EndTime),
		})
	}
	return out
}

// fromSeconds clamps what no duration holds.
func fromSeconds(s float64) time.Duration {
	ns := s * float64(time.Second)
	if !(math.Abs(ns) < math.MaxInt64) {
		return 0
	}
	return time.Duration(ns)
}
