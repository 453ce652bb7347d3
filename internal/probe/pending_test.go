package probe

import (
	"testing"

	"unchoke/internal/record"
)

// An outage that begins as a transfer ends stays in its series: what was sent before an
// answered probe, and had no answer, is lost. What may still be on its way is left out.
func TestWithoutPending(t *testing.T) {
	const every, rtt = 0.02, 0.1
	var e record.Echo
	for i := range 200 { // four seconds
		p := record.Probe{At: float64(i) * every}
		if p.At < 1.5 || p.At >= 3 && p.At < 3.8 {
			p.RTT = rtt
		}
		e.Probes = append(e.Probes, p)
	}
	e.Sent = len(e.Probes)
	got := withoutPending(e, 1.6, rtt)
	lost := 0
	for _, p := range got.Probes {
		if p.RTT == 0 {
			lost++
		}
	}
	if want := 75; lost != want || got.Sent != len(got.Probes) || got.Sent != 190 {
		t.Errorf("%d of %d lost, want %d of 190", lost, got.Sent, want)
	}
}
