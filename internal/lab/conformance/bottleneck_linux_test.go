package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"time"
)

// Bottlenecks with an AQM, behind other traffic, on the sender's own card and
// for UDP alone, and paths that swallow what is too big.

const (
	server     = "exec iperf3 -s >/dev/null"
	twoServers = "iperf3 -s -p 5202 >/dev/null & " + server
)

var bottlenecks = []experiment{
	{"queue", "rtt=10ms,rate=10mbit,queue=fq_codel", "", rates(10, 10)},
	{"queue", "rtt=10ms,rate=10mbit,queue=cake", "", rates(10, 10)},
	{"queue", "rtt=10ms,rate=10mbit,queue=codel", "", rates(10, 10)},
	{"queue", "rtt=40ms,jitter=1ms,rate=10mbit,queue=cake", "", rates(10, 10)},
	// A ping has a queue of its own beside bulk streams, and none to itself in
	// one queue: CoDel and PIE keep that near their targets of 5 and 15 ms.
	{"queue", "rtt=40ms,rate=20mbit,queue=fq_codel", server, loadedPings(40*time.Millisecond, 0, 2)},
	{"queue", "rtt=40ms,rate=20mbit,queue=cake", server, loadedPings(40*time.Millisecond, 0, 2)},
	{"queue", "rtt=40ms,rate=20mbit,queue=codel", server, loadedPings(40*time.Millisecond, 5, 4)},
	{"queue", "rtt=40ms,rate=20mbit,queue=pie", server, loadedPings(40*time.Millisecond, 15, 10)},
	{"queue", "rtt=40ms,rate=20mbit,queue=fq_codel,tunnel=wireguard", server, loadedPings(40*time.Millisecond, 5, 4)},
	{"queue", "rtt=40ms,rate=20mbit,queue=cake,tunnel=wireguard", server, loadedPings(40*time.Millisecond, 5, 4)},
	{"queue", "rtt=20ms,rate=20mbit,queue=fq_codel", twoServers, fairness(10)},
	{"queue", "rtt=20ms,rate=20mbit,queue=cake", twoServers, fairness(10)},

	{"cross", "rtt=20ms,rate=20mbit,up.cross=5mbit", server, crossed(time.Second, 5, 0.01)},
	{"cross", "rtt=20ms,rate=20mbit,up.cross=4xcubic", server, crossed(time.Second, 20, 0.01)},
	{"cross", "rtt=20ms,rate=20mbit,up.cross=2xbbr", server, crossed(time.Second, 20, 0.02)},
	{"cross", "rtt=20ms,rate=20mbit,up.cross=2xcubic+5mbit,jitter=3ms,loss=5%,policer=9mbit:64KiB", server, crossed(time.Second, 20, 0.01)},
	{"cross", "rtt=20ms,rate=20mbit,schedule=at 2s for 2s up.cross=10mbit", server, crossed(2500*time.Millisecond, 10, 0.01)},
	{"cross", "rtt=20ms,rate=20mbit,queue=fq_codel,up.cross=1xcubic", server, besideCross(10)},
	{"cross", "rtt=20ms,rate=20mbit,queue=cake,up.cross=4xcubic", server, besideCross(10)},
	{"cross", "rtt=20ms,rate=20mbit,queue=fq_codel,up.cross=3xcubic", server, besideCross(5)},

	{"pmtud", "rtt=10ms,mtu=1400,pmtud=off", "true", blackhole(1400)},
	{"pmtud", "rtt=10ms,mtu=1400,pmtud=off,rate=20mbit,jitter=1ms,cross=1mbit", "true", blackhole(1400)},
	{"up.pmtud", "rtt=10ms,mtu=1400,up.pmtud=off", "", oneWayHole(1400)},

	{"udp.loss", "rtt=10ms,udp.loss=5%", "", udpLosses(0.05, 0.05)},
	{"up.udp.loss, down.udp.loss", "rtt=10ms,rate=100mbit,down.udp.loss=5%", "", udpLosses(0, 0.05)},
	{"udp.rate", "rtt=10ms,udp.rate=5mbit", "", rates(5, 5)},
	{"udp.policer", "rtt=10ms,udp.policer=10mbit:50KiB", "", polices(10, 50<<10)},
	{"udp.policer", "rtt=20ms,rate=20mbit,udp.policer=5mbit:32KiB", server, udpAgainstTCP(5, 20)},
	{"udp.rate", "rtt=20ms,rate=20mbit,udp.rate=5mbit", server, udpAgainstTCP(5, 20)},

	{"sqm", "rtt=10ms,sqm=20mbit:fq_codel", "", rates(20, 20)},
	{"sqm", "rtt=10ms,sqm=20mbit:cake", "", rates(20, 20)},
	{"sqm", "rtt=10ms,sqm=10mbit:tbf:20ms", "", queues(10, 10e6/8*0.02+2*1514)},
	{"sqm", "rtt=10ms,rate=100mbit,sqm=20mbit:fq_codel", server, heldBack(20)},
	{"sqm", "rtt=10ms,rate=100mbit,sqm=20mbit:cake", server, heldBack(20)},
	{"sqm", "rtt=10ms,rate=100mbit,sqm=20mbit:tbf:300ms", server, heldBack(20)},
}

// payload is what TCP carries of a rate of full frames, with timestamps.
const payload = 1448.0 / 1514

// stream is what iperf3 says of one test.
type stream struct {
	received    float64 // Mbit/s of payload
	retransmits int
}

func runIperf(args ...string) (stream, error) {
	out, err := exec.Command("iperf3", append([]string{"-c", "far", "-J", "--get-server-output"}, args...)...).Output()
	if err != nil {
		return stream{}, fmt.Errorf("iperf3: %w\n%s", err, out)
	}
	var report struct {
		End struct {
			Sent     struct{ Retransmits int } `json:"sum_sent"`
			Received struct {
				Bits float64 `json:"bits_per_second"`
			} `json:"sum_received"`
		}
	}
	if err := json.Unmarshal(out, &report); err != nil {
		return stream{}, fmt.Errorf("iperf3: %w", err)
	}
	return stream{report.End.Received.Bits / 1e6, report.End.Sent.Retransmits}, nil
}

// loadedPings asks ping how much longer than alone it takes beside four
// streams, once they are under way.
func loadedPings(rtt time.Duration, wait, within float64) func() (result, error) {
	return func() (result, error) {
		load := exec.Command("iperf3", "-c", "far", "-P", "4", "-t", "12")
		if err := load.Start(); err != nil {
			return result{}, err
		}
		time.Sleep(2 * time.Second)
		const n = 80
		out, err := exec.Command("ping", "-q", "-c", strconv.Itoa(n), "-i", "0.1", "far").CombinedOutput()
		if err := errors.Join(err, load.Wait()); err != nil {
			return result{}, fmt.Errorf("ping or iperf3: %w\n%s", err, out)
		}
		m := regexp.MustCompile(`= [0-9.]+/([0-9.]+)/`).FindSubmatch(out)
		if m == nil {
			return result{}, fmt.Errorf("ping printed %s", out)
		}
		mean, err := strconv.ParseFloat(string(m[1]), 64)
		if err != nil {
			return result{}, err
		}
		base := float64(rtt) / 1e6
		return result{Figures: []figure{absolute("up, mean queueing delay of a ping alongside four streams", "ms", wait, mean-base, within, n)}}, nil
	}
}

// fairness runs TCP beside UDP that offers half as much again as the bottleneck
// carries and does not yield.
func fairness(asked float64) func() (result, error) {
	return func() (result, error) {
		load := exec.Command("iperf3", "-c", "far", "-p", "5202", "-u", "-b", "30M", "-t", "8")
		if err := load.Start(); err != nil {
			return result{}, err
		}
		time.Sleep(time.Second)
		tcp, err := runIperf("-4", "-t", "5")
		if err := errors.Join(err, load.Wait()); err != nil {
			return result{}, err
		}
		return result{Figures: []figure{relative("up, TCP alongside UDP that does not back off", "Mbit/s", asked*payload, tcp.received, 0.1, int(tcp.received*5e6/8/1448))}}, nil
	}
}

// heldBack is a shaper that its sender feels: TCP fills it and resends nothing,
// and UDP that offers five times as much is slowed down instead of lost.
func heldBack(asked float64) func() (result, error) {
	return func() (result, error) {
		tcp, err := runIperf("-4", "-t", "5")
		if err != nil {
			return result{}, err
		}
		udp, err := runIperf("-4", "-u", "-b", strconv.Itoa(int(5*asked))+"M", "-l", "1472", "-t", "5")
		if err != nil {
			return result{}, err
		}
		return result{Figures: []figure{
			relative("up, TCP payload", "Mbit/s", asked*payload, tcp.received, 0.02, int(tcp.received*5e6/8/1448)),
			exactly("up, TCP segments retransmitted", "segments", 0, tcp.retransmits, int(tcp.received*5e6/8/1448)),
			relative("up, UDP payload", "Mbit/s", asked*1472/1514, udp.received, 0.03, int(udp.received*5e6/8/1472)),
		}}, nil
	}
}
