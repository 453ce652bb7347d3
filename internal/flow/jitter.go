package flow

// deviation is what tcpi_rttvar reads of a path whose delay varies by a standard
// deviation of 1 in each direction. The kernel's mean deviation (tcp_rtt_estimator:
// gain 1/4, and 1/32 where the RTT falls by more than the deviation so far) reads
// less than a mean deviation does: for two normal delays that is √2·√(2/π) =
// 1.13, were each acknowledgement of one packet. Measured in the lab on the grid
// of the preset jitter-cliff (RTT 24, 50 and 100 ms, σ 4 to 24 ms, packets that
// overtake, stock iperf3 with CUBIC, 72 transfers of 10 s): median 0.73, nine of
// ten between 0.59 and 0.89. BBR reads 0.60, CUBIC where the order is kept 0.63.
const deviation = 0.73

// Jitter estimates the standard deviation of the delay in each direction, in
// seconds, from looks at a sender's tcpi_rttvar in seconds: the path language's
// `jitter`, where both directions vary alike. Of the round trip it is √2 of
// that. One look holds the last few acknowledgements alone, so ten or more are
// wanted for a figure that is good to a fifth. It is 0 where there are none.
func Jitter(rttvar []float64) float64 {
	if len(rttvar) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range rttvar {
		sum += v
	}
	return sum / float64(len(rttvar)) / deviation
}
