package vantage

// Differences between places.
const (
	// Matters is the least factor between two rates that is called a difference:
	// a quarter is more than headers, timers and the start of a stream make of one
	// rate.
	Matters = 1.25
	// evidentBy is that factor where there was one round alone, and no scatter is
	// known: two checks of one place in a row seldom differ by so much.
	evidentBy = 2.0
	// differenceAt is the probability of Student's interval.
	differenceAt = 0.95
	// leastScatter is the standard deviation that a rate's logarithm has at the
	// least: rounds that agree by chance, or in a lab, claim no more than that two
	// checks of a steady path agree within a fiftieth.
	leastScatter = 0.02
	// onceOnly is the confidence of what one round says.
	onceOnly = 0.6
	// unsteadyBy is the factor between rounds of one place by which it disagrees
	// with itself.
	unsteadyBy = 2.0
	// driftBy is the least factor between rounds that is called a drift.
	driftBy = 1.3
)

// What shows a symptom and what shows its absence.
const (
	// alike is how far two figures of one thing measured from two places are apart
	// at most, as a factor: quick checks estimate losses and waits within a factor
	// of two, and paths of different length meet them differently.
	alike = 3.0
	// reached is the share of a bottleneck's rate that a place must have sent
	// through it to say anything of its queue.
	reached = 0.8
	// beyondLimit is how far above a policer's rate a place must have come to have
	// passed none.
	beyondLimit = 1.25
	// atLimit is the factor within which two policers' rates are one.
	atLimit = 1.4
	// leastPackets are enough to say that a loss is not there: of none lost, the
	// rule of three has the ratio below 3/n.
	leastPackets = 300
	// sure is the confidence from which a finding counts as seen.
	sure = 0.5
	// cardLeast and cardMost bound the share of a card's speed that is measured
	// where the card is the limit. TCP carries 94 % of it (1448 of 1538 bytes of a
	// frame on the wire), half-duplex collisions cost more; a quick check that sees
	// a stream catch up after a loss measures a fifth too much. A place that comes
	// farther above has a card that tells nonsense, as virtual ones do.
	cardLeast, cardMost = 0.75, 1.25
	// tunSpeed is what a tun device tells that nobody told its speed (SPEED_10,
	// drivers/net/tun.c), in bit/s.
	tunSpeed = 10e6
	// shapedShare of the packets waited for a shaper where the shaper is the limit.
	shapedShare = 0.1
	// fullShare of a core is all of it, but for the error of counting in
	// hundredths of a second.
	fullShare = 0.95
)

// How sure a segment is.
const (
	// byGateway: a place whose address is another's gateway, in its network.
	byGateway = 0.97
	// byTranslation: the target sees a place's connections come from another's
	// address.
	byTranslation = 0.95
	// unsilent is what remains of the confidence when places are silent that could
	// have told segments apart.
	unsilent = 0.7
	// ambiguous is the most that is claimed where segments remain.
	ambiguous = 0.5
	// noOpposite is what remains where all places share a cause and nothing but
	// their agreement says that it lies beyond them.
	noOpposite = 0.9
)
