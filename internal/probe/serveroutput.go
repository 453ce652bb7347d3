package probe

import (
	"encoding/json"
	"math"
	"net/netip"
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

func parseServerText(text string, streams int) serverOutput {
	var out serverOutput
	var reordered []int64
	var pending int64 // of the stream whose line comes next
	for line := range strings.SplitSeq(text, "\n") {
		if p, ok := parsePrinted(line); ok {
			if sent, ok := p.sent(); ok {
				out.send(sent)
			} else if p.arrived() {
				out.arrive(p.start, p.end, p.rate)
			} else if p.total() {
				reordered, pending = append(reordered, pending), 0
			}
		} else if n, ok := parseReordered(line); ok {
			pending = n
		} else if version, ok := parseVersion(line); ok {
			out.version = version
		} else if rest, ok := strings.CutPrefix(line, "Accepted connection from "); ok {
			if host, _, ok := strings.Cut(rest, ", port "); ok {
				out.sees = address(host)
			}
		}
	}
	if len(reordered) == streams {
		out.reordered = reordered
	}
	return out
}

// send adds an interval of a stream that the server sent.
func (o *serverOutput) send(i record.FarInterval) {
	if possible(i) {
		o.intervals = append(o.intervals, i)
	}
}

// possible says that an interval can have been. A server may print anything, and a
// record holds no figure that is infinite.
func possible(i record.FarInterval) bool {
	return i.Start >= 0 && i.Start < i.End && i.End <= mostSeconds && i.Rate >= 0 && i.Rate <= mostRate && i.RTT >= 0 && i.RTT <= mostSeconds
}

const (
	mostSeconds = 86400 // stock iperf3's longest test, MAX_TIME
	mostRate    = 1e15  // bit/s: a thousand times what a network card has
)

// arrive adds one stream's rate over an interval to that of all streams.
func (o *serverOutput) arrive(start, end, rate float64) {
	one := record.FarInterval{Start: start, End: end, Rate: rate}
	if !possible(one) {
		return
	}
	// A server prints each interval once for every stream, in a row. Streams'
	// clocks differ by less than the hundredth of a second that it prints.
	if n := len(o.arrivals); n > 0 && math.Abs(o.arrivals[n-1].Start-start) < 0.02 && math.Abs(o.arrivals[n-1].End-end) < 0.02 {
		o.arrivals[n-1].Rate += rate
		return
	}
	o.arrivals = append(o.arrivals, one)
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
		out.send(record.FarInterval{
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
