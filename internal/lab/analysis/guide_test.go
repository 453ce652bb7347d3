package analysis

import (
	"testing"

	"unchoke/internal/lab/sweep/grid"
	"unchoke/internal/lab/traffic"
)

// The guide tells of jitter and loss alone. What a bottleneck, losses in bursts
// or several streams make of them it leaves out.
func TestGuideOfPlainPaths(t *testing.T) {
	for _, c := range []struct {
		with    string // each path
		streams int
		guides  int
	}{
		{"", 0, 1},
		{"", 1, 1},
		{",mtu=1500", 0, 1},
		{",down.loss=0%", 0, 1},
		{"", 4, 0},
		{",rate=20mbit", 0, 0},
		{",down.rate=20mbit", 0, 0},
		{",policer=20mbit:64KiB", 0, 0},
		{",sqm=20mbit:cake", 0, 0},
		{",udp.rate=20mbit", 0, 0},
		{",udp.loss=5%", 0, 0},
		{",loss=ge:1%:25%:100%:0%", 0, 0},
		{",down.loss=ge:1%:25%", 0, 0},
		{",tunnel=wireguard", 0, 0},
		{",mtu=1400", 0, 0},
		{",order=keep", 0, 0},
		{",schedule=at 1s loss=1%", 0, 0},
	} {
		var s Study
		for i, jitter := range []string{"2ms", "4ms", "8ms", "16ms"} {
			spec := "rtt=50ms,jitter=" + jitter + c.with
			if c.with != ",order=keep" {
				spec += ",order=free"
			}
			for j, cc := range []string{"cubic", "bbr"} {
				for rep := range 3 {
					s.Rows = append(s.Rows, grid.Row{
						Cell: 2*i + j, Repetition: rep, Seed: uint64(rep), Path: mustPath(spec), Arm: grid.Arm{CC: cc, Streams: c.streams},
						Result: traffic.Result{Throughput: float64(j+1) * (1e6 + float64(rep)), CC: cc},
					})
				}
			}
		}
		if got := len(Analyse(s).Guide); got != c.guides {
			t.Errorf("%q with %d streams: %d guides, want %d", c.with, c.streams, got, c.guides)
		}
	}
}
