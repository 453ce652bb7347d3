package iperf3

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestBench compares this package with stock iperf3 side by side:
//
//	go test ./iperf3 -run TestBench -v -bench-pairs 5
//
// Each round runs every pairing of client and server once, in alternating
// order, each in a process of its own; what counts is the median of the
// rounds' ratios. A side's processor time is compared against the same peer,
// stock iperf3: whichever side waits less does more of the kernel's work for
// both.
var benchPairs = flag.Int("bench-pairs", 0, "compare with stock iperf3 in this many pairs of runs")

// benchRole makes the test binary a client or a server; see benchMain.
const benchRole = "IPERF3_BENCH"

const benchTime = time.Second

type benchCase struct {
	name string
	test Test
	args []string
}

var benchCases = []benchCase{
	{"TCP up", Test{Duration: benchTime}, []string{"-t", "1"}},
	{"TCP down", Test{Duration: benchTime, Reverse: true}, []string{"-t", "1", "-R"}},
	{"UDP up", Test{Protocol: UDP, Duration: benchTime, Length: 1448}, []string{"-t", "1", "-u", "-b", "0", "-l", "1448"}},
	{"UDP down", Test{Protocol: UDP, Duration: benchTime, Length: 1448, Reverse: true}, []string{"-t", "1", "-u", "-b", "0", "-l", "1448", "-R"}},
}

// A pairing says which program is on which side.
type pairing struct{ ourClient, ourServer bool }

var (
	bothStock = pairing{false, false}
	bothOurs  = pairing{true, true}
	ourClient = pairing{true, false}
	ourServer = pairing{false, true}
)

// benchRun is one run's figures.
type benchRun struct {
	bytes                float64 // received per second
	clientCPU, serverCPU float64 // s per GB received
}

func TestBench(t *testing.T) {
	if *benchPairs == 0 {
		t.Skip("no -bench-pairs given")
	}
	needStock(t)
	fmt.Printf("%-9s %-34s %10s %10s %7s\n", "", "", "stock", "unchoke", "ratio")
	for _, c := range benchCases {
		runs := map[pairing][]benchRun{}
		order := []pairing{bothStock, bothOurs, ourClient, ourServer}
		for range *benchPairs {
			for _, p := range order {
				runs[p] = append(runs[p], benchOnce(t, c, p))
			}
			slices.Reverse(order)
		}
		row := func(what, format string, p pairing, get func(benchRun) float64) {
			var a, b, ratios []float64
			for n, stock := range runs[bothStock] {
				a, b = append(a, get(stock)), append(b, get(runs[p][n]))
				ratios = append(ratios, b[n]/a[n])
			}
			fmt.Printf("%-9s %-34s %10s %10s %7.2f\n", c.name, what,
				fmt.Sprintf(format, median(a)), fmt.Sprintf(format, median(b)), median(ratios))
		}
		if c.test.Protocol == UDP {
			row("packets/s received", "%.0f", bothOurs, func(r benchRun) float64 { return r.bytes / 1448 })
			row("packets/s, to or from stock client", "%.0f", ourServer, func(r benchRun) float64 { return r.bytes / 1448 })
			row("packets/s, to or from stock server", "%.0f", ourClient, func(r benchRun) float64 { return r.bytes / 1448 })
		} else {
			row("rate, Gbit/s", "%.2f", bothOurs, func(r benchRun) float64 { return r.bytes * 8 / 1e9 })
		}
		row("CPU s/GB, both sides", "%.3f", bothOurs, func(r benchRun) float64 { return r.clientCPU + r.serverCPU })
		row("CPU s/GB, client of a stock server", "%.3f", ourClient, func(r benchRun) float64 { return r.clientCPU })
		row("CPU s/GB, server of a stock client", "%.3f", ourServer, func(r benchRun) float64 { return r.serverCPU })
	}
}

// benchOnce runs one client and one server to their ends.
func benchOnce(t *testing.T, c benchCase, p pairing) benchRun {
	port := freePort(t)
	addr := fmt.Sprintf("127.0.0.1:%d", port)
	server := exec.Command("iperf3", "-s", "-1", "-B", "127.0.0.1", "-p", fmt.Sprint(port))
	if p.ourServer {
		server = exec.Command(os.Args[0])
		server.Env = append(os.Environ(), benchRole+"=server "+addr)
	}
	client := exec.Command("iperf3", append([]string{"-c", "127.0.0.1", "-p", fmt.Sprint(port), "-J"}, c.args...)...)
	if p.ourClient {
		doc, err := json.Marshal(c.test)
		if err != nil {
			t.Fatal(err)
		}
		client = exec.Command(os.Args[0])
		client.Env = append(os.Environ(), benchRole+"=client "+addr+" "+string(doc))
	}
	out := benchBoth(t, server, client, port)
	var received float64
	if p.ourClient {
		if err := json.Unmarshal(out, &received); err != nil {
			t.Fatal(err)
		}
	} else {
		var r stockResult
		if err := json.Unmarshal(out, &r); err != nil || r.Error != "" {
			t.Fatalf("iperf3: %v %s", err, r.Error)
		}
		received = float64(r.End.SumReceived.Bytes)
		if c.test.Protocol == UDP {
			received = float64(r.End.Sum.Packets-r.End.Sum.LostPackets) * 1448
		}
	}
	cpu := func(cmd *exec.Cmd) float64 {
		return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds() / (received / 1e9)
	}
	return benchRun{received / benchTime.Seconds(), cpu(client), cpu(server)}
}

// benchBoth runs a server and its client to their ends and returns what the
// client printed.
func benchBoth(t *testing.T, server, client *exec.Cmd, port int) []byte {
	var out, log bytes.Buffer
	server.Stderr, client.Stderr, client.Stdout = &log, &log, &out
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the server", func() bool { return listening(port) })
	if err := client.Run(); err != nil {
		server.Process.Kill()
		t.Fatalf("client: %v\n%s%s", err, &out, &log)
	}
	if err := server.Wait(); err != nil {
		t.Fatalf("server: %v\n%s", err, &log)
	}
	return out.Bytes()
}

// benchMain is the test binary as one side of a run of this package's.
func benchMain(role string) error {
	f := strings.SplitN(role, " ", 3)
	if f[0] == "server" {
		l, err := net.Listen("tcp", f[1])
		if err != nil {
			return err
		}
		return (&Server{OneOff: true}).Serve(context.Background(), l)
	}
	var test Test
	if err := json.Unmarshal([]byte(f[2]), &test); err != nil {
		return err
	}
	r, err := (&Client{}).Run(context.Background(), f[1], test)
	if err != nil {
		return err
	}
	var received int64
	for _, s := range r.Streams {
		if s.Sending {
			received += s.Remote.Bytes
		} else {
			received += s.Bytes
		}
	}
	return json.NewEncoder(os.Stdout).Encode(received)
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	if len(v) == 0 {
		return math.NaN()
	}
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}
