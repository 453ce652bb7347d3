package seen

import "unchoke/internal/diagnose/threshold"

// Each has its reason in the table. A constant that follows from a protocol, a
// header's size for instance, is none of these: it stands where it is used.
var (
	SteadyFrom       = 0.4
	leastLate        = 0.01
	lateShare        = 0.25
	lateNoise        = 2.0
	Elsewhere        = 1.1
	stuckShare       = 0.9
	OverloadLoss     = 0.02
	leastSlope       = 0.02
	SlowerBy         = 4.0 / 3
	queuedRTT        = 1.25
	leastInterval    = 0.5
	LeastSwaySeconds = 0.001
	cappedLoss       = 0.15
	carriedShare     = 0.6
	endsBelow        = 1.25
	leastOutage      = 0.22
	answeredShare    = 0.7
)

// Thresholds are the numbers by which this package decides.
var Thresholds = []threshold.Threshold{
	{At: &SteadyFrom, Name: "steady-from", Why: "the share of a transfer after which slow start is over, or as good as"},
	{At: &leastLate, Name: "least-late", Why: "seconds of lateness that are known: the two clocks' beginnings are known to some milliseconds …"},
	{At: &lateShare, Name: "late-share", Why: "… and to a fraction of the round trip …"},
	{At: &lateNoise, Name: "late-noise", Why: "… and, where the delay varies, to some standard deviations of the RTT: the word to begin and the first packet each met a delay of their own"},
	{At: &Elsewhere, Name: "elsewhere", Why: "a path that delivered so much more at another time was not overloaded by this rung"},
	{At: &stuckShare, Name: "stuck-share", Why: "a rung that arrived slower than this without loss stands in a queue"},
	{At: &OverloadLoss, Name: "overload-loss", Why: "an overloaded rung loses this much more than the gentlest, with 95 % confidence"},
	{At: &leastSlope, Name: "least-slope", Why: "seconds a second: a delay that grows by less is drift, were it above three standard errors"},
	{At: &SlowerBy, Name: "slower-by", Why: "a stream that is this many times faster without its relay suffers from it: it gains a third"},
	{At: &queuedRTT, Name: "queued-rtt", Why: "a TCP whose RTT stands below this many times its idle one has no queue of its own before it"},
	{At: &leastInterval, Name: "least-interval", Why: "seconds: a shorter interval of the far end's count holds too few packets to tell a rate"},
	{At: &LeastSwaySeconds, Name: "least-sway-seconds", Why: "… and less than these seconds"},
	{At: &cappedLoss, Name: "capped-loss", Why: "UDP that loses more beside TCP at 0.7 of what a stream carries has met an end of its rate: random loss of so much leaves TCP no rate to compare"},
	{At: &carriedShare, Name: "carried-share", Why: "of the rate that TCP was to keep to: the rest is its start, a few round trips of a test of some seven tenths of a second"},
	{At: &endsBelow, Name: "ends-below", Why: "TCP that carried so many times what arrived of UDP was not held to UDP's rate: a burst that a bucket took in makes less of a test"},
	{At: &leastOutage, Name: "least-outage", Why: "seconds without any answer: eleven probes in a row, and longer than TCP's least retransmission timeout (200 ms), after which a stream begins again from one packet"},
	{At: &answeredShare, Name: "answered-share", Why: "of the probes outside outages must be answered: a host that answers only so many a second is silent by itself"},
}
