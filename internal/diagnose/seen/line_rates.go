package seen

// LineRates are the lowest and the highest rate in bit/s at which the bottleneck served
// one queue that was full, where they differ by half and more: its waits, in seconds,
// are as much shorter as its rate is higher. Others in the queue leave that as long.
func LineRates(rungs []Rung) (least, most float64, found bool) {
	for _, slow := range rungs {
		for _, fast := range rungs {
			if !fills(slow) || !fills(fast) || fast.Delivered < changedRate*slow.Delivered {
				continue
			}
			held := slow.Filled() * slow.Delivered / (fast.Filled() * fast.Delivered)
			if held < sameBytes && held > 1/sameBytes {
				if !found {
					least, most, found = slow.Delivered, fast.Delivered, true
				}
				least, most = min(least, slow.Delivered), max(most, fast.Delivered)
			}
		}
	}
	return least, most, found
}

// fills says that a rung's packets stood in a queue that had no room for some.
func fills(r Rung) bool {
	return r.Risen && r.Lost >= FewPackets && r.Filled() > LeastStanding
}

const (
	changedRate = 1.5 // times the lower rate
	sameBytes   = 1.2 // times the bytes: the median of a rung's probes is that of a queue which fills
)

// LeastStanding is the shortest wait in seconds that is taken for a full queue where the
// delay varies anyway: two packets at 5 Mbit/s.
const LeastStanding = 0.005
