package probe

import (
	"encoding/json"
	"math"
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	"unchoke/internal/record"
	"unchoke/iperf3"
)

// serverOutput is what a stock server's own printing adds to the results.
type serverOutput struct {
	version   string
	system    string
	sees      string               // the address that this host's connection came from
	intervals []record.FarInterval // of a single sending stream
	reordered []int64              // of each UDP stream the server received; nil where it does not tell
	arrivals  []record.FarInterval // of all UDP streams the server received together
}

// parseServerOutput reads the text or, from a server run with -J, the JSON
// that get_server_output brings. What is not understood is left out: it is a
// program's talk to people and has changed over the years.
func parseServerOutput(r *iperf3.Result) serverOutput {
	if len(r.ServerOutputJSON) > 0 {
		return parseServerJSON(r.ServerOutputJSON, len(r.Streams))
	}
	return parseServerText(r.ServerOutputText, len(r.Streams))
}

var (
	// [  5]   0.00-1.00   sec  15.4 MBytes   129 Mbits/sec   69    134 KBytes
	senderLine = regexp.MustCompile(`^\[\s*\d+\](?:\[TX-S\])?\s+([\d.]+)-([\d.]+)\s+sec\s+[\d.]+ \w?Bytes\s+([\d.]+) ([KMGT]?)bits/sec\s+(\d+)\s+([\d.]+) ([KMG]?)Bytes`)
	// [SUM]  0.0- 2.1 sec  231 datagrams received out-of-order
	reorderLine = regexp.MustCompile(`(\d+) datagrams received out-of-order`)
	// [  5]   0.00-2.00   sec  1.22 MBytes  5.11 Mbits/sec  0.017 ms  0/39 (0%)  receiver
	receiverLine = regexp.MustCompile(`^\[\s*\d+\].*\(\S+%\)\s+receiver`)
	// [  5]   0.00-1.00   sec   347 KBytes  2.84 Mbits/sec  5.662 ms  1/274 (0.36%)
	// What arrives in an interval and was counted as lost in the one before makes the
	// loss negative: -19/690 (-2.8%).
	arrivalLine = regexp.MustCompile(`^\[\s*\d+\](?:\[RX-S\])?\s+([\d.]+)-([\d.]+)\s+sec\s+[\d.]+ \w?Bytes\s+([\d.]+) ([KMGT]?)bits/sec\s+[\d.]+ ms\s+-?\d+/-?\d+ \(\S+%\)\s*$`)
	// Accepted connection from 10.0.0.1, port 34566
	acceptedLine = regexp.MustCompile(`^Accepted connection from (\S+), port \d+`)
	versionLine  = regexp.MustCompile(`^iperf (\d[\w.+-]*)`)
)

func parseServerText(text string, streams int) serverOutput {
	var out serverOutput
	var reordered []int64
	var pending int64 // of the stream whose line comes next
	for line := range strings.SplitSeq(text, "\n") {
		if m := senderLine.FindStringSubmatch(line); m != nil {
			out.intervals = append(out.intervals, record.FarInterval{
				Start: number(m[1]), End: number(m[2]),
				Rate:        number(m[3]) * decimal[m[4]],
				Retransmits: int64(number(m[5])),
				Cwnd:        int64(number(m[6]) * binary[m[7]]),
			})
		} else if m := arrivalLine.FindStringSubmatch(line); m != nil {
			out.arrive(number(m[1]), number(m[2]), number(m[3])*decimal[m[4]])
		} else if m := reorderLine.FindStringSubmatch(line); m != nil {
			pending = int64(number(m[1]))
		} else if receiverLine.MatchString(line) {
			reordered, pending = append(reordered, pending), 0
		} else if m := versionLine.FindStringSubmatch(line); m != nil {
			out.version = "iperf " + m[1]
		} else if m := acceptedLine.FindStringSubmatch(line); m != nil {
			out.sees = address(m[1])
		}
	}
	if len(reordered) == streams {
		out.reordered = reordered
	}
	return out
}

// arrive adds one stream's rate over an interval to that of all streams.
func (o *serverOutput) arrive(start, end, rate float64) {
	// A server prints each interval once for every stream, in a row. Streams'
	// clocks differ by less than the hundredth of a second that it prints.
	if n := len(o.arrivals); n > 0 && math.Abs(o.arrivals[n-1].Start-start) < 0.02 && math.Abs(o.arrivals[n-1].End-end) < 0.02 {
		o.arrivals[n-1].Rate += rate
		return
	}
	o.arrivals = append(o.arrivals, record.FarInterval{Start: start, End: end, Rate: rate})
}

// iperf3 prints rates in powers of ten and sizes in powers of two.
var (
	decimal = map[string]float64{"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
	binary  = map[string]float64{"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
)

func number(s string) float64 {
	v, _ := strconv.ParseFloat(s, 64) // the pattern let only digits and points pass
	return v
}

// address is an IP address as every host writes it; empty for anything else.
func address(s string) string {
	a, err := netip.ParseAddr(s)
	if err != nil {
		return ""
	}
	return a.Unmap().WithZone("").String()
}

func parseServerJSON(doc json.RawMessage, streams int) serverOutput {
	var j struct {
		Start struct {
			Version  string `json:"version"`
			System   string `json:"system_info"`
			Accepted struct {
				Host string `json:"host"`
			} `json:"accepted_connection"`
		} `json:"start"`
		Intervals []struct {
			Streams []struct {
				Start       float64 `json:"start"`
				End         float64 `json:"end"`
				Rate        float64 `json:"bits_per_second"`
				Retransmits int64   `json:"retransmits"`
				Cwnd        int64   `json:"snd_cwnd"`
				RTT         float64 `json:"rtt"` // microseconds
				Sender      bool    `json:"sender"`
				Packets     *int64  `json:"packets"` // of UDP alone
			} `json:"streams"`
		} `json:"intervals"`
		End struct {
			Streams []struct {
				UDP *struct {
					OutOfOrder int64 `json:"out_of_order"`
				} `json:"udp"`
			} `json:"streams"`
		} `json:"end"`
	}
	if json.Unmarshal(doc, &j) != nil {
		return serverOutput{}
	}
	out := serverOutput{version: j.Start.Version, system: j.Start.System, sees: address(j.Start.Accepted.Host)}
	for _, i := range j.Intervals {
		for _, s := range i.Streams {
			if s.Packets != nil && !s.Sender {
				out.arrive(s.Start, s.End, s.Rate)
			}
		}
		if len(i.Streams) != 1 || !i.Streams[0].Sender {
			continue
		}
		s := i.Streams[0]
		out.intervals = append(out.intervals, record.FarInterval{
			Start: s.Start, End: s.End, Rate: s.Rate, Retransmits: s.Retransmits, Cwnd: s.Cwnd, RTT: s.RTT * 1e-6,
		})
	}
	out.arrivals = seconds(out.arrivals)
	var reordered []int64
	for _, s := range j.End.Streams {
		if s.UDP != nil {
			reordered = append(reordered, s.UDP.OutOfOrder)
		}
	}
	if len(reordered) == streams {
		out.reordered = reordered
	}
	return out
}

// seconds puts shorter intervals together to a second each, as a stock server
// counts by itself: in less, what a bucket or a queue lets pass at once looks
// like the path's rate. The last one is what is left.
func seconds(in []record.FarInterval) []record.FarInterval {
	var out []record.FarInterval
	for _, a := range in {
		last := len(out) - 1
		if last < 0 || out[last].End-out[last].Start > 1-0.02 {
			out = append(out, a)
			continue
		}
		o := &out[last]
		bits := o.Rate*(o.End-o.Start) + a.Rate*(a.End-a.Start)
		o.End = a.End
		o.Rate = bits / (o.End - o.Start)
	}
	return out
}
