package conformance

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// experiment is one path and how to measure it.
type experiment struct {
	key     string
	spec    string
	far     string // a shell command; empty for the bench's own far side
	measure func() (result, error)
}

func (e experiment) name() string { return e.key + "/" + e.spec }

const (
	// headers are those of IPv4, UDP and Ethernet.
	headers      = 20 + 8 + 14
	fullPayload  = 1514 - headers
	smallPayload = 64 - headers // Ethernet's smallest frame, less its checksum
)

var experiments = []experiment{
	{"rtt", "rtt=0s", "", delays(0, 0)},
	{"rtt", "rtt=50ms", "", delays(25*time.Millisecond, 25*time.Millisecond)},
	{"rtt", "rtt=80ms", "true", pings(80 * time.Millisecond)},
	{"rtt", "rtt=300ms,rate=100mbit", "", delays(150*time.Millisecond, 150*time.Millisecond)},
	{"up.rtt, down.rtt", "up.rtt=20ms,down.rtt=90ms", "", delays(10*time.Millisecond, 45*time.Millisecond)},

	{"jitter", "rtt=40ms,jitter=2ms", "", jitters(normal, alone)},
	{"jitter", "rtt=40ms,jitter=2ms,order=free", "", jitters(normal, together)},
	{"dist", "rtt=40ms,jitter=2ms,dist=uniform", "", jitters(uniform, alone)},
	{"dist", "rtt=40ms,jitter=2ms,dist=uniform,order=free", "", jitters(uniform, together)},
	{"dist", "rtt=40ms,jitter=2ms,dist=pareto", "", jitters(pareto, alone)},
	{"dist", "rtt=40ms,jitter=2ms,dist=pareto,order=free", "", jitters(pareto, together)},
	{"dist", "rtt=40ms,jitter=2ms,dist=paretonormal", "", jitters(paretoNormal, alone)},
	{"dist", "rtt=40ms,jitter=2ms,dist=paretonormal,order=free", "", jitters(paretoNormal, together)},
	{"dist", "rtt=40ms,jitter=2ms,dist=file:testdata/humps.dist", "", jitters(humps, alone)},
	{"order", "rtt=40ms,jitter=2ms,order=keep", "", overtaking(0)},
	{"order", "rtt=40ms,jitter=2ms,order=free", "", overtaking(normalTail(1 / math.Sqrt2))},

	{"loss", "rtt=10ms,loss=0.5%", "", losses(0.005, 0.005)},
	{"loss", "rtt=10ms,loss=20%", "", losses(0.2, 0.2)},
	{"up.loss, down.loss", "rtt=10ms,up.loss=2%", "", losses(0.02, 0)},
	{"loss", "rtt=10ms,loss=ge:1%:25%", "", bursts(0.01, 0.25, 1, 0)},
	{"loss", "rtt=10ms,loss=ge:2%:20%:40%:0.1%", "", bursts(0.02, 0.2, 0.4, 0.001)},

	{"rate", "rtt=10ms,rate=5mbit", "", rates(5, 5)},
	{"rate", "rtt=10ms,rate=100mbit", "", rates(100, 100)},
	{"rate", "rtt=10ms,rate=1gbit", "", rates(1000, 1000)},
	{"rate", "rtt=40ms,jitter=1ms,rate=5mbit", "", rates(5, 5)},
	{"up.rate, down.rate", "rtt=10ms,up.rate=10mbit,down.rate=50mbit", "", rates(10, 50)},
	{"rate", "rtt=10ms,rate=20mbit,queue=128KiB", "exec iperf3 -s -J >/dev/null", iperf(20)},

	{"queue", "rtt=10ms,rate=10mbit,queue=64KiB", "", queues(10, 64<<10)},
	{"queue", "rtt=10ms,rate=10mbit,queue=100p", "", queues(10, 100*queueFrame)},
	{"queue", "rtt=100ms,rate=10mbit,queue=2bdp", "", queues(10, 2*10e6/8*0.1)},
	{"queue", "rtt=100ms,rate=10mbit", "", queues(10, 10e6/8*0.1)},
	{"queue", "rtt=100ms,jitter=10ms,rate=10mbit,queue=16p", "", unharmed},
	{"schedule", "rtt=40ms,rate=10mbit,queue=16p,schedule=every 1s for 300ms rtt=+60ms", "", unharmed},

	{"policer", "rtt=10ms,policer=10mbit:50KiB", "", polices(10, 50<<10)},
	{"policer", "rtt=10ms,policer=200mbit:1MiB", "", polices(200, 1<<20)},

	{"mtu", "rtt=10ms,mtu=1400", "", mtus("far", 1400)},
	{"mtu", "rtt=10ms,mtu=9000", "", mtus("far", 9000)},

	// What a tunnel adds to a packet; what it leaves of an MTU of 1500.
	{"tunnel", "rtt=10ms,rate=10mbit,tunnel=wireguard", "", tunnels(20+8+32, 1420)},
	{"tunnel", "rtt=10ms,rate=10mbit,tunnel=gre", "", tunnels(20+4, 1476)},
	{"tunnel", "rtt=10ms,rate=10mbit,tunnel=ip6gre", "", tunnels(40+8+4, 1448)},
}

var seeded = []experiment{
	{"seed", "rtt=40ms,jitter=4ms,order=free,loss=5%", "", trace},
	{"seed", "rtt=40ms,jitter=1ms,loss=1%,udp.loss=1%,rate=20mbit,queue=fq_codel,cross=2xbbr+1xcubic+5mbit,schedule=at 500ms for 1s up.cross=1xreno", "", trace},
}

// onBench opens the bench for a measurement.
func onBench(measure func(*bench) ([]figure, error)) func() (result, error) {
	return func() (result, error) {
		b, err := openBench()
		if err != nil {
			return result{}, err
		}
		figures, err := measure(b)
		return result{Figures: figures}, err
	}
}

// bothWays measures up and then down.
func bothWays(measure func(b *bench, to string) ([]figure, error)) func() (result, error) {
	return onBench(func(b *bench) ([]figure, error) {
		up, err := measure(b, "far")
		if err != nil {
			return nil, err
		}
		down, err := measure(b, "near")
		return append(up, down...), err
	})
}

func direction(to string) string {
	if to == "far" {
		return "up"
	}
	return "down"
}

func delays(up, down time.Duration) func() (result, error) {
	return bothWays(func(b *bench, to string) ([]figure, error) {
		asked := up
		if to == "near" {
			asked = down
		}
		var figures []figure
		for _, v6 := range []bool{false, true} {
			j, err := b.run(train{to: to, v6: v6, packets: 100, every: 10 * time.Millisecond})
			if err != nil {
				return nil, err
			}
			family := "IPv4"
			if v6 {
				family = "IPv6"
			}
			got := j.delays()
			figures = append(figures,
				exactly(direction(to)+", "+family+" packets arrived", "packets", len(j.flights), len(got), len(j.flights)),
				duration(direction(to)+", "+family+" delay with the largest error", asked, farthest(got, asked), 100*time.Microsecond, len(got)))
		}
		return figures, nil
	})
}

// pings asks ping.
func pings(rtt time.Duration) func() (result, error) {
	return func() (result, error) {
		const n = 20
		out, err := exec.Command("ping", "-q", "-c", strconv.Itoa(n), "-i", "0.2", "far").CombinedOutput()
		if err != nil {
			return result{}, fmt.Errorf("ping: %w\n%s", err, out)
		}
		// rtt min/avg/max/mdev = 50.006/50.021/50.040/0.010 ms
		m := regexp.MustCompile(`= ([0-9.]+)/([0-9.]+)/([0-9.]+)/`).FindSubmatch(out)
		if m == nil {
			return result{}, fmt.Errorf("ping printed %s", out)
		}
		var figures []figure
		for i, what := range []string{"shortest ping", "mean ping", "longest ping"} {
			v, err := strconv.ParseFloat(string(m[i+1]), 64)
			if err != nil {
				return result{}, err
			}
			figures = append(figures, duration(what, rtt, time.Duration(v*1e6), 200*time.Microsecond, n))
		}
		return result{Figures: figures}, nil
	}
}

// Quantiles of distributions of standard deviation 1, at 5, 50 and 95 %,
// computed from the distributions and not from the tables in use. Those with a
// Pareto part are cut as iproute2's are.
var (
	normal       = [3]float64{-1.645, 0, 1.645}
	uniform      = [3]float64{-1.559, 0, 1.559}
	pareto       = [3]float64{-0.744, -0.350, 2.013}
	paretoNormal = [3]float64{-1.041, -0.258, 1.977}
	humps        = [3]float64{-0.672, -0.672, 1.577} // of testdata/humps.dist
)

// Where order is kept, each packet has to be gone before the next is sent, or
// it would hold that one back.
var (
	alone    = train{packets: 5000, every: 20 * time.Millisecond}
	together = train{packets: 20_000, every: 10 * time.Millisecond, batch: 50}
)

// jitters measures the delays of packets that do not touch each other.
func jitters(quantiles [3]float64, t train) func() (result, error) {
	return bothWays(func(b *bench, to string) ([]figure, error) {
		t.to = to
		j, err := b.run(t)
		if err != nil {
			return nil, err
		}
		got := shapeOf(j.delays())
		d, n := direction(to)+", ", len(j.order)
		return []figure{
			duration(d+"mean delay", 20*time.Millisecond, got.mean, 100*time.Microsecond, n),
			relative(d+"standard deviation", "ms", 2, float64(got.deviation)/1e6, 0.03, n),
			absolute(d+"5 % quantile", "σ", quantiles[0], got.low, 0.1, n),
			absolute(d+"median", "σ", quantiles[1], got.mid, 0.1, n),
			absolute(d+"95 % quantile", "σ", quantiles[2], got.high, 0.1, n),
		}, nil
	})
}

// overtaking sends packets one standard deviation apart.
func overtaking(asked float64) func() (result, error) {
	return bothWays(func(b *bench, to string) ([]figure, error) {
		j, err := b.run(train{to: to, packets: 5000, every: 2 * time.Millisecond})
		if err != nil {
			return nil, err
		}
		what := direction(to) + ", overtaken by the next packet"
		if asked == 0 {
			return []figure{exactly(what, "packets", 0, j.overtaken(), len(j.order))}, nil
		}
		return []figure{share(what, asked, j.overtaken(), len(j.order))}, nil
	})
}

// normalTail is the probability of a standard normal variable above x.
func normalTail(x float64) float64 { return math.Erfc(x/math.Sqrt2) / 2 }

// lossTrain is long enough for rare losses and light on the machine.
func lossTrain(to string, packets int) train {
	return train{to: to, packets: packets, batch: 50, every: time.Millisecond}
}

func losses(up, down float64) func() (result, error) {
	return bothWays(func(b *bench, to string) ([]figure, error) {
		asked := up
		if to == "near" {
			asked = down
		}
		j, err := b.run(lossTrain(to, 40_000))
		if err != nil {
			return nil, err
		}
		lost, _ := j.lost()
		what := direction(to) + ", lost"
		if asked == 0 {
			return []figure{exactly(what, "packets", 0, lost, len(j.flights))}, nil
		}
		return []figure{share(what, asked, lost, len(j.flights))}, nil
	})
}

// bursts measures Gilbert–Elliott loss. Consecutive losses correlate with the
// chain's memory 1-p-r, which widens the interval of their mean.
func bursts(p, r, bad, good float64) func() (result, error) {
	return bothWays(func(b *bench, to string) ([]figure, error) {
		const z = 2.576 // 99 % of a normal distribution
		j, err := b.run(lossTrain(to, 50_000))
		if err != nil {
			return nil, err
		}
		n := len(j.flights)
		lost, runs := j.lost()
		inBad := p / (p + r)
		mean := inBad*bad + (1-inBad)*good
		memory := 1 - p - r
		variance := mean*(1-mean) + 2*memory/(1-memory)*inBad*(1-inBad)*(bad-good)*(bad-good)
		figures := []figure{
			relative(direction(to)+", mean loss", "%", mean*100, float64(lost)/float64(n)*100,
				round2(z*math.Sqrt(variance/float64(n))/mean), n),
		}
		if bad == 1 && good == 0 {
			// A burst's length is geometric.
			within := z * math.Sqrt(1-r) / math.Sqrt(float64(runs))
			figures = append(figures, relative(direction(to)+", mean burst", "packets", 1/r, float64(lost)/float64(runs), round2(within), runs))
		}
		return figures, nil
	})
}

// round2 rounds a tolerance up to whole per cents, for the table's sake.
func round2(v float64) float64 { return math.Ceil(v*100) / 100 }

// rates offers a fifth more than asked and counts what arrives once the queue
// stands.
func rates(up, down float64) func() (result, error) {
	return bothWays(func(b *bench, to string) ([]figure, error) {
		asked := up
		if to == "near" {
			asked = down
		}
		var figures []figure
		for _, payload := range []int{fullPayload, 150} {
			frame := payload + headers
			const batch, batches = 12, 400
			every := time.Duration(float64(batch*frame*8) / (1.2 * asked * 1e6) * 1e9)
			j, err := b.run(train{to: to, packets: batch * batches, payload: payload, batch: batch, every: every})
			if err != nil {
				return nil, err
			}
			got := j.rate(frame) * 8 / 1e6
			what := fmt.Sprintf("%s, frames of %d bytes", direction(to), frame)
			figures = append(figures, relative(what, "Mbit/s", asked, got, 0.01, len(j.order)))
		}
		return figures, nil
	})
}

// iperf asks iperf3 what the receiver of one TCP stream gets once the stream is
// under way: a full frame carries 1448 of its 1514 bytes with timestamps. Its
// totals will not do: with an omitted start they count bytes and time from
// different moments.
func iperf(asked float64) func() (result, error) {
	type intervals []struct {
		Sum struct {
			Bytes, Seconds float64
		}
	}
	return func() (result, error) {
		far, err := processOf("iperf3") // before there is another
		if err != nil {
			return result{}, err
		}
		var figures []figure
		for _, way := range []string{"up", "down"} {
			receiver := map[string]string{"up": far, "down": "self"}[way]
			args := []string{"-4", "-c", "far", "-J", "-t", "8", "--get-server-output"}
			if way == "down" {
				args = append(args, "-R")
			}
			before, err := readCard(receiver)
			if err != nil {
				return result{}, err
			}
			out, err := exec.Command("iperf3", args...).Output()
			if err != nil {
				return result{}, fmt.Errorf("iperf3: %w\n%s", err, out)
			}
			var report struct {
				Intervals intervals
				Server    struct{ Intervals intervals } `json:"server_output_json"`
			}
			if err := json.Unmarshal(out, &report); err != nil {
				return result{}, fmt.Errorf("iperf3: %w", err)
			}
			after, err := readCard(receiver)
			if err != nil {
				return result{}, err
			}
			received, frame := report.Intervals, (after.bytes-before.bytes)/(after.packets-before.packets)
			if way == "up" {
				received = report.Server.Intervals
			}
			var bytes, seconds float64
			for _, i := range received[2:8] {
				bytes += i.Sum.Bytes
				seconds += i.Sum.Seconds
			}
			figures = append(figures, relative(way+", iperf3, TCP payload", "Mbit/s",
				asked*1448/1514, bytes*8/seconds/1e6, 0.01, int(bytes/1448)),
				relative(way+", mean frame", "bytes", 1514, frame, 0.01, int(bytes/1448)))
		}
		return result{Figures: figures}, nil
	}
}

// card is what eth0 has received.
type card struct{ bytes, packets float64 }

// readCard reads the counters of a process's host: proc_pid_net(5).
func readCard(process string) (card, error) {
	text, err := os.ReadFile("/proc/" + process + "/net/dev")
	if err != nil {
		return card{}, err
	}
	_, counters, ok := strings.Cut(string(text), "eth0:")
	if !ok {
		return card{}, errors.New("no eth0")
	}
	var c card
	_, err = fmt.Sscan(counters, &c.bytes, &c.packets)
	return c, err
}

// processOf is the number of the one process of this name, on either host.
func processOf(name string) (string, error) {
	names, err := filepath.Glob("/proc/[0-9]*/comm")
	if err != nil {
		return "", err
	}
	for _, file := range names {
		if comm, err := os.ReadFile(file); err == nil && strings.TrimSpace(string(comm)) == name {
			return filepath.Base(filepath.Dir(file)), nil
		}
	}
	return "", fmt.Errorf("no process %s", name)
}

// queueFrame is the frame that fills queues. Small ones measure finely.
const queueFrame = 500

// queues sends more than fits at once. What arrives last has waited for a full
// queue to drain.
func queues(rate, bytes float64) func() (result, error) {
	return bothWays(func(b *bench, to string) ([]figure, error) {
		packets := int(bytes/queueFrame) + 100
		j, err := b.run(train{to: to, packets: packets, payload: queueFrame - headers, batch: 50})
		if err != nil {
			return nil, err
		}
		got := j.delays()
		base := got[0]
		standing := farthest(got, base) - base
		frame := queueFrame * 8 / (rate * 1e6) * 1e3
		return []figure{
			absolute(direction(to)+", longest queueing delay", "ms", bytes*8/(rate*1e6)*1e3, float64(standing)/1e6, frame, len(got)),
		}, nil
	})
}

// unharmed sends at 95 % of the bottleneck's rate on a path whose delay varies:
// the queue must drop nothing, since the delay comes after it.
func unharmed() (result, error) {
	return bothWays(func(b *bench, to string) ([]figure, error) {
		j, err := b.run(train{to: to, packets: 4000, payload: fullPayload, every: 1275 * time.Microsecond})
		if err != nil {
			return nil, err
		}
		lost, _ := j.lost()
		return []figure{exactly(direction(to)+", lost below the rate", "packets", 0, lost, len(j.flights))}, nil
	})()
}

// polices sends a burst at once, and after the bucket has filled again twice
// the rate.
func polices(rate, burst float64) func() (result, error) {
	return bothWays(func(b *bench, to string) ([]figure, error) {
		const frame = 500
		packets := int(burst/frame) * 2
		j, err := b.run(train{to: to, packets: packets, payload: frame - headers, batch: 50})
		if err != nil {
			return nil, err
		}
		// The bucket gains tokens while the burst comes in, at the wire's pace.
		passed := 0
		for j.flights[passed].received > 0 {
			passed++
		}
		gained := (j.flights[passed-1].received - j.flights[0].received).Seconds() * rate * 1e6 / 8
		figures := []figure{
			relative(direction(to)+", passed at once", "KiB", burst/1024, (float64(passed)*frame-gained)/1024, 0.02, packets),
		}

		const batch, batches = 10, 2000
		every := time.Duration(batch * frame * 8 / (2 * rate * 1e6) * 1e9)
		j, err = b.run(train{to: to, packets: batch * batches, payload: frame - headers, batch: batch, every: every})
		if err != nil {
			return nil, err
		}
		got := j.delays()
		return append(figures,
			relative(direction(to)+", rate beyond the burst", "Mbit/s", rate, j.rate(frame)*8/1e6, 0.02, len(got)),
			duration(direction(to)+", delay with the largest error", 5*time.Millisecond,
				farthest(got, 5*time.Millisecond), 100*time.Microsecond, len(got)),
		), nil
	})
}

// mtus finds the largest IPv4 packet that passes whole.
func mtus(to string, asked int) func() (result, error) {
	return onBench(func(b *bench) ([]figure, error) {
		f, err := largest(b, to, asked)
		return []figure{f}, err
	})
}

func largest(b *bench, to string, asked int) (figure, error) {
	return largestFrom(b, b.near.v4, to, asked)
}

func largestFrom(b *bench, socket int, to string, asked int) (figure, error) {
	if err := unix.SetsockoptInt(socket, unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, unix.IP_PMTUDISC_PROBE); err != nil {
		return figure{}, fmt.Errorf("forbid fragments: %w", err)
	}
	const ipAndUDP = 20 + 8
	found, tried := 0, 0
	for size := asked - 20; size <= asked+20; size++ {
		tried++
		j, err := b.run(train{to: to, packets: 1, payload: size - ipAndUDP})
		if err == nil && len(j.order) == 1 {
			found = size
		}
	}
	return exactly("largest packet to "+to, "bytes", asked, found, tried), nil
}

// tunnels measures how much longer a tunnel makes a packet, by the time that
// the bottleneck takes to send one, and what is left of the MTU.
func tunnels(overhead float64, mtu int) func() (result, error) {
	return onBench(func(b *bench) ([]figure, error) {
		var figures []figure
		var wire [2]float64
		for i, to := range []string{"far", "far.underlay"} {
			// 1008 bytes of IP are a whole number of WireGuard's 16-byte blocks.
			j, err := b.run(train{to: to, packets: 100, payload: 1008 - 28, batch: 50})
			if err != nil {
				return nil, err
			}
			first, last := j.flights[j.order[10]].received, j.flights[j.order[len(j.order)-1]].received
			wire[i] = (last - first).Seconds() * 10e6 / 8 / float64(len(j.order)-11)
		}
		figures = append(figures,
			absolute("frame of a packet of 1008 bytes to far.underlay", "bytes", 1008+14, wire[1], 1, 100),
			absolute("overhead of the tunnel", "bytes", overhead, wire[0]-wire[1], 1, 100))
		for _, v6 := range []bool{false, true} {
			j, err := b.run(train{to: "far", v6: v6, packets: 10, every: 10 * time.Millisecond})
			if err != nil {
				return nil, err
			}
			figures = append(figures, exactly(fmt.Sprintf("IPv%d packets through it", map[bool]int{false: 4, true: 6}[v6]), "packets", 10, len(j.order), 10))
		}
		for _, m := range []struct {
			to  string
			mtu int
		}{{"far", mtu}, {"far.underlay", 1500}} {
			f, err := largest(b, m.to, m.mtu)
			if err != nil {
				return nil, err
			}
			figures = append(figures, f)
		}
		return figures, nil
	})
}

// trace is a digest of which packets were lost, in which order the others came,
// and how long each took.
func trace() (result, error) {
	b, err := openBench()
	if err != nil {
		return result{}, err
	}
	digest := sha256.New()
	for _, to := range []string{"far", "near"} {
		j, err := b.run(train{to: to, packets: 1000, every: time.Millisecond})
		if err != nil {
			return result{}, err
		}
		for _, i := range j.order {
			fmt.Fprintln(digest, i, j.flights[i].delay())
		}
	}
	return result{Trace: fmt.Sprintf("%x", digest.Sum(nil))}, nil
}
