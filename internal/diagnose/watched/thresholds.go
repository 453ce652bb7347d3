package watched

// The numbers by which a live flow is judged. Those that a check uses as well
// have its values; a test in package diagnose holds them together.
const (
	// What a flow must have told first.
	leastAge      = 3.0 // s: slow start takes a dozen round trips, and 250 ms are the longest of the earth's cables
	leastSpan     = 8.0 // s: from fewer values of a second nobody tells even from uneven
	leastSegments = 30  // below, one loss is 3 % and more

	// LimitShare: a limit that held the sender for less of the time explains
	// less than the difference between slow and not (the check's limit-share).
	LimitShare = 0.3
	// In bursts: the least share of the time that a window or the program holds the
	// sender, where less than burstShare of what was seen to arrive is carried. What
	// fills its path carries 0.87 and more of that (fullShare), and is held for 0.02
	// of the time by a window, 0.09 by the program (draw 20261128, first flows).
	partShare  = 0.05
	partPaced  = 0.15
	burstShare = 0.7
	// nearPaced is that for looks many times a second, which count the moments
	// themselves: of 27 flows that carried as much as they could none was ever
	// without something to send (0.000), of 13 that limited themselves twelve were
	// for 0.11 of the time and more (draw 20261211, first flows).
	nearPaced = 0.05
	// manyDries: of 54 flows that carried as much as they could, none was ever
	// without something to send when looked at closely (draw 20261211); a program
	// that paused now and then may be, so that it must come again, over drySpan of
	// the time: what was sent over it is what the program gave.
	manyDries = 3
	drySpan   = 0.5
	// pacedFull: a rate set on the socket counts headers, which take a 30th to a
	// 10th of it; behind losses less is carried.
	pacedFull   = 0.87
	closedShare = 0.1 // where the window is shut now: it begins to limit

	// The queue. The check's queue-rise, bloat-factor and bloat-excess.
	QueueRise   = 0.1
	BloatFactor = 2.0
	BloatExcess = 0.1   // s
	nearBloat   = 0.8   // of that, behind a queue that stands: long, if not by definition
	leastRise   = 0.001 // s: timers and a card's own queue make less
	// Where packets overtake each other the least of thousands of round trips lies
	// 3.5·√2 to 7 standard deviations of one direction's delay below their median
	// (lab, preset jitter-cliff: the queues are empty). Else a deviation is as
	// often the queue's own.
	freeSpan = 7.0
	keptSpan = 2.0
	sureSpan = 10.0 // where the rate is flat too: two flows that filled short queues had 13 and more

	// The rate. In the lab (draw 20261123) what fills a path varies by less
	// than 0.05 from second to second, and what random loss holds by 0.2 to 0.9.
	flatCV     = 0.05
	levelShare = 0.95
	swayCV     = 0.08
	flatShare  = 0.93 // of its best second: CUBIC over a queue of a tenth of a bandwidth-delay product reaches 0.95
	growing    = 0.05 // per third of the time: more is growth
	fullShare  = 0.87 // of its best second, behind a queue that stands: others take less than an eighth

	fullCV     = 0.12 // behind a queue that stands: acknowledgements that come in a bunch make a second better than the path is; others' traffic moved it by 0.2 and more
	allOfIt    = 0.95 // of the greatest delivery rate seen: kernels measure it over a round trip, and where others share the path it reaches 1.1 times the mean and more
	windowFull = 0.95 // of the congestion window under way: an acknowledgement is being answered

	// Whose queue it is. Alone at a full bottleneck a stream's RTT is what it has
	// under way over the bottleneck's rate; beside others each moves it. In the lab
	// the stream explained 0.99 and more of the RTT's variance where it was alone
	// (five paths of 12 to 270 ms, short queues and random loss among them) or beside
	// a steady rate, which nothing tells from a slower path; 0.95 and 0.78 with 3 and
	// 12 ms of jitter; beside one or two CUBICs 0.05 to 0.53.
	sharedOwn  = 0.7
	aloneOwn   = 0.93
	leastSway  = 0.03 // of the RTT: less is the kernel's smoothing
	jitterSway = 1.5  // of the jitter over the RTT: less is the jitter's, of which smoothing leaves a quarter
	calmSway   = 0.4  // of the jitter over the RTT: with jitter and random loss 0.28 to 0.34, with jitter and others' queue 0.63 to 1.4 (seven lab paths)
	sharedCV   = 0.03 // others' shares move its rate by 0.039 and more; jitter alone by 0.002

	// A congestion window that limits grows by theory.CubicStep segments a round trip at
	// least. Less than standShare of that in standTrips and more, after the dozen of slow
	// start: something else limits.
	standShare     = 0.25
	standTrips     = 16
	slowStartTrips = 12

	// Loss.
	SpuriousShare  = 0.2  // of the retransmits were in vain: the check's spurious-share
	allInVain      = 0.95 // of what was resent: Linux takes its answers back (RFC 3708), and the rate is another thing's
	spuriousEver   = 0.1  // half of it where the end of slow start is counted, which overflows a queue
	ModelSpread    = 3.0  // a run of seconds lies within this factor of the loss model's mean: the check's model-spread
	leastLost      = 1e-4 // less, and Reno's window is above 120 segments: the loss limits little
	policerLost    = 0.02 // a flat rate without a queue, and so much lost: what is sent too much
	hugeLost       = 0.1  // CUBIC's model is of less: its window would be below four segments
	muchLost       = 0.01 // without a queue: no path is full that loses so much by itself
	policerLostBBR = 0.05 // BBR's start alone loses 2 % of ten seconds' segments; at a policer it goes on losing 10 %
	leastReorder   = 5    // reordering events: the check's least …
	reorderShare   = 0.02 // … and of the segments: a loss makes an event or two as well (lab: 0.005 at most), overtaking 0.1 and more
	freeSpread     = 3.5  // where packets overtake, DSACKs let Linux take some of its answers back
	closeSpread    = 1.5  // so near to the model, what is resent explains the rate
	manyBouts      = 3    // intervals with retransmits: random loss comes again and again, an overflow once a sawtooth
	BBRCliff       = 0.2  // BBRv1 collapses at this loss: the check's bbr-cliff
	falling        = 20.0 // times the model: a flow that still comes down from a fast start
	LossRise       = 1.2  // the check's loss-rise: a flow that lost at an RTT of more than this many least ones had filled a queue
	bunch          = 12   // segments lost in one interval, on average: an overflow at the end of slow start loses a share of the window at once

	// regular: of n losses a second that come by chance, the rate of a second
	// varies by 0.2/√n to 0.76/√n (lab: 16 flows on paths with random loss, two of
	// them below 0.25); where they come whenever the window reaches what fits, by
	// 0.05 to 0.32 (twelve at policers with small buckets, three of them above
	// 0.25). Between both nothing is sure.
	regular    = 0.25
	regularish = 0.33
	// youngTrips: CUBIC takes ∛(0.75·W) s to come back to a window of W segments
	// (RFC 9438 §4.2): 7 s of 400 segments, a dozen round trips of a satellite's.
	youngTrips  = 30
	leastEvents = 24 // fewer show no evenness

	// Of looks many times a second (draw 20261128, paths 0 to 59).
	manyShuts = 2    // once may be the program's pause; …
	shutShare = 0.05 // … in less of the time little is missed
	// dipsShare: of 45 flows to a curl --limit-rate 37 have 0.24 and more, the others
	// 0.1 at most; of 492 to programs that read what comes none has more than 0.08
	// (draws 20261234 to 20261262).
	dipsShare = 0.2
	// Of 490 flows 18 to a curl --limit-rate have mostTogether and one other, to which
	// packets came in bunches; that one has no dip at all, the others someDips (draws
	// 20280402 to 20280417).
	mostTogether = 0.6
	someDips     = 0.02
	// Of four losses and more, the flights before them vary by 0.05 at most where a
	// queue or a bucket overflows and by 0.18 and more where losses come by chance;
	// what lies between is not told apart.
	leastLosses = 4
	sameFlight  = 0.1
	anyFlight   = 0.18
	equalFlight = 0.03 // of two losses, where a queue stood as well: by chance one pair in twelve
	leastEqual  = 3    // losses, whatever stood
	// narrowFlight: of 16 losses and more by chance the flights vary by 0.25 to 0.35
	// (15 lab paths of 8 to 100 ms), at buckets of four to 20 packets by 0.17 to 0.23
	// (11), each with its standard error above. fewBunches: of what is lost by chance
	// 1.1 to 1.45 times as many are lost together as p·W makes it, at those buckets
	// 1.22 to 5.
	manyLosses   = 16
	narrowFlight = 0.255
	fewBunches   = 1.2
	// A short queue: two packets of it, at the rate that passes, take longer than a
	// card's timers do.
	shortQueue = 2.0
	shortRise  = 0.00025 // s
	// keptFull: the rate over what passes at the moment of an overflow, from which
	// a check takes a stream to fill its path (it loses a seventh to slow-share).
	keptFull = 0.85
	// bunches: losses that come by chance take p·W more segments with them of a
	// window of W; so many times as much is an overflow or an empty bucket.
	bunches     = 2.0
	mostlyLevel = 0.5  // of the seconds, each as the one before: links that change their rate 0.54 and more, other traffic 0 to 0.1, random loss 0.25
	leapStep    = 0.2  // links that change their rate every second or two 0.25 to 0.56, others who are always there 0.03 to 0.15
	smallStep   = 0.04 // from half a second to the next; others' traffic makes 0.1 and more

	// Standing still.
	// A stream that stands still for a quarter of the time gains a third without that.
	// Looks a second apart see less of it than there was.
	stallShare = 0.25
	leastStill = 1 // s that a user notices
	// What outages leave of healthy streams' verdicts: right as often as a check's are.
	stillHealthy = 0.75
	holeTimers   = 2 // timeouts in a row without anything full-sized delivered

	// The chaos zone: jitter of one direction over the RTT from which half of the
	// throughput is lost where packets overtake each other. On the grid of the
	// preset jitter-cliff (RTT 24, 50 and 100 ms, σ 0 to 24 ms, 10 MiB/s of stock
	// iperf3) over 210 runs, watched once a second for ten seconds: precision
	// 0.93, recall 0.93. With flow.Jitter's error of a fifth, the cliffs of the
	// preset itself (docs/jitter-cliff.md): CUBIC 16 to 17 %, BBR 10 to 15 %; a
	// flow on the edge keeps anything between a quarter and nine tenths.
	chaosLossBased = 0.22
	chaosOthers    = 0.155

	// By the headers of packets.
	passesFull     = 0.8 // of what passes in one go: a stream could gain a quarter
	leastOccasions = 3   // by chance the median of three is at live.TopRank and above in one of 36
	manyOccasions  = 8
	shortWait      = 0.05 // of the least RTT
	longQueue      = 0.4  // of it: CUBIC's window falls to 0.7, and hardly below the pipe
	swayed         = 3    // times as long as the RTT sways: a queue, and no jitter
	growsBack      = 0.6  // of what passes, a round trip or a few after an overshoot
	mostForeign    = 0.5
)
