package view

import (
	"math"

	"unchoke/internal/diagnose/threshold"
)

// Each has its reason in the table. A constant that follows from a protocol, a
// header's size for instance, is none of these: it stands where it is used.
var (
	SlowShare       = 0.8
	ShallowShare    = 0.7
	LimitShare      = 0.3
	windowFilled    = 0.65
	windowFull      = 0.9
	nearBuffers     = 0.5
	manyOfOne       = 1.5
	BusyCPU         = 0.9
	BloatFactor     = 2.0
	BloatExcess     = 0.1
	outsentGain     = 1.2
	exactGain       = 1.02
	leastConstant   = 0.3
	overFull        = 1.5
	cubicMean       = 0.85
	beyondModel     = 20.0
	unmetLoss       = 7.0
	ModelSpread     = 3.0
	BBRCliff        = 0.2
	baselineShare   = 0.85
	fairSample      = 300.0
	ThinShare       = 0.5
	fullShare       = 0.8
	ShallowQueue    = 0.5
	leastWait       = 0.002
	QueueRise       = 0.1
	lossRise        = 1.2
	lossIsLittle    = 0.7
	ByLossAlone     = 0.5
	overSent        = 1.05
	policerLoss     = 0.04
	hiddenQueue     = 0.25
	spuriousShare   = 0.2
	strayShare      = 0.002
	fillingRise     = 1.25
	RelayedShare    = 0.5
	sameEnd         = 0.25
	leastSway       = 0.02
	smooth          = 1.4
	creeping        = 0.3
	leastJump       = 1.0 / 3
	fairGain        = 1.25
	crowdedLeft     = 1.3
	crowdedAlike    = 1.5
	GainMatters     = 1.33
	JitterOfRTT     = 0.1
	HeavyLoss       = 0.05
	heldShare       = 0.8
	behindShare     = 0.05
	bunchOfQueue    = 0.125
	unmetInversions = 7.0
	bunchRise       = math.Sqrt2 / 2
	jitterRise      = 0.6
	jitterAlone     = 0.2
	filledBack      = 0.6
	OutageCosts     = 1.5
	leavesUnused    = 0.3
	lossGrows       = 2.0
	gentleShare     = 0.5
	nearExcess      = 0.7
	crowdGains      = 4.0
	knownShare      = 0.5
	windowWhole     = 0.9
	standsAt        = 0.15
	takenShare      = 0.7
	leastTaken      = 0.5
	competes        = 0.1
	nearlyFull      = 0.75
	usedUp          = 0.2
	sinksTo         = 0.75
)

// Thresholds are the numbers by which this package decides.
var Thresholds = []threshold.Threshold{
	{At: &SlowShare, Name: "slow-share", Why: "a stream that carries less of the path's capacity is slow: CUBIC's sawtooth over a queue of a tenth of a bandwidth-delay product averages 0.85 (RFC 9438, β = 0.7)"},
	{At: &ShallowShare, Name: "start-share", Why: "above this share of the capacity a run's own start and a short queue explain the rest: CUBIC averages 0.85 in the long run, a sixth less in a run of seconds; a stream below it would gain more than a third"},
	{At: &LimitShare, Name: "limit-share", Why: "a limit that held the sender for less of the time than this explains less than the difference between slow and not"},
	{At: &windowFilled, Name: "window-filled", Why: "a receiver that limits keeps its window full; one that does not offers twice what was read in an RTT (tcp_rcv_space_adjust): the middle, leaning to 0.5 since rate × RTT does not count what is not read yet"},
	{At: &windowFull, Name: "window-full", Why: "of what was advertised is in flight: a window that autotuning opens stays at twice what was read in an RTT; what is left is the error of rate × RTT"},
	{At: &nearBuffers, Name: "near-buffers", Why: "of what the buffers hold is under way: CUBIC's window swings between 0.7 and 1.17 of its mean, a queue of up to a bandwidth-delay product comes on top, and how much of a buffer is payload is known to a half"},
	{At: &manyOfOne, Name: "many-of-one", Why: "where each stream's buffer is the limit, eight carry eight times what one does; half again leaves room for other traffic"},
	{At: &BusyCPU, Name: "busy-cpu", Why: "the share of a core from which a program is as fast as it can be"},
	{At: &BloatFactor, Name: "bloat-factor", Why: "bufferbloat by definition: the RTT under load is more than twice the idle one …"},
	{At: &BloatExcess, Name: "bloat-excess", Why: "… and this many seconds above it"},
	{At: &outsentGain, Name: "outsent-gain", Why: "times as much came through of more UDP in the same full queue: one line gives any flood the same, but for the ends of a rung, some 0.05 of its length; of kept directions that differ by more in this order, all nine whose stream is slow have others"},
	{At: &exactGain, Name: "exact-gain", Why: "times as much came through of more UDP that this host timed, in a queue that took as long to a hundredth: of 20 kept downloads without others and without jitter the figures differ by 0.6 % at the most"},
	{At: &leastConstant, Name: "least-constant", Why: "of the line that others take at a constant rate: without them a stream gains 1.4 times"},
	{At: &overFull, Name: "over-full", Why: "a queue that holds so many times what UDP overflowed it with is another one"},
	{At: &cubicMean, Name: "cubic-mean", Why: "over a full queue CUBIC's window, and with it the RTT, swings between 0.7 and 1 of its peak (RFC 9438 §4.6)"},
	{At: &beyondModel, Name: "beyond-model", Why: "no run of seconds carries this many times what the loss model leaves"},
	{At: &unmetLoss, Name: "unmet-loss", Why: "so many losses expected of a stream, and none met: one in a thousand streams is that lucky (e⁻⁷, Poisson)"},
	{At: &ModelSpread, Name: "model-spread", Why: "a run of seconds lies within this factor of the loss model's long-run mean"},
	{At: &BBRCliff, Name: "bbr-cliff", Why: "BBRv1 carries rate×(1−p) at 15 % loss and collapses at 20 %: its gain of 1.25 no longer makes up for the loss (measured)"},
	{At: &baselineShare, Name: "baseline-share", Why: "below this share of the capacity, loss is not congestion's"},
	{At: &fairSample, Name: "fair-sample", Why: "so many packets say something of a loss by not meeting it: none lost bounds it below 1.2 % (Clopper–Pearson, 95 %)"},
	{At: &ThinShare, Name: "thin-share", Why: "of the way back is full of acknowledgements: they come in bursts, and a stream speeds up until they queue"},
	{At: &fullShare, Name: "full-share", Why: "of the way back leaves no doubt what holds the stream, wherever a queue stands: behind cake echo probes do not wait in that of the acknowledgements"},
	{At: &ShallowQueue, Name: "shallow-queue", Why: "of the RTT: with a queue of half a bandwidth-delay product CUBIC's window never falls below 0.7·1.5 of the pipe (RFC 9438 §4.6)"},
	{At: &leastWait, Name: "least-wait", Why: "seconds that tell a wait from the error of the probes"},
	{At: &QueueRise, Name: "queue-rise", Why: "of the idle RTT: a rise of the loaded one by more is a queue's, where it is also above four standard errors and 1 ms"},
	{At: &lossRise, Name: "loss-rise", Why: "a stream that lost at an RTT of more than this many idle ones had filled a queue"},
	{At: &lossIsLittle, Name: "loss-is-little", Why: "of the capacity: where the loss below a policer's rate would leave more, it explains nothing"},
	{At: &ByLossAlone, Name: "by-loss-alone", Why: "of what the loss model leaves: a stream that carries less suffers from more than loss"},
	{At: &overSent, Name: "over-sent", Why: "a rung that left so much faster than it arrived was above the ceiling: headers and the pacer's error are below 5 %"},
	{At: &policerLoss, Name: "policer-loss", Why: "more is lost above a policer's rate than below it: what the rung sent too much, less the bucket"},
	{At: &hiddenQueue, Name: "hidden-queue", Why: "of the idle RTT: noise or delay above this could hide a queue, and then nothing is called a policer"},
	{At: &spuriousShare, Name: "spurious-share", Why: "of the retransmits were needless, by DSACK: tail loss probes and timeouts alone stay below (at least three)"},
	{At: &strayShare, Name: "stray-share", Why: "of the UDP packets arrived out of order, at least three: less does not reach TCP's reordering degree of three often"},
	{At: &fillingRise, Name: "filling-rise", Why: "of the idle RTT: a stream whose RTT stands higher fills the queue itself. An AQM keeps a stream's queue short, and lets a flood of UDP fill it"},
	{At: &RelayedShare, Name: "relayed-share", Why: "of a stream's time through a relay makes the relay the stream's own matter"},
	{At: &sameEnd, Name: "same-end", Why: "a queue that others fill is as long for them as for us, within this share of its span. Jitter whose order is kept moves slowly as well, but has no end: our overload goes beyond"},
	{At: &leastSway, Name: "least-sway", Why: "of the RTT: timers and probes make less of a constant delay …"},
	{At: &smooth, Name: "smooth", Why: "for independent values von Neumann's ratio is 2, and below 1.4 with a probability of 0.5 % at fifty values (its standard deviation is 2/√n; von Neumann 1941). A queue's length hardly changes between two probes"},
	{At: &creeping, Name: "creeping", Why: "distances of two probes over the standard deviation: von Neumann's ratio of jitter that keeps the order is above this many in 199 of 200 series of 76 probes, but where a single late packet makes a jump (simulated in sway_test.go: normal, uniform, Pareto of index 3, σ of 0.05 to 12 distances)"},
	{At: &leastJump, Name: "least-jump", Why: "of what the idle RTT spans, from one probe to the next: a handover's shift, and no queue"},
	{At: &fairGain, Name: "fair-gain", Why: "eight streams that get so many times what any one flow does, a flood of UDP included, take turns with others' flows"},
	{At: &crowdedLeft, Name: "crowded-left", Why: "UDP carries so many times what eight streams do that keep the queue full: others have the rest"},
	{At: &crowdedAlike, Name: "crowded-alike", Why: "eight streams that carry less than this many times what one does, in a queue less than this many times as long as ours at its fullest, meet the same limit"},
	{At: &GainMatters, Name: "gain-matters", Why: "copies of the path that carry so many times as much without a cause make it one: the gain from which a stream is called slow"},
	{At: &behindShare, Name: "behind-share", Why: "of what the idle RTT spans: evenly sent packets that are delayed by less do not stand in the queue that moves it. Of kept downloads with others on one way alone, 5 of 5 on the way back have 0.00, 15 of 15 on the way down 0.16 and more"},
	{At: &heldShare, Name: "held-share", Why: "of a stream's time: the rest is its start and its end"},
	{At: &HeavyLoss, Name: "heavy-loss", Why: "of the packets lost at random takes a link out of service, or makes it resend by itself: of six kept paths that lost as much evenly sent UDP one did so at random. The others had others' traffic, a policer, or a rate that changed"},
	{At: &JitterOfRTT, Name: "jitter-of-rtt", Why: "a standard deviation of the RTT below this share of it bunches packets by less than an eighth of the RTT, which slow start's own exit allows (HyStart, tcp_cubic.c)"},
	{At: &bunchOfQueue, Name: "bunch-of-queue", Why: "of the time that a full queue takes to drain: delays eight standard deviations apart, four to either side, are all that there are, and bunch as much as the queue holds"},
	{At: &unmetInversions, Name: "unmet-inversions", Why: "so many echo probes overtaken expected of independent delays, and none seen: one path in a thousand is that lucky (e⁻⁷, Poisson). Of 29 recorded paths that let packets overtake each saw as many as expected, to a third; of 19 that keep the order none saw one"},
	{At: &bunchRise, Name: "bunch-rise", Why: "of the RTT's standard deviation: one direction's, where both vary alike. A packet that waits for the slowest of those before it comes later by that much or more"},
	{At: &jitterRise, Name: "jitter-rise", Why: "of the RTT's standard deviation: where all rungs that fill no queue rise the RTT by so much, its delay varies by itself and keeps the order. Of 17 recorded directions like that whose RTT moves slowly, 15 rise by 0.8 and more; of 36 with others' traffic none by more than 0.5"},
	{At: &jitterAlone, Name: "jitter-alone", Why: "of the RTT: others' traffic moved it by a standard deviation of 0.12 at most in 36 recorded directions, delay that varies by itself by 0.29 and more in 19 of 20"},
	{At: &filledBack, Name: "filled-back", Why: "of the way back's rate is what the receiver sent while the stream ran: acknowledgements come in bursts, and on a slow line the rate of the way back is known from bursts as well, which a queue swallows in part"},
	{At: &OutageCosts, Name: "outage-costs", Why: "a stream stands still for as long as an outage and until the timer's next try; tries double their distance (RFC 6298 §5.5), so that the next one comes after up to the outage's length again, half of it on average"},
	{At: &leavesUnused, Name: "leaves-unused", Why: "of the path's rate: streams that together carry less stay so far below it that their own bursts fill no queue for long"},
	{At: &lossGrows, Name: "loss-grows", Why: "eight streams lose so many times the share that one does: counts of forty and more differ by less than a third by chance, bursts of loss by about as much again"},
	{At: &gentleShare, Name: "gentle-share", Why: "of the path's rate: evenly sent packets at less than half of it fill no queue, so that a delay that rises then is not a queue's"},
	{At: &nearExcess, Name: "near-excess", Why: "of bloat-excess: how long a queue is that a stream of seconds fills differs by a third from run to run"},
	{At: &crowdGains, Name: "crowd-gains", Why: "eight streams that are each held back by themselves carry so many times what one does at the least: half of eight, since some have not grown yet"},
	{At: &knownShare, Name: "known-share", Why: "of a rung's packets must be known: of one whose end never came, the share lost is that of its beginning alone"},
	{At: &windowWhole, Name: "window-whole", Why: "of the advertised window under way, by rate and round trip: the rest is what is on its way to be read"},
	{At: &standsAt, Name: "stands-at", Why: "of the full queue's wait: what stands above that is no probe's error, and a bottleneck with any queue at all is busy"},
	{At: &takenShare, Name: "taken-share", Why: "of the path's rate: a stream that has less of a busy bottleneck gains more than a third without whoever has the rest"},
	{At: &leastTaken, Name: "least-taken", Why: "seconds in which others have a part: less is a burst"},
	{At: &competes, Name: "competes", Why: "of the mean share: what a stream has of a bottleneck beside others' windows changes by more from moment to moment (0.16 to 0.7 on kept records), what a lower rate of the path gives it by less (0.00 to 0.05)"},
	{At: &nearlyFull, Name: "nearly-full", Why: "of the full queue's wait: a queue that drops what finds no room does so when it is full; the quarter is what it drains between two probes"},
	{At: &usedUp, Name: "used-up", Why: "of a rung's packets lost, where a faster one before lost none: random loss and its bursts take of all alike, a bucket that is used up what exceeds the rate"},
	{At: &sinksTo, Name: "sinks-to", Why: "of the path's rate: a stream that is left so much in the long run gains a third without its losses. An AQM drops early as well, but seldom: what it drops leaves a stream 0.8 of the rate and more (of 500 kept directions 0.76 at the least, but for BBR's, which goes on in spite of it)"},
}
