package seen

import "unchoke/internal/diagnose/threshold"

// The values are in the table. A constant that follows from a protocol, a
// header's size for instance, is none of these: it stands where it is used.
var (
	SteadyFrom       float64
	leastLate        float64
	lateShare        float64
	lateNoise        float64
	Elsewhere        float64
	stuckShare       float64
	OverloadLoss     float64
	leastSlope       float64
	SlowerBy         float64
	queuedRTT        float64
	leastInterval    float64
	LeastSwaySeconds float64
	cappedLoss       float64
	carriedShare     float64
	endsBelow        float64
	leastOutage      float64
	answeredShare    float64
)

// Thresholds are the numbers by which this package decides.
var Thresholds = []threshold.Threshold{
	threshold.New(&SteadyFrom, "steady-from", 0.4, "the share of a transfer after which slow start is over, or as good as"),
	threshold.New(&leastLate, "least-late", 0.01, "seconds of lateness that are known: the two clocks' beginnings are known to some milliseconds …"),
	threshold.New(&lateShare, "late-share", 0.25, "… and to a fraction of the round trip …"),
	threshold.New(&lateNoise, "late-noise", 2, "… and, where the delay varies, to some standard deviations of the RTT: the word to begin and the first packet each met a delay of their own"),
	threshold.New(&Elsewhere, "elsewhere", 1.1, "a path that delivered so much more at another time was not overloaded by this rung"),
	threshold.New(&stuckShare, "stuck-share", 0.9, "a rung that arrived slower than this without loss stands in a queue"),
	threshold.New(&OverloadLoss, "overload-loss", 0.02, "an overloaded rung loses this much more than the gentlest, with 95 % confidence"),
	threshold.New(&leastSlope, "least-slope", 0.02, "seconds a second: a delay that grows by less is drift, were it above three standard errors"),
	threshold.New(&SlowerBy, "slower-by", 4.0/3, "a stream that is this many times faster without its relay suffers from it: it gains a third"),
	threshold.New(&queuedRTT, "queued-rtt", 1.25, "a TCP whose RTT stands below this many times its idle one has no queue of its own before it"),
	threshold.New(&leastInterval, "least-interval", 0.5, "seconds: a shorter interval of the far end's count holds too few packets to tell a rate"),
	threshold.New(&LeastSwaySeconds, "least-sway-seconds", 0.001, "… and less than these seconds"),
	threshold.New(&cappedLoss, "capped-loss", 0.15, "UDP that loses more beside TCP at 0.7 of what a stream carries has met an end of its rate: random loss of so much leaves TCP no rate to compare"),
	threshold.New(&carriedShare, "carried-share", 0.6, "of the rate that TCP was to keep to: the rest is its start, a few round trips of a test of some seven tenths of a second"),
	threshold.New(&endsBelow, "ends-below", 1.25, "TCP that carried so many times what arrived of UDP was not held to UDP's rate: a burst that a bucket took in makes less of a test"),
	threshold.New(&leastOutage, "least-outage", 0.4, "seconds without any answer: twenty probes in a row, and longer than TCP's least retransmission timeout (200 ms), doubled once"),
	threshold.New(&answeredShare, "answered-share", 0.7, "of the probes outside outages must be answered: a host that answers only so many a second is silent by itself"),
}
