package diagnose

import (
	"math"
	"testing"

	"unchoke/internal/record"
)

func echoOf(rtt func(at float64) float64, n int, every float64) *record.Echo {
	e := &record.Echo{}
	for i := range n {
		at := float64(i) * every
		e.Probes = append(e.Probes, record.Probe{At: at, RTT: rtt(at)})
	}
	return e
}

// 678 Mbit/s into a bottleneck of 500 with room for all of it: nothing is
// lost, and the delay tells what the bottleneck delivers.
func TestQueueThatSwallowsARung(t *testing.T) {
	const sent, rate = 678e6, 500e6
	r := rung{sent: sent, delivered: sent, packets: 3000, duration: 0.05}
	r.weigh(echoOf(func(at float64) float64 { return 0.05 + at*(sent/rate-1) }, 6, 0.01), 0.05)
	if math.Abs(r.delivered/rate-1) > 0.01 {
		t.Errorf("delivered %g bit/s, want %g", r.delivered, rate)
	}
}

func TestNoiseIsNoQueue(t *testing.T) {
	noise := []float64{0.003, -0.002, 0.001, -0.003, 0.002, 0, -0.001, 0.003}
	r := rung{sent: 1e8, delivered: 1e8, packets: 3000, duration: 0.08}
	r.weigh(echoOf(func(at float64) float64 { return 0.05 + noise[int(math.Round(at*100))%len(noise)] }, 8, 0.01), 0.05)
	if r.delivered != 1e8 {
		t.Errorf("delivered %g bit/s, want all of it", r.delivered)
	}
}

func TestOverloaded(t *testing.T) {
	gentle := rung{sent: 10e6, delivered: 10e6, packets: 300, lost: 1}
	full := rung{sent: 50e6, delivered: 20e6, packets: 1500, lost: 900}
	few := rung{sent: 1e6, delivered: 0.6e6, packets: 7, lost: 3}
	all := []rung{few, gentle, full}
	if few.overloaded(all) {
		t.Error("three packets lost of seven, and faster rungs came through: not overloaded")
	}
	if gentle.overloaded(all) || !full.overloaded(all) {
		t.Error("only the rung that lost most of its packets was overloaded")
	}
}
