package probe

import (
	"strconv"
	"strings"

	"unchoke/internal/record"
)

// printed is a line that a stock server prints of one stream and a time:
//
//	[  5]   0.00-1.00   sec  15.4 MBytes   129 Mbits/sec   69    134 KBytes
//	[  5]   0.00-1.00   sec   347 KBytes  2.84 Mbits/sec  5.662 ms  1/274 (0.36%)
//	[  5]   0.00-2.00   sec  1.22 MBytes  5.11 Mbits/sec  0.017 ms  0/39 (0%)  receiver
type printed struct {
	label      string // "TX-S" or "RX-S" in tests of both directions
	start, end float64
	rate       float64  // bit/s
	more       []string // what follows the rate
}

// iperf3 prints rates in powers of ten and sizes in powers of two.
var (
	decimal = map[string]float64{"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}
	binary  = map[string]float64{"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
)

func parsePrinted(line string) (p printed, ok bool) {
	line, ok = strings.CutPrefix(line, "[")
	stream, line, closed := strings.Cut(line, "]")
	if !ok || !closed || !digits(strings.TrimLeft(stream, " ")) {
		return p, false
	}
	if rest, ok := strings.CutPrefix(line, "["); ok {
		if p.label, line, ok = strings.Cut(rest, "]"); !ok || p.label != "TX-S" && p.label != "RX-S" {
			return p, false
		}
	}
	words := strings.Fields(line) // time, "sec", size, its unit, rate, its unit
	if len(words) < 6 || words[1] != "sec" {
		return p, false
	}
	start, end, _ := strings.Cut(words[0], "-")
	prefix, isRate := strings.CutSuffix(words[5], "bits/sec")
	power, known := decimal[prefix]
	if !figure(start) || !figure(end) || !figure(words[2]) || !strings.HasSuffix(words[3], "Bytes") || !figure(words[4]) || !isRate || !known {
		return p, false
	}
	p.start, p.end, p.rate, p.more = number(start), number(end), number(words[4])*power, words[6:]
	return p, true
}

// sent is the interval of a stream that the server sent by TCP: what was sent
// again, and the congestion window.
func (p printed) sent() (record.FarInterval, bool) {
	if p.label == "RX-S" || len(p.more) < 3 || !digits(p.more[0]) || !figure(p.more[1]) {
		return record.FarInterval{}, false
	}
	prefix, isSize := strings.CutSuffix(p.more[2], "Bytes")
	power, known := binary[prefix]
	return record.FarInterval{
		Start: p.start, End: p.end, Rate: p.rate,
		Retransmits: int64(number(p.more[0])), Cwnd: int64(number(p.more[1]) * power),
	}, isSize && known
}

// arrived says that the line is of an interval of a stream that arrived by UDP.
func (p printed) arrived() bool {
	return p.label != "TX-S" && len(p.more) == 4 && p.received()
}

// total says that the line is of the whole of such a stream.
func (p printed) total() bool {
	return len(p.more) > 4 && p.received() && p.more[4] == "receiver"
}

// received says that the line goes on with the jitter, and how many of how many
// packets were lost. What arrives in an interval and was counted as lost in the
// one before makes the loss negative: -19/690 (-2.8%).
func (p printed) received() bool {
	lost, of, _ := strings.Cut(p.more[2], "/")
	return figure(p.more[0]) && p.more[1] == "ms" && digits(strings.TrimPrefix(lost, "-")) && digits(strings.TrimPrefix(of, "-")) &&
		strings.HasPrefix(p.more[3], "(") && strings.HasSuffix(p.more[3], "%)")
}

// parseReordered reads "[SUM]  0.0- 2.1 sec  231 datagrams received out-of-order".
func parseReordered(line string) (int64, bool) {
	before, _, ok := strings.Cut(line, " datagrams received out-of-order")
	count := before[strings.LastIndexByte(before, ' ')+1:]
	return int64(number(count)), ok && digits(count)
}

// parseVersion reads "iperf 3.16" at the beginning of a line.
func parseVersion(line string) (string, bool) {
	text, ok := strings.CutPrefix(line, "iperf ")
	rest := strings.TrimLeft(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-")
	text = strings.TrimSuffix(text, rest)
	return "iperf " + text, ok && text != "" && digits(text[:1])
}

func digits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
func figure(s string) bool { return s != "" && strings.Trim(s, "0123456789.") == "" }

func number(s string) float64 {
	v, _ := strconv.ParseFloat(s, 64) // only digits and points came here
	return v
}
