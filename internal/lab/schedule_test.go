//go:build linux

package lab

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"unchoke/internal/path"
)

var echo = regexp.MustCompile(`icmp_seq=(\d+) ttl=\d+ time=([\d.]+) ms`)

// A path follows its schedule from the start of near's command, to the packet:
// the round-trip times are those of each echo's time, those of an outage are
// lost, and no echo overtakes those sent while the path was longer.
func TestSchedule(t *testing.T) {
	p, err := path.Parse("rtt=27ms,schedule=every 2s for 1s rtt=+50ms; at 4.5s for 1s loss=100%; at 7s up.rtt=47ms")
	if err != nil {
		t.Fatal(err)
	}
	ping := func() string {
		out, stderr, status, err := run(t, Command{Path: p, Seed: 1, Near: []string{"ping", "-4", "-i", "0.1", "-c", "86", "far"}})
		if err != nil || status != 0 {
			t.Fatalf("status %d, %v\n%s", status, err, stderr)
		}
		return out
	}
	out := ping()
	if again := ping(); again != out {
		t.Errorf("one seed gave first\n%s\nthen\n%s", out, again)
	}
	replies := map[int]float64{} // ms, by the tenth of a second at which the echo left
	var order []int
	for _, m := range echo.FindAllStringSubmatch(out, -1) {
		n, _ := strconv.Atoi(m[1])
		replies[n-1], _ = strconv.ParseFloat(m[2], 64)
		order = append(order, n)
	}
	if !slices.IsSorted(order) {
		t.Errorf("replies came in the order %v", order)
	}
	const lost = 0
	for _, c := range []struct {
		from, to int // tenths of a second, those near a change left out
		rtt      float64
	}{
		{0, 18, 27},
		{21, 28, 77},
		{31, 38, 27},
		{41, 43, 77},
		{46, 53, lost},
		{56, 58, 27},
		{61, 68, 77},
		{71, 78, 37},
		{81, 84, 62},
	} {
		for at := c.from; at <= c.to; at++ {
			if got := replies[at]; math.Abs(got-c.rtt) > 0.1 {
				t.Errorf("the echo of %d00 ms took %v ms, want %v", at, got, c.rtt)
			}
		}
	}
}
