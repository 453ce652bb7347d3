package closely

// median of some values, whose order it changes: the mean of the two in the middle
// where their number is even, 0 where there are none.
func median(all []float32) float64 {
	n := len(all)
	if n == 0 {
		return 0
	}
	upper := nth(all, n/2)
	if n%2 == 1 {
		return float64(upper)
	}
	lower := all[0] // what stands before the upper one is no more than it
	for _, x := range all[:n/2] {
		lower = max(lower, x)
	}
	return float64(lower+upper) / 2
}

// nth is the value that stands at k once all are in order; those before it are no
// more, those after it no less (Hoare's selection: linear in time, where a sort of
// 1,500 round trips took three quarters of what a connection's figures cost).
func nth(all []float32, k int) float32 {
	for low, high := 0, len(all)-1; low < high; {
		pivot := all[low+(high-low)/2]
		i, j := low, high
		for i <= j {
			for all[i] < pivot {
				i++
			}
			for all[j] > pivot {
				j--
			}
			if i <= j {
				all[i], all[j] = all[j], all[i]
				i++
				j--
			}
		}
		switch {
		case k <= j:
			high = j
		case k >= i:
			low = i
		default:
			return all[k]
		}
	}
	return all[k]
}
