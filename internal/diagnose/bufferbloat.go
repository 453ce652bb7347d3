package diagnose

import "fmt"

// Bufferbloat is where under load the RTT is more than twice the idle one and
// 100 ms above it.
const (
	bloatFactor = 2.0
	bloatExcess = 0.100
)

// bufferbloat: a queue far larger than the path needs stands at the
// bottleneck.
func bufferbloat(v *view) *Finding {
	by, under, alone, found := v.standing()
	if !found {
		return nil
	}
	excess := under.mid - v.idle.mid
	severity := clamp(excess/(excess+bloatFactor*v.idle.mid+bloatExcess), 0, 1)
	if v.slow() || !alone {
		// The queue makes others wait; it does not make this stream slow.
		severity *= 0.3
	}
	return &Finding{
		Cause:      Bufferbloat,
		Confidence: 0.7 + 0.3*clamp(excess/bloatExcess-1, 0, 1),
		severity:   severity,
		Summary: fmt.Sprintf("A queue of %s stands at the bottleneck: the round trip takes %s idle and %s under load, for everyone on it.",
			duration(excess), duration(v.idle.mid), duration(under.mid)),
		Evidence: []Evidence{
			{What: "RTT idle", Value: v.idle.mid, Unit: seconds},
			{What: "RTT under load, median", Value: under.mid, Unit: seconds},
			{What: "RTT under load, 95th percentile", Value: under.high, Unit: seconds},
			{What: "queue standing at the bottleneck", Value: excess * v.capacity / 8, Unit: bytes},
			{What: "bandwidth-delay product", Value: v.bdp(), Unit: bytes},
			{What: "one stream carries", Value: v.rate, Unit: bitRate},
			{What: "measured under " + by, Value: v.capacity, Unit: bitRate},
		},
		Remedies: []Remedy{
			{
				What:    "Let a smart queue stand in front of the bottleneck: on the router that feeds it, shape to just below its rate with cake (DEV is the device towards the slow link).",
				Where:   Network,
				Command: fmt.Sprintf("tc qdisc replace dev DEV root cake bandwidth %dkbit", int64(0.95*v.capacity/1000)),
			},
			v.bloatAtSender(),
		},
	}
}

// cubicMean: over a full queue CUBIC's window swings between 0.7 of the pipe
// and the queue, and all of it, and so does the RTT (RFC 9438 §4.6: β = 0.7).
const cubicMean = 0.85

// standing looks for the queue under one stream, then under eight, then, for a
// stream that was still filling it when it ended, in the UDP rungs that
// overflowed it: a loss-based sender goes on until the queue is full.
func (v *view) standing() (by string, under spread, alone, found bool) {
	switch {
	case bloated(v.idle, v.loaded):
		return v.one.Name, v.loaded, true, true
	case bloated(v.idle, v.ending):
		return v.one.Name, v.ending, true, true
	case v.eight != nil && bloated(v.idle, v.busier):
		return v.eight.Name, v.busier, !v.slow(), true
	case v.rising && !v.slow() && (v.cc == "" || lossBased[v.cc]):
		for _, r := range v.overloads() {
			full := r.spread
			full.mid *= cubicMean
			if bloated(v.idle, full) {
				return r.name, full, true, true
			}
		}
	}
	return "", spread{}, false, false
}

func (v *view) bloatAtSender() Remedy {
	if v.cc == "bbr" {
		return Remedy{
			What:  "BBR keeps its own queue short already: what stands here is other traffic's, or several streams'.",
			Where: Sender, Host: v.sender(),
		}
	}
	return Remedy{
		What:    "Where the router cannot be changed: a sender that paces itself to what arrives (BBR) leaves the queue nearly empty.",
		Where:   Sender,
		Host:    v.sender(),
		Command: "sysctl -w net.ipv4.tcp_congestion_control=bbr",
	}
}

func bloated(idle, load spread) bool {
	return idle.n > 0 && load.n > 0 && load.mid > bloatFactor*idle.mid && load.mid > idle.mid+bloatExcess
}
