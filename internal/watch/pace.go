package watch

import (
	"fmt"
	"time"
)

// pace chooses the time between two looks: as asked, or longer where looks take
// so long that they would fill it.
type pace struct {
	asked, now time.Duration
	slow, fast int // looks in a row that took too long, or were quick enough for what was asked
}

const (
	// most is the share of the interval that a look may take.
	most = 0.5
	// inRow looks in a row change the pace: one alone may have been held up.
	inRow = 3
)

// took tells how long a look took.
func (p *pace) took(d time.Duration) {
	if float64(d) > most*float64(p.now) {
		p.slow++
	} else {
		p.slow = 0
	}
	if float64(d) < most/2*float64(p.asked) {
		p.fast++
	} else {
		p.fast = 0
	}
	switch {
	case p.slow >= inRow && p.now < Longest:
		p.now = min((2*d).Round(100*time.Millisecond)+100*time.Millisecond, Longest)
		p.slow = 0
	case p.fast >= inRow:
		p.now = p.asked
	}
}

// note says where the pace is not what was asked for; empty where it is.
func (p *pace) note() string {
	if p.now <= p.asked {
		return ""
	}
	return fmt.Sprintf("looks take so long that there is one every %v, not every %v: ask for a longer interval, or for fewer connections", p.now, p.asked)
}
