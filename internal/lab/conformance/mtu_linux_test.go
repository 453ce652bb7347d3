package conformance

import (
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// blackhole asks ping which packets pass that may not be fragmented, and
// whether anybody says so.
func blackhole(mtu int) func() (result, error) {
	return func() (result, error) {
		var figures []figure
		for _, family := range []struct {
			flag    string
			headers int // of IP and ICMP
		}{{"-4", 20 + 8}, {"-6", 40 + 8}} {
			for _, c := range []struct{ size, come int }{{mtu, 3}, {mtu + 1, 0}, {1500, 0}} {
				out, err := exec.Command("ping", family.flag, "-M", "do", "-c", "3", "-i", "0.1", "-W", "1", "-s", strconv.Itoa(c.size-family.headers), "far").CombinedOutput()
				m := regexp.MustCompile(`3 packets transmitted, ([0-9]) received(, \+[0-9]+ errors)?`).FindSubmatch(out)
				if m == nil {
					return result{}, fmt.Errorf("ping: %w\n%s", err, out)
				}
				come, err := strconv.Atoi(string(m[1]))
				if err != nil {
					return result{}, err
				}
				what := fmt.Sprintf("IPv%s packets of %d bytes", family.flag[1:], c.size)
				figures = append(figures, exactly(what+" that pass", "packets", c.come, come, 3))
				if c.come == 0 {
					figures = append(figures, exactly(what+", ICMP errors", "lines", 0, strings.Count(string(out), "From ")+strings.Count(string(out), "too long"), 3))
				}
			}
		}
		return result{Figures: figures}, nil
	}
}

// oneWayHole finds the largest packets that pass each way.
func oneWayHole(mtu int) func() (result, error) {
	return onBench(func(b *bench) ([]figure, error) {
		var figures []figure
		for _, way := range []struct {
			to   string
			from int // socket
			mtu  int
		}{{"far", b.near.v4, mtu}, {"near", b.far.v4, 1500}} {
			f, err := largestFrom(b, way.from, way.to, way.mtu)
			if err != nil {
				return nil, err
			}
			figures = append(figures, f)
		}
		return figures, nil
	})
}
