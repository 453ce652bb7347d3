package diagnose

import "math"

// cubicWindow is the mean congestion window of CUBIC in segments at an RTT in
// seconds and a loss ratio: with C = 0.4 and β = 0.7 it is
// 1.054·RTT^¾/p^¾, and never below what Reno would hold, √(3/(2p)).
// RFC 9438 §5.1 (equation 6) and §4.3.
func cubicWindow(rtt, p float64) float64 {
	cubic := 1.054 * math.Pow(rtt, 0.75) / math.Pow(p, 0.75)
	reno := math.Sqrt(1.5 / p)
	return max(cubic, reno)
}

const cubicSource = "RFC 9438 §5.1: W = 1.054·RTT^¾/p^¾ segments, never below Reno's √(1.5/p)"

// expectedRate is the goodput in bit/s that a loss-based congestion control
// reaches on a path of unlimited rate.
func expectedRate(rtt, p float64, mss int) float64 {
	if rtt <= 0 || p <= 0 {
		return math.Inf(1)
	}
	return cubicWindow(rtt, p) * float64(mss) * 8 / rtt
}

// lossBased names the congestion controls that take a lost packet for
// congestion. Of the others, vegas and its kin back off as well, but for delay
// first.
var lossBased = map[string]bool{
	"cubic": true, "reno": true, "bic": true, "htcp": true, "hstcp": true,
	"hybla": true, "illinois": true, "scalable": true, "veno": true,
	"westwood": true, "yeah": true, "cdg": true, "dctcp": true, "lp": true,
	"nv": true, "vegas": true,
}
