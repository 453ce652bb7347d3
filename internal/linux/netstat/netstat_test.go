package netstat

import (
	"maps"
	"testing"
)

func TestParse(t *testing.T) {
	const whole = "TcpExt: SyncookiesSent TCPDSACKOldSent TCPDSACKOfoSent\nTcpExt: 0 7 -1\nIpExt: InNoRoutes\nIpExt: 3\n"
	for _, c := range []struct {
		name, text string
		want       Counters
	}{
		{"whole", whole, Counters{"SyncookiesSent": 0, "TCPDSACKOldSent": 7, "TCPDSACKOfoSent": -1}},
		{"values missing", "TcpExt: A B C\nTcpExt: 1\n", Counters{"A": 1}},
		{"more values than names", "TcpExt: A\nTcpExt: 1 2\n", Counters{"A": 1}},
		{"no values", "TcpExt: A B\n", Counters{}},
		{"no number", "TcpExt: A B\nTcpExt: x 2\n", Counters{"B": 2}},
		{"empty", "", Counters{}},
	} {
		if got := parse(c.text, "TcpExt"); !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestSince(t *testing.T) {
	got := Since(Counters{"a": 1, "b": 2}, Counters{"a": 1, "b": 5, "c": 1})
	if want := (Counters{"b": 3, "c": 1}); !maps.Equal(got, want) {
		t.Errorf("Since = %v, want %v", got, want)
	}
}

func TestParseLines(t *testing.T) {
	const text = "Udp6InDatagrams                 \t3\nUdp6RcvbufErrors \t7\nUdpLite6InErrors 9\nUdp6X y\nIp6InReceives 4\n"
	want := Counters{"InDatagrams": 3, "RcvbufErrors": 7}
	if got := parseLines(text, "Udp6"); !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
