package conformance

import (
	"math"
	"slices"
	"time"
)

// delays are those of the packets that arrived, by number.
func (j journey) delays() []time.Duration {
	var out []time.Duration
	for _, f := range j.flights {
		if f.received > 0 {
			out = append(out, f.delay())
		}
	}
	return out
}

// lost counts the packets that did not arrive, and the runs of them.
func (j journey) lost() (packets, bursts int) {
	before := false
	for _, f := range j.flights {
		gone := f.received == 0
		if gone {
			packets++
			if !before {
				bursts++
			}
		}
		before = gone
	}
	return packets, bursts
}

// overtaken counts the packets that arrived after their successor.
func (j journey) overtaken() (n int) {
	for i := range len(j.flights) - 1 {
		if f, next := j.flights[i], j.flights[i+1]; next.received > 0 && f.received > next.received {
			n++
		}
	}
	return n
}

// rate is the bytes per second of the later half of the arrivals, when queues
// stand and buckets are empty.
func (j journey) rate(frame int) float64 {
	half := j.order[len(j.order)/2:]
	first, last := j.flights[half[0]].received, j.flights[half[len(half)-1]].received
	return float64((len(half)-1)*frame) / (last - first).Seconds()
}

type shape struct {
	mean, deviation time.Duration
	low, mid, high  float64 // 5 %, 50 % and 95 % quantiles, in deviations from the mean
}

func shapeOf(delays []time.Duration) shape {
	var sum, squares float64
	for _, d := range delays {
		sum += float64(d)
	}
	mean := sum / float64(len(delays))
	for _, d := range delays {
		squares += (float64(d) - mean) * (float64(d) - mean)
	}
	deviation := math.Sqrt(squares / float64(len(delays)))
	sorted := slices.Sorted(slices.Values(delays))
	at := func(p float64) float64 {
		return (float64(sorted[int(p*float64(len(sorted)))]) - mean) / deviation
	}
	return shape{time.Duration(mean), time.Duration(deviation), at(0.05), at(0.5), at(0.95)}
}

// farthest is the delay that differs most from what was asked.
func farthest(delays []time.Duration, asked time.Duration) time.Duration {
	return slices.MaxFunc(delays, func(a, b time.Duration) int {
		return int((a - asked).Abs() - (b - asked).Abs())
	})
}
