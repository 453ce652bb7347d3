package fetch

import (
	"time"

	"unchoke/internal/unit"
)

// plan says how long each step may take.
type plan struct {
	budget time.Duration
	quick  bool
}

// Budgets of path time, as of any check.
const (
	DefaultBudget = 30 * time.Second
	QuickBudget   = 10 * time.Second
)

// DefaultMaxBytes is what a check of a URL receives at most: four seconds of a
// gigabit a second, all of the budget at 130 Mbit/s.
const DefaultMaxBytes = 512 << 20

// LeastMaxBytes is the least bound: below, a transfer is over before it tells
// anything.
const LeastMaxBytes = 1 << 20

const (
	oneShare   = 0.45 // of all bytes: the connection that is judged gets most
	manyShare  = 0.75 // of those that are left then
	leastPart  = 256 << 10
	settleTime = 300 * time.Millisecond

	// sampleEvery is the interval of TCP_INFO: a fraction of most round trips over
	// the internet, so that a hole in the stream, which lasts one, is seen.
	sampleEvery = 10 * time.Millisecond

	// answerWithin bounds each of: the connection, TLS, the header of the answer.
	answerWithin = 10 * time.Second
	// stillness ends a transfer in which nothing arrived for so long. The second
	// retransmission timeout is over by then (RFC 6298: 1 s, then 2 s).
	stillness = 4 * time.Second
	// headerLimit bounds an answer's header: servers' own limits for requests are
	// 8 to 64 KiB.
	headerLimit = 64 << 10
)

// connections are as many as browsers open to a host with HTTP/1.1.
func (p plan) connections() int {
	if p.quick {
		return 4
	}
	return 6
}

func (p plan) idle() time.Duration {
	if p.quick {
		return 500 * time.Millisecond
	}
	return 1500 * time.Millisecond
}

// one is the time of the connection that is judged: see probe's plan for a
// single stream.
func (p plan) one() time.Duration { return min(9*time.Second, p.budget*3/10) }

func (p plan) many() time.Duration { return min(6*time.Second, p.budget*2/10) }

func (p plan) older() time.Duration { return min(5*time.Second, p.budget*15/100) }

func (p plan) other() time.Duration { return min(2*time.Second, p.budget*7/100) }

// sizeText is a size for a sentence.
func sizeText(n int64) string { return unit.HumanSize(float64(n)) }
