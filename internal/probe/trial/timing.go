package trial

import (
	"fmt"
	"math"
	"time"
)

// Timing is how long trials take.
type Timing struct {
	Duration time.Duration // of a trial, Omit included
	Omit     time.Duration // dropped from its beginning, in whole seconds
	Pause    time.Duration // the least between two trials
}

const (
	// A trial counts for this many round trips, and seconds, at least: several
	// losses and recoveries of a loss-based algorithm, and at least twice the
	// 8 round trips in which BBR goes through its gains once (CYCLE_LEN in the
	// kernel's tcp_bbr.c).
	leastRounds = 30
	leastTime   = 5 * time.Second

	// Slow start is taken to last what it would on a path of this rate, which
	// no slower one exceeds, and to need so many more round trips for its
	// losses.
	slowStartRate   = 1e9        // bit/s
	initialWindow   = 10 * 11680 // bits: ten segments (RFC 6928) of 1460 bytes
	recoveryRounds  = 3
	leastSlowStart  = time.Second
	pauseRounds     = 3
	leastPause      = 100 * time.Millisecond
	longestDuration = time.Hour
	// leastCounted is the time of a trial that counts at least, whatever is asked.
	leastCounted = time.Second
)

// choose fills in the times that are Auto.
func choose(o Options, rtt time.Duration) Timing {
	p := Timing{Duration: o.Duration, Omit: o.Omit, Pause: o.Pause}
	if p.Omit == Auto {
		p.Omit = slowStart(rtt)
		if p.Duration != Auto {
			p.Omit = min(p.Omit, p.Duration/2)
			if fits := (p.Duration - leastCounted).Truncate(time.Second); fits > 0 {
				p.Omit = min(p.Omit, fits)
			}
		}
	}
	p.Omit = wholeSeconds(p.Omit)
	if p.Duration == Auto {
		p.Duration = p.Omit + min(max(leastTime, leastRounds*rtt), longestDuration).Round(100*time.Millisecond)
	}
	p.Duration = max(p.Duration, p.Omit+leastCounted)
	if p.Pause == Auto {
		p.Pause = max(pauseRounds*rtt, leastPause).Round(time.Millisecond)
	}
	return p
}

// longer says where trials take longer than was asked for; empty where not.
func (t Timing) longer(asked time.Duration) string {
	if asked == Auto || t.Duration <= asked {
		return ""
	}
	return fmt.Sprintf("trials take %v instead of %v: %v are dropped as slow start (--omit), and at least %v counts", t.Duration, asked, t.Omit, leastCounted)
}

// slowStart is how long a sender may take to fill the path: its window doubles
// each round trip, from the initial one to the path's bandwidth-delay product.
func slowStart(rtt time.Duration) time.Duration {
	rounds := math.Log2(max(slowStartRate*rtt.Seconds()/initialWindow, 1)) + recoveryRounds
	return max(time.Duration(rounds*float64(rtt)), leastSlowStart)
}

func wholeSeconds(d time.Duration) time.Duration {
	return (d + time.Second - 1) / time.Second * time.Second
}
