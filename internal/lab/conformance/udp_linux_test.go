package conformance

import (
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
)

// udpLosses sends UDP of either family, and beside it a ping that loses none.
func udpLosses(up, down float64) func() (result, error) {
	return func() (result, error) {
		b, err := openBench()
		if err != nil {
			return result{}, err
		}
		var figures []figure
		for _, way := range []struct {
			to    string
			asked float64
		}{{"far", up}, {"near", down}} {
			for _, v6 := range []bool{false, true} {
				t := lossTrain(way.to, 10_000)
				t.v6 = v6
				j, err := b.run(t)
				if err != nil {
					return result{}, err
				}
				lost, _ := j.lost()
				what := fmt.Sprintf("%s, IPv%d UDP lost", direction(way.to), map[bool]int{false: 4, true: 6}[v6])
				if way.asked == 0 {
					figures = append(figures, exactly(what, "packets", 0, lost, len(j.flights)))
				} else {
					figures = append(figures, share(what, way.asked, lost, len(j.flights)))
				}
			}
		}
		const n = 300
		out, err := exec.Command("ping", "-q", "-c", strconv.Itoa(n), "-i", "0.01", "far").CombinedOutput()
		if err != nil {
			return result{}, fmt.Errorf("ping: %w\n%s", err, out)
		}
		m := regexp.MustCompile(`([0-9]+) received`).FindSubmatch(out)
		if m == nil {
			return result{}, fmt.Errorf("ping printed %s", out)
		}
		came, err := strconv.Atoi(string(m[1]))
		if err != nil {
			return result{}, err
		}
		return result{Figures: append(figures, exactly("pings answered", "pings", n, came, n))}, nil
	}
}

// udpAgainstTCP asks iperf3 for both, one after the other.
func udpAgainstTCP(udp, tcp float64) func() (result, error) {
	return func() (result, error) {
		var figures []figure
		for _, family := range []string{"-4", "-6"} {
			headers := map[string]float64{"-4": 20, "-6": 40}[family]
			s, err := runIperf(family, "-t", "5")
			if err != nil {
				return result{}, err
			}
			u, err := runIperf(family, "-u", "-b", "15M", "-l", "1400", "-t", "5")
			if err != nil {
				return result{}, err
			}
			figures = append(figures,
				relative("up, IPv"+family[1:]+" TCP payload", "Mbit/s", tcp*(1480-headers-12)/1514, s.received, 0.05, int(s.received*5e6/8/1448)),
				relative("up, IPv"+family[1:]+" UDP payload", "Mbit/s", udp*1400/(1400+8+headers+14), u.received, 0.05, int(u.received*5e6/8/1400)))
		}
		return result{Figures: figures}, nil
	}
}
