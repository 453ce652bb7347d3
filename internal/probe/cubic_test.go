//go:build !slim

package probe

import (
	"testing"
	"time"

	"unchoke/internal/record"
)

// One stream by CUBIC is for hosts that take loss otherwise, and where time suffices for all
// of it; otherwise nothing is said of it.
func TestByCubic(t *testing.T) {
	for name, c := range map[string]struct {
		cc    string
		left  time.Duration
		quick bool
		takes bool
	}{
		"bbr":        {"bbr", 20 * time.Second, false, true},
		"cubic":      {"cubic", 20 * time.Second, false, false},
		"reno":       {"reno", 20 * time.Second, false, false},
		"htcp":       {"htcp", 20 * time.Second, false, false},
		"unknown":    {"", 20 * time.Second, false, false},
		"short time": {"bbr", 3 * time.Second, false, false},
		"quick":      {"bbr", 20 * time.Second, true, false},
	} {
		k := &checker{run: &record.Run{}, start: time.Now(), plan: plan{rtt: 20 * time.Millisecond}}
		k.Budget, k.Quick = c.left, c.quick
		k.run.Transfers = []record.Transfer{{Direction: record.Up, Protocol: record.TCP, Streams: 1, CC: c.cc}}
		steps := k.byCubic()
		if down := steps[0].need(); down != nothing {
			t.Errorf("%s: down, which nothing measured, takes %v", name, down)
		}
		if up := steps[1].need(); (up != nothing) != c.takes {
			t.Errorf("%s: up takes %v", name, up)
		}
	}
}
