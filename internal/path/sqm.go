package path

import (
	"fmt"
	"strings"
	"time"

	"unchoke/internal/unit"
)

// SQM is what the sending host has set up on its own card's egress, as the SQM
// scripts of routers do and users by hand: it shapes to a rate below the
// bottleneck's, so that packets queue where the sender's sockets feel it. The
// zero value is none: the card has the kernel's stock qdisc.
type SQM struct {
	Rate    unit.BitRate // link-layer frames as tc counts them
	Shaper  Shaper
	Latency time.Duration // of TBF: how long a packet waits at most
}

// Shaper is how SQM shapes.
type Shaper string

const (
	ShapeFQCoDel Shaper = "fq_codel" // an htb class with fq_codel as its leaf
	ShapeCake    Shaper = "cake"
	ShapeTBF     Shaper = "tbf" // a token bucket and one queue
)

// String is the value of the key sqm, empty for none.
func (s SQM) String() string {
	if s == (SQM{}) {
		return ""
	}
	text := s.Rate.String() + ":" + string(s.Shaper)
	if s.Shaper == ShapeTBF {
		text += ":" + s.Latency.String()
	}
	return text
}

const (
	sqmAllowed = "RATE:fq_codel, RATE:cake or RATE:tbf:LATENCY such as 10mbit:tbf:900ms, or none"
	noSQM      = "none"
)

func parseSQM(v string) (SQM, error) {
	if v == noSQM {
		return SQM{}, nil
	}
	parts := strings.Split(v, ":")
	if len(parts) < 2 {
		return SQM{}, fmt.Errorf("%q does not name a shaper", v)
	}
	s := SQM{Shaper: Shaper(parts[1])}
	var err error
	if s.Rate, err = positiveRate(parts[0]); err != nil {
		return SQM{}, err
	}
	if err := oneOf(s.Shaper, ShapeFQCoDel, ShapeCake, ShapeTBF); err != nil {
		return SQM{}, err
	}
	switch {
	case s.Shaper == ShapeTBF && len(parts) != 3:
		return SQM{}, fmt.Errorf("%q does not give the maximum latency", v)
	case s.Shaper != ShapeTBF && len(parts) != 2:
		return SQM{}, fmt.Errorf("%q: %s sets its latency itself", v, s.Shaper)
	case s.Shaper == ShapeTBF:
		s.Latency, err = duration(parts[2])
		if err == nil && s.Latency == 0 {
			err = fmt.Errorf("%q is too small for a packet", v)
		}
	}
	return s, err
}
