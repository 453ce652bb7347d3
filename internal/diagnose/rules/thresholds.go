package rules

import "unchoke/internal/diagnose/threshold"

// The values are in the table. A constant that follows from a protocol, a
// header's size for instance, is none of these: it stands where it is used.
var (
	soon             float64
	halfFull         float64
	dropsShare       float64
	copiesConfidence float64
	leastOvershoot   float64
	growingBack      float64
	leastOffQueue    float64
	policedLost      float64
	hardlyWaited     float64
)

// Thresholds are the numbers by which this package decides.
var Thresholds = []threshold.Threshold{
	threshold.New(&soon, "soon", 8, "seconds: a stream that grows and fills the path within this is not held back, the check was short"),
	threshold.New(&halfFull, "half-full", 0.5, "of the path's bandwidth-delay product under way: a slow start that gets so far needs one round trip more"),
	threshold.New(&dropsShare, "drops-share", 0.5, "of the stream's losses were a socket's drops: without them less than half are left, and a loss-based stream carries 1.4 times as much or more (√2, RFC 9438 §5.1)"),
	threshold.New(&copiesConfidence, "copies-confidence", 0.8, "of a cause by the copies of a path alone: their rates are within 25 % of the path's in some 85 of 100 (make bench-predict)"),
	threshold.New(&leastOvershoot, "least-overshoot", 10, "segments lost at once: slow start doubles, so that what exceeds the path and its queue is a good part of a window of dozens; random loss takes one here and one there"),
	threshold.New(&growingBack, "growing-back", 2, "round trips without a loss after slow start's end tell that the loss was its own"),
	threshold.New(&leastOffQueue, "least-off-queue", 2, "losses while the queue was far from full: one alone may be a packet that came late, or a burst between two probes"),
	threshold.New(&policedLost, "policed-lost", 0.05, "of a stream's packets: a policer drops all that exceeds its rate, in slow start half of what is sent; random loss of so much shows without load as well"),
	threshold.New(&hardlyWaited, "hardly-waited", 0.02, "of the RTT: a queue that overflows and is shorter holds a fiftieth of the bandwidth-delay product, which hardly differs from none"),
}
