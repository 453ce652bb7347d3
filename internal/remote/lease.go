package remote

import "time"

const (
	// Lease is how long either side lives on without a sign of life of the other. What
	// they say shares a bottleneck with the tests: TCP whose packets are lost for 10 s may
	// next try after 13 s more, since its timeout doubles (RFC 6298 §5.5).
	Lease = 40 * time.Second
	// Beat is how often near gives a sign of life.
	Beat = 5 * time.Second
)
