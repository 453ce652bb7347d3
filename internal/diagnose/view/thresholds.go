package view

import (
	"math"

	"unchoke/internal/diagnose/threshold"
)

// The values are in the table. A constant that follows from a protocol, a
// header's size for instance, is none of these: it stands where it is used.
var (
	SlowShare       float64
	ShallowShare    float64
	LimitShare      float64
	windowFilled    float64
	windowFull      float64
	nearBuffers     float64
	manyOfOne       float64
	BusyCPU         float64
	BloatFactor     float64
	BloatExcess     float64
	outsentGain     float64
	exactGain       float64
	leastConstant   float64
	overFull        float64
	cubicMean       float64
	beyondModel     float64
	unmetLoss       float64
	ModelSpread     float64
	BBRCliff        float64
	baselineShare   float64
	fairSample      float64
	ThinShare       float64
	fullShare       float64
	ShallowQueue    float64
	leastWait       float64
	queueRise       float64
	lossRise        float64
	lossIsLittle    float64
	ByLossAlone     float64
	overSent        float64
	policerLoss     float64
	hiddenQueue     float64
	spuriousShare   float64
	strayShare      float64
	fillingRise     float64
	RelayedShare    float64
	clearRise       float64
	sameEnd         float64
	leastSway       float64
	smooth          float64
	creeping        float64
	leastJump       float64
	fairGain        float64
	crowdedLeft     float64
	crowdedAlike    float64
	grownBy         float64
	TunnelShare     float64
	GainMatters     float64
	JitterOfRTT     float64
	HeavyLoss       float64
	heldShare       float64
	behindShare     float64
	bunchOfQueue    float64
	unmetInversions float64
	bunchRise       float64
	jitterRise      float64
	jitterAlone     float64
	filledBack      float64
	OutageCosts     float64
	leavesUnused    float64
	lossGrows       float64
	gentleShare     float64
	nearExcess      float64
	crowdGains      float64
	knownShare      float64
	windowWhole     float64
	standsAt        float64
	takenShare      float64
	leastTaken      float64
	competes        float64
	nearlyFull      float64
	usedUp          float64
	sinksTo         float64
)

// Thresholds are the numbers by which this package decides.
var Thresholds = []threshold.Threshold{
	threshold.New(&SlowShare, "slow-share", 0.8, "a stream that carries less of the path's capacity is slow: CUBIC's sawtooth over a queue of a tenth of a bandwidth-delay product averages 0.85 (RFC 9438, β = 0.7)"),
	threshold.New(&ShallowShare, "start-share", 0.7, "above this share of the capacity a run's own start and a short queue explain the rest: CUBIC averages 0.85 in the long run, a sixth less in a run of seconds; a stream below it would gain more than a third"),
	threshold.New(&LimitShare, "limit-share", 0.3, "a limit that held the sender for less of the time than this explains less than the difference between slow and not"),
	threshold.New(&windowFilled, "window-filled", 0.65, "a receiver that limits keeps its window full; one that does not offers twice what was read in an RTT (tcp_rcv_space_adjust): the middle, leaning to 0.5 since rate × RTT does not count what is not read yet"),
	threshold.New(&windowFull, "window-full", 0.9, "of what was advertised is in flight: a window that autotuning opens stays at twice what was read in an RTT; what is left is the error of rate × RTT"),
	threshold.New(&nearBuffers, "near-buffers", 0.5, "of what the buffers hold is under way: CUBIC's window swings between 0.7 and 1.17 of its mean, a queue of up to a bandwidth-delay product comes on top, and how much of a buffer is payload is known to a half"),
	threshold.New(&manyOfOne, "many-of-one", 1.5, "where each stream's buffer is the limit, eight carry eight times what one does; half again leaves room for other traffic"),
	threshold.New(&BusyCPU, "busy-cpu", 0.9, "the share of a core from which a program is as fast as it can be"),
	threshold.New(&BloatFactor, "bloat-factor", 2, "bufferbloat by definition: the RTT under load is more than twice the idle one …"),
	threshold.New(&BloatExcess, "bloat-excess", 0.1, "… and this many seconds above it"),
	threshold.New(&outsentGain, "outsent-gain", 1.2, "times as much came through of more UDP in the same full queue: one line gives any flood the same, but for the ends of a rung, some 0.05 of its length; of kept directions that differ by more in this order, all nine whose stream is slow have others"),
	threshold.New(&exactGain, "exact-gain", 1.02, "times as much came through of more UDP that this host timed, in a queue that took as long to a hundredth: of 20 kept downloads without others and without jitter the figures differ by 0.6 % at the most"),
	threshold.New(&leastConstant, "least-constant", 0.3, "of the line that others take at a constant rate: without them a stream gains 1.4 times"),
	threshold.New(&overFull, "over-full", 1.5, "a queue that holds so many times what UDP overflowed it with is another one"),
	threshold.New(&cubicMean, "cubic-mean", 0.85, "over a full queue CUBIC's window, and with it the RTT, swings between 0.7 and 1 of its peak (RFC 9438 §4.6)"),
	threshold.New(&beyondModel, "beyond-model", 20, "no run of seconds carries this many times what the loss model leaves"),
	threshold.New(&unmetLoss, "unmet-loss", 7, "so many losses expected of a stream, and none met: one in a thousand streams is that lucky (e⁻⁷, Poisson)"),
	threshold.New(&ModelSpread, "model-spread", 3, "a run of seconds lies within this factor of the loss model's long-run mean"),
	threshold.New(&BBRCliff, "bbr-cliff", 0.2, "BBRv1 carries rate×(1−p) at 15 % loss and collapses at 20 %: its gain of 1.25 no longer makes up for the loss (measured)"),
	threshold.New(&baselineShare, "baseline-share", 0.85, "below this share of the capacity, loss is not congestion's"),
	threshold.New(&fairSample, "fair-sample", 300, "so many packets say something of a loss by not meeting it: none lost bounds it below 1.2 % (Clopper–Pearson, 95 %)"),
	threshold.New(&ThinShare, "thin-share", 0.5, "of the way back is full of acknowledgements: they come in bursts, and a stream speeds up until they queue"),
	threshold.New(&fullShare, "full-share", 0.8, "of the way back leaves no doubt what holds the stream, wherever a queue stands: behind cake echo probes do not wait in that of the acknowledgements"),
	threshold.New(&ShallowQueue, "shallow-queue", 0.5, "of the RTT: with a queue of half a bandwidth-delay product CUBIC's window never falls below 0.7·1.5 of the pipe (RFC 9438 §4.6)"),
	threshold.New(&leastWait, "least-wait", 0.002, "seconds that tell a wait from the error of the probes"),
	threshold.New(&queueRise, "queue-rise", 0.1, "of the idle RTT: a rise of the loaded one by more is a queue's, where it is also above four standard errors and 1 ms"),
	threshold.New(&lossRise, "loss-rise", 1.2, "a stream that lost at an RTT of more than this many idle ones had filled a queue"),
	threshold.New(&lossIsLittle, "loss-is-little", 0.7, "of the capacity: where the loss below a policer's rate would leave more, it explains nothing"),
	threshold.New(&ByLossAlone, "by-loss-alone", 0.5, "of what the loss model leaves: a stream that carries less suffers from more than loss"),
	threshold.New(&overSent, "over-sent", 1.05, "a rung that left so much faster than it arrived was above the ceiling: headers and the pacer's error are below 5 %"),
	threshold.New(&policerLoss, "policer-loss", 0.04, "more is lost above a policer's rate than below it: what the rung sent too much, less the bucket"),
	threshold.New(&hiddenQueue, "hidden-queue", 0.25, "of the idle RTT: noise or delay above this could hide a queue, and then nothing is called a policer"),
	threshold.New(&spuriousShare, "spurious-share", 0.2, "of the retransmits were needless, by DSACK: tail loss probes and timeouts alone stay below (at least three)"),
	threshold.New(&strayShare, "stray-share", 0.002, "of the UDP packets arrived out of order, at least three: less does not reach TCP's reordering degree of three often"),
	threshold.New(&fillingRise, "filling-rise", 1.25, "of the idle RTT: a stream whose RTT stands higher fills the queue itself. An AQM keeps a stream's queue short, and lets a flood of UDP fill it"),
	threshold.New(&RelayedShare, "relayed-share", 0.5, "of a stream's time through a relay makes the relay the stream's own matter"),
	threshold.New(&clearRise, "clear-rise", 0.02, "seconds: an RTT inside a tunnel that rises by more does not stand in the kernel's queue at this host's own card"),
	threshold.New(&sameEnd, "same-end", 0.25, "a queue that others fill is as long for them as for us, within this share of its span. Jitter whose order is kept moves slowly as well, but has no end: our overload goes beyond"),
	threshold.New(&leastSway, "least-sway", 0.02, "of the RTT: timers and probes make less of a constant delay …"),
	threshold.New(&smooth, "smooth", 1.4, "for independent values von Neumann's ratio is 2, and below 1.4 with a probability of 0.5 % at fifty values (its standard deviation is 2/√n; von Neumann 1941). A queue's length hardly changes between two probes"),
	threshold.New(&creeping, "creeping", 0.3, "distances of two probes over the standard deviation: von Neumann's ratio of jitter that keeps the order is above this many in 199 of 200 series of 76 probes, but where a single late packet makes a jump (simulated in sway_test.go: normal, uniform, Pareto of index 3, σ of 0.05 to 12 distances)"),
	threshold.New(&leastJump, "least-jump", 1.0/3, "of what the idle RTT spans, from one probe to the next: a handover's shift, and no queue"),
	threshold.New(&fairGain, "fair-gain", 1.25, "eight streams that get so many times what any one flow does, a flood of UDP included, take turns with others' flows"),
	threshold.New(&crowdedLeft, "crowded-left", 1.3, "UDP carries so many times what eight streams do that keep the queue full: others have the rest"),
	threshold.New(&crowdedAlike, "crowded-alike", 1.5, "eight streams that carry less than this many times what one does, in a queue less than this many times as long as ours at its fullest, meet the same limit"),
	threshold.New(&grownBy, "grown-by", 1.1, "a window that grew by so much over the last part of a stream was not held where it is; the tenth by which a transfer's quarters are called growing"),
	threshold.New(&TunnelShare, "tunnel-share", 0.93, "of the rate outside is payload inside: WireGuard's headers are 60 to 80 bytes of 1,500 (RFC 791, RFC 8200, WireGuard's transport message)"),
	threshold.New(&GainMatters, "gain-matters", 1.33, "copies of the path that carry so many times as much without a cause make it one: the gain from which a stream is called slow"),
	threshold.New(&behindShare, "behind-share", 0.05, "of what the idle RTT spans: evenly sent packets that are delayed by less do not stand in the queue that moves it. Of kept downloads with others on one way alone, 5 of 5 on the way back have 0.00, 15 of 15 on the way down 0.16 and more"),
	threshold.New(&heldShare, "held-share", 0.8, "of a stream's time: the rest is its start and its end"),
	threshold.New(&HeavyLoss, "heavy-loss", 0.05, "of the packets lost at random takes a link out of service, or makes it resend by itself: of six kept paths that lost as much evenly sent UDP one did so at random. The others had others' traffic, a policer, or a rate that changed"),
	threshold.New(&JitterOfRTT, "jitter-of-rtt", 0.1, "a standard deviation of the RTT below this share of it bunches packets by less than an eighth of the RTT, which slow start's own exit allows (HyStart, tcp_cubic.c)"),
	threshold.New(&bunchOfQueue, "bunch-of-queue", 0.125, "of the time that a full queue takes to drain: delays eight standard deviations apart, four to either side, are all that there are, and bunch as much as the queue holds"),
	threshold.New(&unmetInversions, "unmet-inversions", 7, "so many echo probes overtaken expected of independent delays, and none seen: one path in a thousand is that lucky (e⁻⁷, Poisson). Of 29 recorded paths that let packets overtake each saw as many as expected, to a third; of 19 that keep the order none saw one"),
	threshold.New(&bunchRise, "bunch-rise", math.Sqrt2/2, "of the RTT's standard deviation: one direction's, where both vary alike. A packet that waits for the slowest of those before it comes later by that much or more"),
	threshold.New(&jitterRise, "jitter-rise", 0.6, "of the RTT's standard deviation: where all rungs that fill no queue rise the RTT by so much, its delay varies by itself and keeps the order. Of 17 recorded directions like that whose RTT moves slowly, 15 rise by 0.8 and more; of 36 with others' traffic none by more than 0.5"),
	threshold.New(&jitterAlone, "jitter-alone", 0.2, "of the RTT: others' traffic moved it by a standard deviation of 0.12 at most in 36 recorded directions, delay that varies by itself by 0.29 and more in 19 of 20"),
	threshold.New(&filledBack, "filled-back", 0.6, "of the way back's rate is what the receiver sent while the stream ran: acknowledgements come in bursts, and on a slow line the rate of the way back is known from bursts as well, which a queue swallows in part"),
	threshold.New(&OutageCosts, "outage-costs", 1.5, "a stream stands still for as long as an outage and until the timer's next try; tries double their distance (RFC 6298 §5.5), so that the next one comes after up to the outage's length again, half of it on average"),
	threshold.New(&leavesUnused, "leaves-unused", 0.3, "of the path's rate: streams that together carry less stay so far below it that their own bursts fill no queue for long"),
	threshold.New(&lossGrows, "loss-grows", 2, "eight streams lose so many times the share that one does: counts of forty and more differ by less than a third by chance, bursts of loss by about as much again"),
	threshold.New(&gentleShare, "gentle-share", 0.5, "of the path's rate: evenly sent packets at less than half of it fill no queue, so that a delay that rises then is not a queue's"),
	threshold.New(&nearExcess, "near-excess", 0.7, "of bloat-excess: how long a queue is that a stream of seconds fills differs by a third from run to run"),
	threshold.New(&crowdGains, "crowd-gains", 4, "eight streams that are each held back by themselves carry so many times what one does at the least: half of eight, since some have not grown yet"),
	threshold.New(&knownShare, "known-share", 0.5, "of a rung's packets must be known: of one whose end never came, the share lost is that of its beginning alone"),
	threshold.New(&windowWhole, "window-whole", 0.9, "of the advertised window under way, by rate and round trip: the rest is what is on its way to be read"),
	threshold.New(&standsAt, "stands-at", 0.15, "of the full queue's wait: what stands above that is no probe's error, and a bottleneck with any queue at all is busy"),
	threshold.New(&takenShare, "taken-share", 0.7, "of the path's rate: a stream that has less of a busy bottleneck gains more than a third without whoever has the rest"),
	threshold.New(&leastTaken, "least-taken", 0.5, "seconds in which others have a part: less is a burst"),
	threshold.New(&competes, "competes", 0.1, "of the mean share: what a stream has of a bottleneck beside others' windows changes by more from moment to moment (0.16 to 0.7 on kept records), what a lower rate of the path gives it by less (0.00 to 0.05)"),
	threshold.New(&nearlyFull, "nearly-full", 0.75, "of the full queue's wait: a queue that drops what finds no room does so when it is full; the quarter is what it drains between two probes"),
	threshold.New(&usedUp, "used-up", 0.2, "of a rung's packets lost, where a faster one before lost none: random loss and its bursts take of all alike, a bucket that is used up what exceeds the rate"),
	threshold.New(&sinksTo, "sinks-to", 0.6, "of the path's rate: a stream that is left so much in the long run gains two thirds without its losses. An AQM drops early as well, but seldom: what it drops leaves a stream 0.8 of the rate and more (of 500 kept directions 0.76 at the least, but for BBR's, which goes on in spite of it)"),
}
