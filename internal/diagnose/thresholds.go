package diagnose

import (
	"math"
	"slices"
)

// Threshold is a number by which the diagnosis decides.
type Threshold struct {
	Name  string
	Value float64
	// Why is the physics or the measurement behind the value.
	Why string

	at *float64
}

// The values are in the table. A constant that follows from a protocol, a
// header's size for instance, is none of these: it stands where it is used.
var (
	slowShare        float64
	shallowShare     float64
	limitShare       float64
	steadyFrom       float64
	windowFilled     float64
	manyOfOne        float64
	busyCPU          float64
	bloatFactor      float64
	bloatExcess      float64
	overFull         float64
	leastConstant    float64
	outsentGain      float64
	cubicMean        float64
	beyondModel      float64
	unmetLoss        float64
	explains         float64
	bbrCliff         float64
	baselineShare    float64
	fairSample       float64
	thinShare        float64
	fullShare        float64
	leastLate        float64
	lateShare        float64
	lateNoise        float64
	shallowQueue     float64
	leastWait        float64
	queueRise        float64
	lossRise         float64
	lossIsLittle     float64
	byLossAlone      float64
	overSent         float64
	policerLoss      float64
	hiddenQueue      float64
	spuriousShare    float64
	strayShare       float64
	elsewhere        float64
	stuckShare       float64
	overloadLoss     float64
	leastSlope       float64
	fillingRise      float64
	slowerBy         float64
	relayedShare     float64
	clearRise        float64
	queuedRTT        float64
	leastInterval    float64
	sameEnd          float64
	soon             float64
	halfFull         float64
	leastSway        float64
	leastSwaySeconds float64
	smooth           float64
	creeping         float64
	creepingProbes   float64
	leastJump        float64
	fairGain         float64
	crowdedLeft      float64
	grownBy          float64
	crowdedAlike     float64
	stoppedShare     float64
	busyCore         float64
	carriersShare    float64
	ownShare         float64
	dropsShare       float64
	cappedLoss       float64
	carriedShare     float64
	endsBelow        float64
	tunnelShare      float64
	gainMatters      float64
	costsNothing     float64
	copiesConfidence float64
	copiesSpread     float64
	jitterOfRTT      float64
	bunchOfQueue     float64
	nearExcess       float64
	crowdGains       float64
	gentleShare      float64
	shapedShare      float64
	leastOutage      float64
	answeredShare    float64
	outageCosts      float64
	leastOvershoot   float64
	growingBack      float64
	leavesUnused     float64
	lossGrows        float64
	sshWindowShare   float64
	unmetInversions  float64
	bunchRise        float64
	jitterRise       float64
	jitterAlone      float64
	filledBack       float64
	knownShare       float64
	windowFull       float64
	nearBuffers      float64
	windowWhole      float64
	standsAt         float64
	takenShare       float64
	leastTaken       float64
	competes         float64
	nearlyFull       float64
	leastOffQueue    float64
	heavyLoss        float64
	sinksTo          float64
	policedLost      float64
	usedUp           float64
	hardlyWaited     float64
)

// thresholds are all of them. How many verdicts a change of ± 30 % to one turns
// is what `make bench-sensitivity` prints.
var thresholds = []Threshold{
	{at: &slowShare, Name: "slow-share", Value: 0.8, Why: "a stream that carries less of the path's capacity is slow: CUBIC's sawtooth over a queue of a tenth of a bandwidth-delay product averages 0.85 (RFC 9438, β = 0.7)"},
	{at: &shallowShare, Name: "start-share", Value: 0.7, Why: "above this share of the capacity a run's own start and a short queue explain the rest: CUBIC averages 0.85 in the long run, a sixth less in a run of seconds; a stream below it would gain more than a third"},
	{at: &limitShare, Name: "limit-share", Value: 0.3, Why: "a limit that held the sender for less of the time than this explains less than the difference between slow and not"},
	{at: &steadyFrom, Name: "steady-from", Value: 0.4, Why: "the share of a transfer after which slow start is over, or as good as"},
	{at: &windowFilled, Name: "window-filled", Value: 0.65, Why: "a receiver that limits keeps its window full; one that does not offers twice what was read in an RTT (tcp_rcv_space_adjust): the middle, leaning to 0.5 since rate × RTT does not count what is not read yet"},
	{at: &windowFull, Name: "window-full", Value: 0.9, Why: "of what was advertised is in flight: a window that autotuning opens stays at twice what was read in an RTT; what is left is the error of rate × RTT"},
	{at: &nearBuffers, Name: "near-buffers", Value: 0.5, Why: "of what the buffers hold is under way: CUBIC's window swings between 0.7 and 1.17 of its mean, a queue of up to a bandwidth-delay product comes on top, and how much of a buffer is payload is known to a half"},
	{at: &manyOfOne, Name: "many-of-one", Value: 1.5, Why: "where each stream's buffer is the limit, eight carry eight times what one does; half again leaves room for other traffic"},
	{at: &busyCPU, Name: "busy-cpu", Value: 0.9, Why: "the share of a core from which a program is as fast as it can be"},
	{at: &bloatFactor, Name: "bloat-factor", Value: 2, Why: "bufferbloat by definition: the RTT under load is more than twice the idle one …"},
	{at: &bloatExcess, Name: "bloat-excess", Value: 0.1, Why: "… and this many seconds above it"},
	{at: &outsentGain, Name: "outsent-gain", Value: 1.2, Why: "times as much came through of more UDP in the same full queue: one line gives any flood the same, but for the ends of a rung, some 0.05 of its length; of kept directions that differ by more in this order, all nine whose stream is slow have others"},
	{at: &leastConstant, Name: "least-constant", Value: 0.3, Why: "of the line that others take at a constant rate: without them a stream gains 1.4 times"},
	{at: &overFull, Name: "over-full", Value: 1.5, Why: "a queue that holds so many times what UDP overflowed it with is another one"},
	{at: &cubicMean, Name: "cubic-mean", Value: 0.85, Why: "over a full queue CUBIC's window, and with it the RTT, swings between 0.7 and 1 of its peak (RFC 9438 §4.6)"},
	{at: &beyondModel, Name: "beyond-model", Value: 20, Why: "no run of seconds carries this many times what the loss model leaves"},
	{at: &unmetLoss, Name: "unmet-loss", Value: 7, Why: "so many losses expected of a stream, and none met: one in a thousand streams is that lucky (e⁻⁷, Poisson)"},
	{at: &explains, Name: "model-spread", Value: 3, Why: "a run of seconds lies within this factor of the loss model's long-run mean"},
	{at: &bbrCliff, Name: "bbr-cliff", Value: 0.2, Why: "BBRv1 carries rate×(1−p) at 15 % loss and collapses at 20 %: its gain of 1.25 no longer makes up for the loss (measured)"},
	{at: &baselineShare, Name: "baseline-share", Value: 0.85, Why: "below this share of the capacity, loss is not congestion's"},
	{at: &fairSample, Name: "fair-sample", Value: 300, Why: "so many packets say something of a loss by not meeting it: none lost bounds it below 1.2 % (Clopper–Pearson, 95 %)"},
	{at: &thinShare, Name: "thin-share", Value: 0.5, Why: "of the way back is full of acknowledgements: they come in bursts, and a stream speeds up until they queue"},
	{at: &fullShare, Name: "full-share", Value: 0.8, Why: "of the way back leaves no doubt what holds the stream, wherever a queue stands: behind cake echo probes do not wait in that of the acknowledgements"},
	{at: &leastLate, Name: "least-late", Value: 0.01, Why: "seconds of lateness that are known: the two clocks' beginnings are known to some milliseconds …"},
	{at: &lateShare, Name: "late-share", Value: 0.2, Why: "… and to a fraction of the round trip …"},
	{at: &lateNoise, Name: "late-noise", Value: 2, Why: "… and, where the delay varies, to some standard deviations of the RTT: the word to begin and the first packet each met a delay of their own"},
	{at: &shallowQueue, Name: "shallow-queue", Value: 0.5, Why: "of the RTT: with a queue of half a bandwidth-delay product CUBIC's window never falls below 0.7·1.5 of the pipe (RFC 9438 §4.6)"},
	{at: &leastWait, Name: "least-wait", Value: 0.002, Why: "seconds that tell a wait from the error of the probes"},
	{at: &queueRise, Name: "queue-rise", Value: 0.1, Why: "of the idle RTT: a rise of the loaded one by more is a queue's, where it is also above four standard errors and 1 ms"},
	{at: &lossRise, Name: "loss-rise", Value: 1.2, Why: "a stream that lost at an RTT of more than this many idle ones had filled a queue"},
	{at: &lossIsLittle, Name: "loss-is-little", Value: 0.7, Why: "of the capacity: where the loss below a policer's rate would leave more, it explains nothing"},
	{at: &byLossAlone, Name: "by-loss-alone", Value: 0.5, Why: "of what the loss model leaves: a stream that carries less suffers from more than loss"},
	{at: &overSent, Name: "over-sent", Value: 1.05, Why: "a rung that left so much faster than it arrived was above the ceiling: headers and the pacer's error are below 5 %"},
	{at: &policerLoss, Name: "policer-loss", Value: 0.04, Why: "more is lost above a policer's rate than below it: what the rung sent too much, less the bucket"},
	{at: &hiddenQueue, Name: "hidden-queue", Value: 0.25, Why: "of the idle RTT: noise or delay above this could hide a queue, and then nothing is called a policer"},
	{at: &spuriousShare, Name: "spurious-share", Value: 0.2, Why: "of the retransmits were needless, by DSACK: tail loss probes and timeouts alone stay below (at least three)"},
	{at: &strayShare, Name: "stray-share", Value: 0.002, Why: "of the UDP packets arrived out of order, at least three: less does not reach TCP's reordering degree of three often"},
	{at: &elsewhere, Name: "elsewhere", Value: 1.1, Why: "a path that delivered so much more at another time was not overloaded by this rung"},
	{at: &stuckShare, Name: "stuck-share", Value: 0.9, Why: "a rung that arrived slower than this without loss stands in a queue"},
	{at: &overloadLoss, Name: "overload-loss", Value: 0.02, Why: "an overloaded rung loses this much more than the gentlest, with 95 % confidence"},
	{at: &leastSlope, Name: "least-slope", Value: 0.02, Why: "seconds a second: a delay that grows by less is drift, were it above three standard errors"},
	{at: &fillingRise, Name: "filling-rise", Value: 1.25, Why: "of the idle RTT: a stream whose RTT stands higher fills the queue itself. An AQM keeps a stream's queue short, and lets a flood of UDP fill it"},
	{at: &slowerBy, Name: "slower-by", Value: 4.0 / 3, Why: "a stream that is this many times faster without its relay suffers from it: it gains a third"},
	{at: &relayedShare, Name: "relayed-share", Value: 0.5, Why: "of a stream's time through a relay makes the relay the stream's own matter"},
	{at: &clearRise, Name: "clear-rise", Value: 0.02, Why: "seconds: an RTT inside a tunnel that rises by more does not stand in the kernel's queue at this host's own card"},
	{at: &queuedRTT, Name: "queued-rtt", Value: 1.25, Why: "a TCP whose RTT stands below this many times its idle one has no queue of its own before it"},
	{at: &leastInterval, Name: "least-interval", Value: 0.5, Why: "seconds: a shorter interval of the far end's count holds too few packets to tell a rate"},
	{at: &sameEnd, Name: "same-end", Value: 0.25, Why: "a queue that others fill is as long for them as for us, within this share of its span. Jitter whose order is kept moves slowly as well, but has no end: our overload goes beyond"},
	{at: &soon, Name: "soon", Value: 8, Why: "seconds: a stream that grows and fills the path within this is not held back, the check was short"},
	{at: &halfFull, Name: "half-full", Value: 0.5, Why: "of the path's bandwidth-delay product under way: a slow start that gets so far needs one round trip more"},
	{at: &leastSway, Name: "least-sway", Value: 0.02, Why: "of the RTT: timers and probes make less of a constant delay …"},
	{at: &leastSwaySeconds, Name: "least-sway-seconds", Value: 0.001, Why: "… and less than these seconds"},
	{at: &smooth, Name: "smooth", Value: 1.4, Why: "for independent values von Neumann's ratio is 2, and below 1.4 with a probability of 0.5 % at fifty values (its standard deviation is 2/√n; von Neumann 1941). A queue's length hardly changes between two probes"},
	{at: &creeping, Name: "creeping", Value: 0.1, Why: "von Neumann's ratio of jitter that keeps the order is above this in 99 of 100 series of 76 probes (simulated in sway_test.go: normal, uniform, Pareto of index 3), as long as its standard deviation is below …"},
	{at: &creepingProbes, Name: "creeping-probes", Value: 3, Why: "… so many times the distance of two probes"},
	{at: &leastJump, Name: "least-jump", Value: 1.0 / 3, Why: "of what the idle RTT spans, from one probe to the next: a handover's shift, and no queue"},
	{at: &fairGain, Name: "fair-gain", Value: 1.25, Why: "eight streams that get so many times what any one flow does, a flood of UDP included, take turns with others' flows"},
	{at: &crowdedLeft, Name: "crowded-left", Value: 1.3, Why: "UDP carries so many times what eight streams do that keep the queue full: others have the rest"},
	{at: &crowdedAlike, Name: "crowded-alike", Value: 1.5, Why: "eight streams that carry less than this many times what one does, in a queue less than this many times as long as ours at its fullest, meet the same limit"},
	{at: &grownBy, Name: "grown-by", Value: 1.1, Why: "a window that grew by so much over the last part of a stream was not held where it is; the tenth by which a transfer's quarters are called growing"},
	{at: &stoppedShare, Name: "stopped-share", Value: 0.5, Why: "of its periods: a program that is stopped in more of them had more to do than its limit allows most of the time; with a limit that does not hold it back it is stopped in none or in few (measured: 0.95 to 1, and 0 to 0.05)"},
	{at: &busyCore, Name: "busy-core", Value: 0.95, Why: "a core without rest: what is left is the error of counting in hundredths of a second over seconds, and the kernel's own wake-ups"},
	{at: &carriersShare, Name: "carriers-share", Value: 0.75, Why: "of a full core goes to packets: what else runs there then takes less than a third of what the stream has, the gain from which a stream is called slow"},
	{at: &ownShare, Name: "own-share", Value: 0.5, Why: "of a full core goes to a host's own TCP: more than to all else there, so that the stream would gain less than twice from what else runs"},
	{at: &dropsShare, Name: "drops-share", Value: 0.5, Why: "of the stream's losses were a socket's drops: without them less than half are left, and a loss-based stream carries 1.4 times as much or more (√2, RFC 9438 §5.1)"},
	{at: &cappedLoss, Name: "capped-loss", Value: 0.15, Why: "UDP that loses more beside TCP at 0.7 of what a stream carries has met an end of its rate: random loss of so much leaves TCP no rate to compare"},
	{at: &carriedShare, Name: "carried-share", Value: 0.6, Why: "of the rate that TCP was to keep to: the rest is its start, a few round trips of a test of some seven tenths of a second"},
	{at: &endsBelow, Name: "ends-below", Value: 1.25, Why: "TCP that carried so many times what arrived of UDP was not held to UDP's rate: a burst that a bucket took in makes less of a test"},
	{at: &tunnelShare, Name: "tunnel-share", Value: 0.93, Why: "of the rate outside is payload inside: WireGuard's headers are 60 to 80 bytes of 1,500 (RFC 791, RFC 8200, WireGuard's transport message)"},
	{at: &gainMatters, Name: "gain-matters", Value: 1.33, Why: "copies of the path that carry so many times as much without a cause make it one: the gain from which a stream is called slow"},
	{at: &costsNothing, Name: "costs-nothing", Value: 1.15, Why: "a gain that is no more than what a copy's runs differ by"},
	{at: &copiesConfidence, Name: "copies-confidence", Value: 0.8, Why: "of a cause by the copies of a path alone: their rates are within 25 % of the path's in some 85 of 100 (make bench-predict)"},
	{at: &copiesSpread, Name: "copies-spread", Value: 1.2, Why: "the upper end of a gain's interval lies so far above what rules a cause out, beyond the tenth that the lab's model is off"},
	{at: &jitterOfRTT, Name: "jitter-of-rtt", Value: 0.1, Why: "a standard deviation of the RTT below this share of it bunches packets by less than an eighth of the RTT, which slow start's own exit allows (HyStart, tcp_cubic.c)"},
	{at: &bunchOfQueue, Name: "bunch-of-queue", Value: 0.125, Why: "of the time that a full queue takes to drain: delays eight standard deviations apart, four to either side, are all that there are, and bunch as much as the queue holds"},
	{at: &unmetInversions, Name: "unmet-inversions", Value: 7, Why: "so many echo probes overtaken expected of independent delays, and none seen: one path in a thousand is that lucky (e⁻⁷, Poisson). Of 29 recorded paths that let packets overtake each saw as many as expected, to a third; of 19 that keep the order none saw one"},
	{at: &bunchRise, Name: "bunch-rise", Value: math.Sqrt2 / 2, Why: "of the RTT's standard deviation: one direction's, where both vary alike. A packet that waits for the slowest of those before it comes later by that much or more"},
	{at: &jitterRise, Name: "jitter-rise", Value: 0.6, Why: "of the RTT's standard deviation: where all rungs that fill no queue rise the RTT by so much, its delay varies by itself and keeps the order. Of 17 recorded directions like that whose RTT moves slowly, 15 rise by 0.8 and more; of 36 with others' traffic none by more than 0.5"},
	{at: &jitterAlone, Name: "jitter-alone", Value: 0.2, Why: "of the RTT: others' traffic moved it by a standard deviation of 0.12 at most in 36 recorded directions, delay that varies by itself by 0.29 and more in 19 of 20"},
	{at: &filledBack, Name: "filled-back", Value: 0.6, Why: "of the way back's rate is what the receiver sent while the stream ran: acknowledgements come in bursts, and on a slow line the rate of the way back is known from bursts as well, which a queue swallows in part"},
	{at: &sshWindowShare, Name: "ssh-window-share", Value: 0.7, Why: "of what SSH's window lets through in a round trip: it is renewed when a part of it is used up, so that a stream it limits stays somewhat below"},
	{at: &shapedShare, Name: "shaped-share", Value: 0.2, Why: "of the packets had to wait for a shaper: one that limits the rate holds back each that comes while its bucket is empty; one that does not is met by the start's bursts alone"},
	{at: &leastOutage, Name: "least-outage", Value: 0.4, Why: "seconds without any answer: twenty probes in a row, and longer than TCP's least retransmission timeout (200 ms), doubled once"},
	{at: &answeredShare, Name: "answered-share", Value: 0.7, Why: "of the probes outside outages must be answered: a host that answers only so many a second is silent by itself"},
	{at: &outageCosts, Name: "outage-costs", Value: 1.5, Why: "a stream stands still for as long as an outage and until the timer's next try; tries double their distance (RFC 6298 §5.5), so that the next one comes after up to the outage's length again, half of it on average"},
	{at: &leastOvershoot, Name: "least-overshoot", Value: 10, Why: "segments lost at once: slow start doubles, so that what exceeds the path and its queue is a good part of a window of dozens; random loss takes one here and one there"},
	{at: &growingBack, Name: "growing-back", Value: 2, Why: "round trips without a loss after slow start's end tell that the loss was its own"},
	{at: &leavesUnused, Name: "leaves-unused", Value: 0.3, Why: "of the path's rate: streams that together carry less stay so far below it that their own bursts fill no queue for long"},
	{at: &lossGrows, Name: "loss-grows", Value: 2, Why: "eight streams lose so many times the share that one does: counts of forty and more differ by less than a third by chance, bursts of loss by about as much again"},
	{at: &gentleShare, Name: "gentle-share", Value: 0.5, Why: "of the path's rate: evenly sent packets at less than half of it fill no queue, so that a delay that rises then is not a queue's"},
	{at: &nearExcess, Name: "near-excess", Value: 0.7, Why: "of bloat-excess: how long a queue is that a stream of seconds fills differs by a third from run to run"},
	{at: &crowdGains, Name: "crowd-gains", Value: 4, Why: "eight streams that are each held back by themselves carry so many times what one does at the least: half of eight, since some have not grown yet"},
	{at: &knownShare, Name: "known-share", Value: 0.5, Why: "of a rung's packets must be known: of one whose end never came, the share lost is that of its beginning alone"},
	{at: &windowWhole, Name: "window-whole", Value: 0.9, Why: "of the advertised window under way, by rate and round trip: the rest is what is on its way to be read"},
	{at: &standsAt, Name: "stands-at", Value: 0.15, Why: "of the full queue's wait: what stands above that is no probe's error, and a bottleneck with any queue at all is busy"},
	{at: &takenShare, Name: "taken-share", Value: 0.7, Why: "of the path's rate: a stream that has less of a busy bottleneck gains more than a third without whoever has the rest"},
	{at: &leastTaken, Name: "least-taken", Value: 0.5, Why: "seconds in which others have a part: less is a burst"},
	{at: &competes, Name: "competes", Value: 0.1, Why: "of the mean share: what a stream has of a bottleneck beside others' windows changes by more from moment to moment (0.16 to 0.7 on kept records), what a lower rate of the path gives it by less (0.00 to 0.05)"},
	{at: &nearlyFull, Name: "nearly-full", Value: 0.75, Why: "of the full queue's wait: a queue that drops what finds no room does so when it is full; the quarter is what it drains between two probes"},
	{at: &leastOffQueue, Name: "least-off-queue", Value: 2, Why: "losses while the queue was far from full: one alone may be a packet that came late, or a burst between two probes"},
	{at: &usedUp, Name: "used-up", Value: 0.2, Why: "of a rung's packets lost, where a faster one before lost none: random loss and its bursts take of all alike, a bucket that is used up what exceeds the rate"},
	{at: &policedLost, Name: "policed-lost", Value: 0.05, Why: "of a stream's packets: a policer drops all that exceeds its rate, in slow start half of what is sent; random loss of so much shows without load as well"},
	{at: &hardlyWaited, Name: "hardly-waited", Value: 0.02, Why: "of the RTT: a queue that overflows and is shorter holds a fiftieth of the bandwidth-delay product, which hardly differs from none"},
	{at: &heavyLoss, Name: "heavy-loss", Value: 0.05, Why: "of the packets lost at random takes a link out of service, or makes it resend by itself: of six kept paths that lost as much evenly sent UDP one did so at random. The others had others' traffic, a policer, or a rate that changed"},
	{at: &sinksTo, Name: "sinks-to", Value: 0.6, Why: "of the path's rate: a stream that is left so much in the long run gains two thirds without its losses. An AQM drops early as well, but seldom: what it drops leaves a stream 0.8 of the rate and more (of 500 kept directions 0.76 at the least, but for BBR's, which goes on in spite of it)"},
}

func init() {
	for _, t := range thresholds {
		*t.at = t.Value
	}
}

// Thresholds lists the numbers by which the diagnosis decides.
func Thresholds() []Threshold { return slices.Clone(thresholds) }

// Scaled calls do while the threshold has a multiple of its value, for benches
// that ask how much depends on it. No other diagnosis may run meanwhile.
func (t Threshold) Scaled(factor float64, do func()) {
	defer func() { *t.at = t.Value }()
	*t.at = factor * t.Value
	do()
}
