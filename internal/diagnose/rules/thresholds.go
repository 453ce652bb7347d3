package rules

import "unchoke/internal/diagnose/threshold"

// Each has its reason in the table. A constant that follows from a protocol, a
// header's size for instance, is none of these: it stands where it is used.
var (
	soon             = 8.0
	halfFull         = 0.5
	copiesConfidence = 0.8
	leastOvershoot   = 10.0
	growingBack      = 2.0
	leastOffQueue    = 2.0
	policedLost      = 0.05
	hardlyWaited     = 0.02
)

// Thresholds are the numbers by which this package decides.
var Thresholds = []threshold.Threshold{
	{At: &soon, Name: "soon", Why: "seconds: a stream that grows and fills the path within this is not held back, the check was short"},
	{At: &halfFull, Name: "half-full", Why: "of the path's bandwidth-delay product under way: a slow start that gets so far needs one round trip more"},
	{At: &copiesConfidence, Name: "copies-confidence", Why: "of a cause by the copies of a path alone: their rates are within 25 % of the path's in some 85 of 100 (make bench-predict)"},
	{At: &leastOvershoot, Name: "least-overshoot", Why: "segments lost at once: slow start doubles, so that what exceeds the path and its queue is a good part of a window of dozens; random loss takes one here and one there"},
	{At: &growingBack, Name: "growing-back", Why: "round trips without a loss after slow start's end tell that the loss was its own"},
	{At: &leastOffQueue, Name: "least-off-queue", Why: "losses while the queue was far from full: one alone may be a packet that came late, or a burst between two probes"},
	{At: &policedLost, Name: "policed-lost", Why: "of a stream's packets: a policer drops all that exceeds its rate, in slow start half of what is sent; random loss of so much shows without load as well"},
	{At: &hardlyWaited, Name: "hardly-waited", Why: "of the RTT: a queue that overflows and is shorter holds a fiftieth of the bandwidth-delay product, which hardly differs from none"},
}
