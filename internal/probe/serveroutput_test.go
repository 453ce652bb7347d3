package probe

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"unchoke/internal/record"
	"unchoke/iperf3"
)

// What a stock 3.12 prints as a receiver of two UDP streams.
const udpText = `Accepted connection from fd00::1, port 37996
[  5] local fd00::2 port 5201 connected to fd00::1 port 34007
[  6] local fd00::2 port 5201 connected to fd00::1 port 46787
[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams
[  5]   0.00-1.00   sec   347 KBytes  2.84 Mbits/sec  5.662 ms  1/274 (0.36%)  
[  6]   0.00-1.00   sec   344 KBytes  2.82 Mbits/sec  6.342 ms  0/271 (0%)  
[SUM]   0.00-1.00   sec   691 KBytes  5.66 Mbits/sec  6.002 ms  1/545 (0.18%)  
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams
[SUM]  0.0- 2.1 sec  231 datagrams received out-of-order
[  5]   0.00-2.06   sec   731 KBytes  2.91 Mbits/sec  5.962 ms  0/576 (0%)  receiver
[  6]   0.00-2.06   sec   733 KBytes  2.91 Mbits/sec  5.929 ms  0/577 (0%)  receiver
[SUM]   0.00-2.06   sec  1.43 MBytes  5.82 Mbits/sec  5.945 ms  0/1153 (0%)  receiver
`

// The same where packets overtake each other: what comes in an interval after it was
// counted as lost in the one before.
const overtakenText = `[  5]   0.00-1.00   sec  6.75 MBytes  56.7 Mbits/sec  13.114 ms  91/5050 (1.8%)  
[  6]   0.00-1.00   sec  6.72 MBytes  56.4 Mbits/sec  18.573 ms  114/5047 (2.3%)  
[SUM]   0.00-1.00   sec  13.5 MBytes   113 Mbits/sec  15.844 ms  205/10097 (2%)  
- - - - - - - - - - - - - - - - - - - - - - - - -
[  5]   1.00-1.07   sec   396 KBytes  45.9 Mbits/sec  5.120 ms  -86/198 (-43%)  
[  6]   1.00-1.07   sec   434 KBytes  50.2 Mbits/sec  5.526 ms  -110/201 (-55%)  
[SUM]   1.00-1.07   sec   830 KBytes  96.1 Mbits/sec  5.323 ms  -196/399 (-49%)  
`

// And as the sender of a TCP stream.
const tcpText = `Accepted connection from 10.33.87.47, port 59272
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec  15.4 MBytes   129 Mbits/sec   69    134 KBytes
[  5]   1.00-2.00   sec  10.0 MBytes  83.9 Mbits/sec   12   89.9 KBytes
- - - - - - - - - - - - - - - - - - - - - - - - -
[  5]   0.00-2.01   sec  25.4 MBytes   106 Mbits/sec   81             sender
`

func TestServerText(t *testing.T) {
	got := parseServerText(udpText, 2)
	if want := []int64{231, 0}; !reflect.DeepEqual(got.reordered, want) {
		t.Errorf("out of order %v, want %v", got.reordered, want)
	}
	if want := []record.FarInterval{{Start: 0, End: 1, Rate: 5.66e6}}; !reflect.DeepEqual(got.arrivals, want) {
		t.Errorf("arrivals %+v, want %+v", got.arrivals, want)
	}
	both := []record.FarInterval{{Start: 0, End: 1, Rate: 113.1e6}, {Start: 1, End: 1.07, Rate: 96.1e6}}
	if got := parseServerText(overtakenText, 2).arrivals; !reflect.DeepEqual(got, both) {
		t.Errorf("arrivals where packets overtake each other %+v, want %+v", got, both)
	}
	if got.sees != "fd00::1" {
		t.Errorf("the server saw %q", got.sees)
	}
	if got := parseServerText("Accepted connection from \x1b[31m, port 5\n", 1); got.sees != "" {
		t.Errorf("%q is no address", got.sees)
	}
	if got := parseServerText(udpText, 3); got.reordered != nil {
		t.Errorf("two lines for three streams gave %v", got.reordered)
	}
	want := []record.FarInterval{
		{Start: 0, End: 1, Rate: 129e6, Retransmits: 69, Cwnd: 134 << 10},
		{Start: 1, End: 2, Rate: 83.9e6, Retransmits: 12, Cwnd: 92057},
	}
	if got := parseServerText(tcpText, 1); !reflect.DeepEqual(got.intervals, want) {
		t.Errorf("intervals %+v, want %+v", got.intervals, want)
	}
	if got := parseServerText("", 0); got.intervals != nil || got.version != "" {
		t.Errorf("from nothing: %+v", got)
	}
}

func TestServerJSON(t *testing.T) {
	const doc = `{"start":{"version":"iperf 3.12","system_info":"Linux far"},
		"intervals":[{"streams":[{"start":0,"end":1,"bits_per_second":5e6,"retransmits":3,"snd_cwnd":14480,"rtt":50123,"sender":true}]}],
		"end":{"streams":[{"udp":{"out_of_order":7}}]}}`
	got := parseServerOutput(&iperf3.Result{ServerOutputJSON: json.RawMessage(doc), Streams: make([]iperf3.Stream, 1)})
	if got.version != "iperf 3.12" || got.system != "Linux far" {
		t.Errorf("version %q, system %q", got.version, got.system)
	}
	want := []record.FarInterval{{Start: 0, End: 1, Rate: 5e6, Retransmits: 3, Cwnd: 14480, RTT: 0.050123}}
	if !reflect.DeepEqual(got.intervals, want) {
		t.Errorf("intervals %+v, want %+v", got.intervals, want)
	}
	if !reflect.DeepEqual(got.reordered, []int64{7}) {
		t.Errorf("out of order %v", got.reordered)
	}
	const udp = `{"intervals":[{"streams":[
		{"start":0,"end":1,"bits_per_second":5e6,"packets":400,"sender":false},
		{"start":0.001,"end":1.001,"bits_per_second":2e6,"packets":170,"sender":false}]}]}`
	got = parseServerOutput(&iperf3.Result{ServerOutputJSON: json.RawMessage(udp)})
	if want := []record.FarInterval{{Start: 0, End: 1, Rate: 7e6}}; !reflect.DeepEqual(got.arrivals, want) {
		t.Errorf("arrivals %+v, want %+v", got.arrivals, want)
	}
	quarters := []record.FarInterval{{Start: 0, End: 0.25, Rate: 8e6}, {Start: 0.25, End: 0.5, Rate: 0}, {Start: 0.5, End: 1, Rate: 2e6}, {Start: 1, End: 1.25, Rate: 3e6}}
	if got, want := seconds(quarters), []record.FarInterval{{Start: 0, End: 1, Rate: 3e6}, {Start: 1, End: 1.25, Rate: 3e6}}; !reflect.DeepEqual(got, want) {
		t.Errorf("quarters of a second together: %+v, want %+v", got, want)
	}
	if got := parseServerOutput(&iperf3.Result{ServerOutputJSON: json.RawMessage("{")}); got.version != "" {
		t.Errorf("from broken JSON: %+v", got)
	}
}

// A record must hold whatever a server prints, and it holds no infinite figure.
func TestServerPrintsImpossibleFigures(t *testing.T) {
	const udp = `{"sender": false, "packets": 1, "start": %s, "end": %s, "bits_per_second": %s}`
	for _, stream := range []string{
		fmt.Sprintf(udp, "0", "1", "1.7e308"),
		fmt.Sprintf(udp, "0", "0", "1e6"),
		fmt.Sprintf(udp, "1", "0", "1e6"),
		fmt.Sprintf(udp, "-1e308", "1e308", "1e6"),
		`{"sender": true, "start": 0, "end": 1, "bits_per_second": 1e6, "rtt": 1.7e308}`,
	} {
		doc := fmt.Sprintf(`{"intervals": [{"streams": [%s]}, {"streams": [%[1]s]}]}`, stream)
		if out := parseServerJSON(json.RawMessage(doc), 1); len(out.intervals)+len(out.arrivals) != 0 {
			t.Errorf("of %s: sent %+v, arrived %+v", stream, out.intervals, out.arrivals)
		}
	}
	line := "[  5]   0.00-1.00   sec  10.0 MBytes  " + strings.Repeat("9", 400) + " Mbits/sec    0    112 KBytes"
	if out := parseServerText(line, 1); len(out.intervals) != 0 {
		t.Errorf("%+v", out.intervals)
	}
}

func FuzzServerText(f *testing.F) {
	f.Add(udpText, 2)
	f.Add(tcpText, 1)
	f.Fuzz(func(t *testing.T, text string, streams int) {
		out := parseServerText(text, streams)
		if out.reordered != nil && len(out.reordered) != streams {
			t.Errorf("%d counts for %d streams", len(out.reordered), streams)
		}
		for _, i := range slices.Concat(out.intervals, out.arrivals) {
			if _, err := json.Marshal(i); err != nil {
				t.Error(err)
			}
		}
	})
}
