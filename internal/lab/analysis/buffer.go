package analysis

import (
	"cmp"
	"slices"
)

// BufferEnough is the share of the best rate that a buffer must carry to be
// large enough.
const BufferEnough = 0.9

// BufferRule says how a sufficient buffer is found.
const BufferRule = "A buffer is enough if it, and every larger one that was measured, carries at least 90 % of the best mean in its row. Autotuning is the kernel's own choice."

// Side is an end of the connection, by its socket buffer.
type Side string

const (
	Receive Side = "receive"
	Send    Side = "send"
)

// Sides are both.
var Sides = []Side{Receive, Send}

// BufferCurve is cells that differ in the size of one socket buffer alone.
type BufferCurve struct {
	Side      Side          `json:"side"`
	Label     string        `json:"label"`
	CC        string        `json:"cc"`
	RTT       float64       `json:"rtt_s"`
	Levels    []BufferLevel `json:"levels"`         // from the smallest
	Autotuned int           `json:"autotuned_cell"` // the cell whose buffers the kernel sizes; -1 for none
	// Enough is the least size in bytes that BufferRule takes for enough, 0
	// where none measured is.
	Enough int64 `json:"enough_bytes"`
}

// BufferLevel is one cell of a curve.
type BufferLevel struct {
	Cell  int   `json:"cell"`
	Bytes int64 `json:"bytes"` // as set with SO_SNDBUF or SO_RCVBUF
}

// bufferCurves finds the curves along the send and the receive buffer.
func bufferCurves(all []Cell) []BufferCurve {
	curves := []BufferCurve{}
	for _, side := range Sides {
		base := map[condition]int{}
		levels := map[condition][]BufferLevel{}
		var keys []condition
		for i := range all {
			c := &all[i]
			on := c.condition()
			size := &on.spec.ReceiveBuffer
			if side == Send {
				size = &on.spec.SendBuffer
			}
			bytes := int64(*size)
			*size = 0
			if bytes == 0 {
				base[on] = i
				continue
			}
			if levels[on] == nil {
				keys = append(keys, on)
			}
			levels[on] = append(levels[on], BufferLevel{i, bytes})
		}
		for _, key := range keys {
			if len(levels[key]) < 2 {
				continue
			}
			slices.SortFunc(levels[key], func(a, b BufferLevel) int { return cmp.Compare(a.Bytes, b.Bytes) })
			c := &all[levels[key][0].Cell]
			curve := BufferCurve{
				Side: side, CC: c.CC, RTT: c.RTT, Levels: levels[key], Autotuned: -1,
				Label: curveLabel(Curve{Arm: c.Arm}, c.Path),
			}
			if i, ok := base[key]; ok {
				curve.Autotuned = i
			}
			curve.Enough = curve.enough(all)
			curves = append(curves, curve)
		}
	}
	return curves
}

// enough applies BufferRule.
func (c BufferCurve) enough(all []Cell) int64 {
	best := 0.0
	for _, l := range c.Levels {
		best = max(best, all[l.Cell].Throughput.Mean)
	}
	if c.Autotuned >= 0 {
		best = max(best, all[c.Autotuned].Throughput.Mean)
	}
	least := int64(0)
	for _, l := range slices.Backward(c.Levels) {
		if all[l.Cell].Throughput.Mean < BufferEnough*best {
			break
		}
		least = l.Bytes
	}
	return least
}
