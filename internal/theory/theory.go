// Package theory has what published models of congestion control say that one
// stream reaches. It is pure arithmetic: the lab is compared with it, and a
// diagnosis asks it what to expect of a path.
package theory

import "math"

// CubicSource says where CubicWindow comes from.
const CubicSource = "RFC 9438 §5.1: W = 1.054·RTT^¾/p^¾ segments, never below Reno's √(1.5/p)"

// CubicWindow is the mean congestion window of CUBIC in segments at an RTT in
// seconds and a loss ratio: with C = 0.4 and β = 0.7 it is
// 1.054·RTT^¾/p^¾, and never below what Reno would hold, √(3/(2p)).
// RFC 9438 §5.1 (equation 6) and §4.3.
func CubicWindow(rtt, p float64) float64 {
	root := math.Sqrt(rtt / p)
	return max(1.054*root*math.Sqrt(root), RenoWindow(p)) // x^¾ = √x·√√x
}

// RenoWindow is the mean congestion window of Reno in segments at a loss
// ratio, with one acknowledgement a segment: Mathis and others, "The
// Macroscopic Behavior of the TCP Congestion Avoidance Algorithm" (1997), as
// in RFC 9438 §5.1.
func RenoWindow(p float64) float64 { return math.Sqrt(1.5 / p) }

// CubicRate is the goodput in bit/s of CUBIC on a path of unlimited rate, at
// an RTT in seconds, a loss ratio and a segment's payload in bytes. It is
// infinite where there is no RTT or no loss.
func CubicRate(rtt, p float64, mss int) float64 {
	if rtt <= 0 || p <= 0 {
		return math.Inf(1)
	}
	return CubicWindow(rtt, p) * float64(mss) * 8 / rtt
}

// CubicLoss is the loss ratio, at most 1, that leaves CUBIC a goodput in bit/s on a path of
// unlimited rate, at an RTT in seconds and a segment's payload in bytes: the inverse of
// CubicRate. It is 1 where there is no RTT or no rate, of which any may be.
func CubicLoss(rtt, rate float64, mss int) float64 {
	if rtt <= 0 || rate <= 0 || mss <= 0 {
		return 1
	}
	w := rate * rtt / 8 / float64(mss)
	cubic := rtt * math.Exp(4.0/3*math.Log(1.054/w))
	reno := 1.5 / (w * w)
	return min(max(cubic, reno), 1)
}

// CubicEverySource says where CubicEvery comes from.
const CubicEverySource = "RFC 9438 §5.1: W = C·T³·(3+β)/(4·(1−β)) segments, never below what Reno's growth has (§4.3)"

// CubicEvery is the goodput in bit/s of CUBIC on a path of unlimited rate that loses
// packets once in so many seconds, at an RTT in seconds and with a segment's payload in
// bytes: the window grows to C·T³/(1−β) meanwhile, of which (3+β)/4 is the mean, and as
// Reno's to step·T/RTT/(1−β), of which it is (1+β)/2. RFC 9438 §5.1 and §4.3. It is
// infinite where there is no RTT, or no loss: after +Inf seconds.
func CubicEvery(rtt, seconds float64, mss int) float64 {
	if rtt <= 0 || math.IsInf(seconds, 1) {
		return math.Inf(1)
	}
	cubic := 0.4 * seconds * seconds * seconds / (1 - CubicBeta) * (3 + CubicBeta) / 4
	reno := CubicStep * seconds / rtt / (1 - CubicBeta) * (1 + CubicBeta) / 2
	return max(cubic, reno) * float64(mss) * 8 / rtt
}

// CubicGrowthSource says where CubicGrowth comes from.
const CubicGrowthSource = "RFC 9438 §4.2: K = ∛(W·(1−β)/C), C = 0.4, β = 0.7"

const (
	// CubicBeta is the share of its window that CUBIC goes on with after a loss. RFC 9438
	// §4.6.
	CubicBeta = 0.7
	// CubicStep is by how many segments CUBIC's window grows in a round trip at the least:
	// 3·(1−β)/(1+β). RFC 9438 §4.3.
	CubicStep = 3 * (1 - CubicBeta) / (1 + CubicBeta)
)

// CubicGrowth is how many seconds CUBIC takes to grow back to a window in bytes
// after it lost once there; mss is a segment's payload in bytes. RFC 9438 §4.2.
func CubicGrowth(window float64, mss int) float64 {
	return CubicGrowthFrom(CubicBeta*window, window, mss)
}

// CubicGrowthFrom is how many seconds CUBIC takes from one window in bytes to a larger
// one, if it begins at the first after a loss. RFC 9438 §4.2.
func CubicGrowthFrom(from, to float64, mss int) float64 {
	return math.Exp(math.Log(max(to-from, 0)/float64(mss)/0.4) / 3) // the cube root, by what the slim build has
}

// BBRSource says where BBRRate comes from.
const BBRSource = "Cardwell and others, \"BBR: Congestion-Based Congestion Control\" (2016), figure 8: rate×(1−p) below a loss of 15 %"

// BBRRate is the goodput of BBR, in the unit of rate, on a path that carries
// rate and loses the share p at random: what arrives of a sender that goes by
// the delivery rate and not by losses. It holds while 1−p is above the inverse
// of BBRv1's probing gain of 1.25, that is for p below 0.2.
func BBRRate(rate, p float64) float64 { return rate * (1 - p) }
