package fetched

// The numbers by which a check of a URL is judged. Those that a check with an
// iperf3 server uses as well have its values.
const (
	slowShare   = 0.8 // of what the path carries: the check's slow-share
	steadyFrom  = 0.4 // the share of a transfer after which slow start is over: the check's
	manyOfOne   = 1.5 // so many times what one connection carries, and each was held alone: the check's many-of-one
	queueRise   = 0.1 // of the idle RTT: the check's
	leastRise   = 0.001
	littleQueue = 0.03  // of the idle RTT, and …
	littleWait  = 0.002 // … s: an AQM's queue is longer (CoDel's target is 5 ms)
	bloatFactor = 2.0   // the check's definition of bufferbloat …
	bloatExcess = 0.1   // s: … both
	bloatEdge   = 0.08  // of both: a queue that CUBIC's sawtooth empties and fills has a median that scatters so much from look to look
	modelSpread = 3.0   // a run of seconds lies within this factor of the loss model's mean: the check's

	// windowFilled: a receiver that limits has its window full; autotuning offers
	// twice what was read in a round trip (tcp_rcv_space_adjust): the check's.
	windowFilled = 0.65
	windowLevel  = 1.1 // a window that no longer grows: of its last quarter over the one before

	// flatCV: variation of the rate over slices of a fifth of a second or ten round trips. A window
	// that is full, or a pace, varies by less than 0.05 in the lab; a sawtooth by
	// 0.15 and more.
	flatCV = 0.1

	// A burst more or less in a part of ten round trips varies its rate by 0.04
	// (uniform over one of ten: 1/10/√6), less than flatCV.
	sliceTrips  = 10.0
	leastSlices = 6 // fewer parts tell no variation
	mostSlices  = 24

	// grows: what the last fifth carries over the middle one. CUBIC beyond its
	// plateau, or Reno's step, gains a tenth in seconds; noise of a flat stream is
	// below 0.03.
	grows = 1.06

	// A hole in the stream is a lost packet's where it stays open for a round
	// trip: the sender has to hear of it and to send again. What was overtaken
	// comes within the spread of the delay, a fraction of one.
	holeOfRTT     = 0.75
	leastHoles    = 2     // one may be the end of slow start
	strayShare    = 0.01  // of the segments came out of order outside of such holes: a loss makes none
	spuriousMin   = 3     // duplicates that this host reported
	nearly        = 0.95  // of what the path carries: a sawtooth of CUBIC over a queue of half the pipe loses less
	leastLoss     = 2e-5  // holes a segment: less, and CUBIC's window is above 1,000 segments
	dropsMore     = 2.5   // several connections lose so many times as often as one: they are dropped for what they send
	lossAlike     = 1.6   // so much more often at the most, where loss goes by chance and no queue stands: 1.1 to 1.3 in the lab, since of losses in one round trip only one is seen
	bucketSeen    = 1.3   // segments came so much faster than the rate for a moment, and a bucket of a few packets could have let them pass
	bucketOfRate  = 2.0   // so much faster than the several ever did for longer: six over a queue of 4 packets at 110 ms carry 0.5 of the link, at best 0.65 …
	bucketShare   = 0.5   // … and nearly so many times one connection as they are; through a policer little more than one
	linkOfRate    = 1.2   // a link's own rate over what several connections carry of it with a short queue
	longWindow    = 0.3   // s: most of a policer's bucket has run dry, and a burst of a round trip is over
	peakWindow    = 0.012 // s: a look, and what it may be late
	leastBucket   = 6e3   // bytes: buckets of policers begin at some packets; where a look cannot show one, nothing is said
	pauseShare    = 0.25  // of the time nothing came, in pauses that are no round trip's
	leastPause    = 0.04  // s: four looks. An acknowledgement may be held back for 40 ms, but not in the middle of a stream
	pauseOfRTT    = 1.5   // a pause that is longer than a window's round trip
	clocked       = 0.35  // autocorrelation at one round trip: bursts that answer to acknowledgements
	paced         = 0.8   // autocorrelation at a time that is no round trip: nginx's limit_rate has 0.9 and more, a window none but the round trip's
	longestPeriod = 50    // looks: half a second
	surely        = 3.0   // standard deviations below what von Neumann's ratio of noise is: one in 700 by chance
	swayRTT       = 0.05  // of the idle RTT, from its 5th to its 95th percentile …
	swaySeconds   = 0.003 // … and so many seconds: what noise of hosts does not reach
	shortRTTs     = 25    // round trips: slow start to a gigabit at 100 ms takes 11, as long again to matter little
)
