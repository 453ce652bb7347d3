package iperf3

import (
	"encoding/json"
	"math"
	"time"
)

// results is the JSON by which each side tells what it saw (send_results in
// src/iperf_api.c).
type results struct {
	CPUTotal             float64         `json:"cpu_util_total"` // percent of one core
	CPUUser              float64         `json:"cpu_util_user"`
	CPUSystem            float64         `json:"cpu_util_system"`
	SenderHasRetransmits number          `json:"sender_has_retransmits"` // 1, 0, or −1 from a side that only received
	CongestionUsed       string          `json:"congestion_used,omitempty"`
	OutputJSON           json.RawMessage `json:"server_output_json,omitempty"`
	OutputText           string          `json:"server_output_text,omitempty"`
	Streams              []streamResults `json:"streams"`
}

// Errors and Packets count from the start of the test, the omitted part
// included; since 3.14 the other two tell how much of them that is.
type streamResults struct {
	ID             number  `json:"id"`
	Bytes          number  `json:"bytes"`
	Retransmits    number  `json:"retransmits"`
	Jitter         float64 `json:"jitter"` // s
	Errors         number  `json:"errors"`
	OmittedErrors  number  `json:"omitted_errors"`
	Packets        number  `json:"packets"`
	OmittedPackets number  `json:"omitted_packets"`
	StartTime      float64 `json:"start_time"` // s
	EndTime        float64 `json:"end_time"`
}

func (r *Report) results() results {
	out := results{
		CPUTotal: r.CPU.Total * 100, CPUUser: r.CPU.User * 100, CPUSystem: r.CPU.System * 100,
		SenderHasRetransmits: number(boolInt(r.HasRetransmits)),
		CongestionUsed:       r.Congestion,
		Streams:              make([]streamResults, 0, len(r.Streams)),
	}
	for _, s := range r.Streams {
		out.Streams = append(out.Streams, streamResults{
			ID: number(s.ID), Bytes: number(s.Bytes), Retransmits: number(s.Retransmits),
			Jitter: s.Jitter.Seconds(),
			Errors: number(s.Lost + s.OmittedLost), OmittedErrors: number(s.OmittedLost),
			Packets: number(s.Packets + s.OmittedPackets), OmittedPackets: number(s.OmittedPackets),
			StartTime: s.Start.Seconds(), EndTime: s.End.Seconds(),
		})
	}
	return out
}

func (r *results) report() Report {
	out := Report{
		CPU:            CPU{Total: r.CPUTotal / 100, User: r.CPUUser / 100, System: r.CPUSystem / 100},
		HasRetransmits: r.SenderHasRetransmits > 0,
		Congestion:     r.CongestionUsed,
	}
	for _, s := range r.Streams {
		out.Streams = append(out.Streams, StreamReport{
			ID: s.ID.int(), Bytes: int64(s.Bytes), Retransmits: int64(s.Retransmits),
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
