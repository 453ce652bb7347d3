package trial

import (
	"fmt"
	"time"

	"unchoke/internal/flow"
	"unchoke/internal/record"
	"unchoke/internal/stats"
)

// outcome is what one run of an arm came to, whichever way it ran.
type outcome struct {
	start       time.Time
	from, to    float64 // what counts, in seconds since start
	series      []record.Series
	cc          string // of the sender
	retransmits int64  // -1 unknown
	cpuNear     float64
	cpuFar      float64
	neighbor    *outcome
	warnings    []string

	peer    record.Peer
	remarks []string // that hold for every run of the arm
}

// until is the time between the run's start and the end of what counts.
func (o *outcome) until() time.Time { return o.start.Add(seconds(o.to)) }

// since is the beginning of what counts.
func (o *outcome) since() time.Time { return o.start.Add(seconds(o.from)) }

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// bytes is what arrived in the time that counts.
func (o *outcome) bytes() float64 {
	var sum float64
	for i := range o.series {
		sum += flow.Arrived(o.series[i], o.to) - flow.Arrived(o.series[i], o.from)
	}
	return sum
}

// rate is the goodput in the time that counts, in bit/s.
func (o *outcome) rate() float64 {
	if o.to <= o.from {
		return 0
	}
	return o.bytes() * 8 / (o.to - o.from)
}

// shorten makes the outcome count only from one moment to another.
func (o *outcome) shorten(since, until time.Time) {
	o.from = max(o.from, since.Sub(o.start).Seconds())
	o.to = min(o.to, until.Sub(o.start).Seconds())
}

// span is the time that counts.
func (o *outcome) span() flow.Span { return flow.Span{From: o.from, To: o.to} }

// loadedRTTs are the round trips that TCP itself saw in the time that counts,
// in seconds.
func (o *outcome) loadedRTTs() []float64 {
	var rtts []float64
	for _, s := range o.series {
		rtts = append(rtts, flow.RTTs(s, o.span())...)
	}
	return rtts
}

const (
	// fewProbes answered are too few for a 95th percentile; TCP's own figures
	// are better then.
	fewProbes = 5
	// busyCPU is the share of a core from which a rate may be the core's and
	// not the path's.
	busyCPU = 0.9
)

// trial is the record of the outcome, with the echo probes that were sent
// while it counted.
func (o *outcome) trial(probes []record.Probe) record.Trial {
	t := record.Trial{
		Duration: o.to - o.from, Rate: o.rate(), Bytes: int64(o.bytes()),
		CC: o.cc, Retransmits: o.retransmits,
		MSS:     flow.SegmentSize(o.series),
		RTTMin:  flow.MinRTT(o.series),
		CPUNear: o.cpuNear, CPUFar: o.cpuFar,
		Warnings: o.warnings,
	}
	rtts := record.RTTs(probes)
	for _, rtt := range rtts {
		if t.RTTMin == 0 || rtt < t.RTTMin {
			t.RTTMin = rtt
		}
	}
	if len(rtts) < fewProbes {
		rtts = o.loadedRTTs()
	}
	if len(rtts) > 0 {
		t.RTTLoad, t.RTTP95 = stats.Median(rtts), stats.Quantile(rtts, 0.95)
	}
	if o.neighbor != nil {
		t.Neighbor = &record.Neighbor{CC: o.neighbor.cc, Rate: o.neighbor.rate()}
	}
	for _, side := range []struct {
		host  string
		share float64
	}{{"this host", o.cpuNear}, {"the far host", o.cpuFar}} {
		if side.share > busyCPU {
			t.Warnings = append(t.Warnings, fmt.Sprintf("a core of %s was more than %.0f %% busy: the rate may be the core's limit", side.host, 100*busyCPU))
		}
	}
	return t
}
