package fleet

// What decides, and why.
const (
	// leastDisk is the room in bytes that a journal takes: a round of a host with a
	// thousand routes is under 1 MiB, with the copies of files it replaces; twice
	// that, for the journal before it stays beside it.
	leastDisk = 2 << 20
	// A clock that is wrong will be put right, and where that happens during a
	// trial the trial's deadline passes at once, or never. A minute is half of the
	// shortest trial that anybody confirms by hand.
	clockOff = 60.0 // s
	// noise is the change of a rate that is called none: what one stream carries
	// varies by that between two quiet minutes of the same path.
	noise = 0.10
	// suspicious and certain are the chances at which a host is called slower: the
	// first look asks for as many measurements again, the second halts a rollout.
	// Four measurements before and four after reach 0.029, eight after 0.0040; of a
	// hundred hosts with two directions each that are as before, the second look
	// halts less than one rollout in ten, since both looks have to agree.
	suspicious = 0.05
	certain    = 0.01
	// confidence of the intervals of gains.
	confidence = 0.95
)
