package truth

import (
	"slices"
	"strings"
	"testing"

	"unchoke/internal/tools/diagnosis/draw"
)

const pings = `PING far(fd00::2) 56 data bytes
64 bytes from fd00::2: icmp_seq=1 ttl=64 time=50.0 ms
64 bytes from fd00::2: icmp_seq=2 ttl=64 time=0.251 ms
64 bytes from fd00::2: icmp_seq=4 ttl=64 time=1203 ms
--- far ping statistics ---
4 packets transmitted, 3 received, 25% packet loss, time 200ms
rtt min/avg/max/mdev = 50.000/50.000/50.000/0.000 ms
`

func TestEchoes(t *testing.T) {
	if got := echoes(pings); !slices.Equal(got, []float64{0.05, 0.000251, 1.203}) {
		t.Errorf("%v", got)
	}
	if got := lastPart([]float64{1, 2, 3, 4, 5, 6}, Seconds{Omit: 2, Count: 4}); !slices.Equal(got, []float64{3, 4, 5, 6}) {
		t.Errorf("%v", got)
	}
}

func TestReadIperf3(t *testing.T) {
	r := iperf3{}.Read([]byte(`{"intervals": [
		{"sum": {"seconds": 1, "bytes": 1000000, "omitted": true}}, {"sum": {"seconds": 1, "bytes": 2000000}},
		{"sum": {"seconds": 1, "bytes": 2000000}}, {"sum": {"seconds": 1, "bytes": 2000000}},
		{"sum": {"seconds": 1, "bytes": 3000000}}, {"sum": {"seconds": 1, "bytes": 9000000}}],
		"end": {"sum_sent": {"retransmits": 7}, "sum_received": {"bits_per_second": 17e6}}}`))
	if want := (Run{Rate: 17e6, Early: 16e6, Resent: 7, Complete: true}); r != want {
		t.Errorf("%+v", r)
	}
	for _, bad := range []string{"", "{", `{"error": "control socket has closed unexpectedly", "end": {}}`} {
		if r := (iperf3{}).Read([]byte(bad)); r.Complete || r.Rate != 0 {
			t.Errorf("%q: %+v", bad, r)
		}
	}
}

// Its control connection starved: what came is counted all the same, here alone.
func TestReadIperf3ThatGaveUp(t *testing.T) {
	for reverse, want := range map[string]Run{"1": {Rate: 20e6, Early: 16e6}, "0": {}} {
		r := iperf3{}.Read([]byte(`{"start": {"test_start": {"reverse": ` + reverse + `}}, "intervals": [
			{"sum": {"seconds": 5, "bytes": 10000000, "omitted": true}}, {"sum": {"seconds": 1, "bytes": 2000000}},
			{"sum": {"seconds": 1, "bytes": 3000000}}], "end": {}, "error": "control socket has closed unexpectedly"}`))
		if r != want {
			t.Errorf("reverse %s: %+v, not %+v", reverse, r, want)
		}
	}
}

func TestScriptMeasuresTheDirection(t *testing.T) {
	p := Seconds{Omit: 2, Count: 12}
	if s, _ := (iperf3{}).Scripts(draw.Up, p); strings.Contains(s, "-R") || !strings.Contains(s, "-t 12 -O 2") {
		t.Error(s)
	}
	if s := p.script("iperf3"); strings.Contains(s, "sleep") {
		t.Error(s)
	}
	p.Wait = 3.4
	if s := p.script("iperf3"); !strings.HasPrefix(s, "sleep 3.4; ping ") {
		t.Error(s)
	}
	if s, _ := (iperf3{}).Scripts(draw.Down, p); !strings.Contains(s, "-t 12 -O 2 -R") {
		t.Error(s)
	}
}
