package iperf3

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"unchoke/iperf3/internal/wire"
)

func TestParamsRoundTrip(t *testing.T) {
	for _, test := range []Test{
		{},
		{Protocol: UDP, Reverse: true, Duration: 3 * time.Second, Omit: time.Second, Streams: 4, Rate: 5e9, Length: 1000, Counters64: true},
		{Bidirectional: true, Bytes: 5e9, Window: 1 << 20, MSS: 1200, NoDelay: true, TOS: 8, PacingTimer: 100 * time.Microsecond, GetServerOutput: true, Title: "t"},
		{Blocks: 7, Congestion: "bbr"},
	} {
		want, err := test.withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		doc, err := json.Marshal(want.params(want.Congestion, ""))
		if err != nil {
			t.Fatal(err)
		}
		var p wire.Params
		if err := json.Unmarshal(doc, &p); err != nil {
			t.Fatal(err)
		}
		got, err := testOf(&p)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\n%+v, %v\nwant %+v", doc, got, err, want)
		}
	}
}

// What a 3.12 client sends for `-u -b 1G -R -t 2`, and odd things that others
// might.
func TestParamsOfOthers(t *testing.T) {
	for _, c := range []struct {
		doc  string
		want func(Test) bool
	}{
		{
			`{"udp":true,"omit":0,"time":2,"num":0,"blockcount":0,"parallel":1,"reverse":true,"len":1448,"bandwidth":1000000000,"pacing_timer":1000,"client_version":"3.12"}`,
			func(t Test) bool {
				return t.Protocol == UDP && t.Reverse && t.Rate == 1e9 && t.Duration == 2*time.Second && t.Length == 1448
			},
		},
		{`{"tcp":true,"time":1e1,"parallel":1.0}`, func(t Test) bool { return t.Duration == 10*time.Second && t.Streams == 1 }},
		{`{"tcp":true,"time":10,"num":1000,"parallel":1}`, func(t Test) bool { return t.Bytes == 1000 && t.Duration == 0 }},
		{`{"tcp":true,"time":0,"num":0,"blockcount":0}`, func(t Test) bool { return t.Duration == 0 }}, // -t 0: no end
		{`{"time":"long"}`, func(t Test) bool { return t.Duration == 10*time.Second }},
		{`{"tcp":1,"reverse":1,"nodelay":1}`, func(t Test) bool { return t.Reverse && t.NoDelay }},
		{`{"get_server_output":0}`, func(t Test) bool { return t.GetServerOutput }},
		{`{"title":5,"congestion":{},"parallel":"many"}`, func(t Test) bool { return t.Title == "" && t.Congestion == "" && t.Streams == 1 }},
		{`{}`, func(t Test) bool { return t.Protocol == TCP && t.Duration == 10*time.Second }},
	} {
		var p wire.Params
		if err := json.Unmarshal([]byte(c.doc), &p); err != nil {
			t.Errorf("%s: %v", c.doc, err)
			continue
		}
		if got, err := testOf(&p); err != nil || !c.want(got) {
			t.Errorf("%s: %+v, %v", c.doc, got, err)
		}
	}
}

// A server is asked for an algorithm only where it sends, and for none by the
// name that leaves it its default.
func TestRemoteCongestion(t *testing.T) {
	for _, c := range []struct {
		test Test
		want string
	}{
		{Test{}, "default"},
		{Test{Congestion: "bbr"}, "default"},
		{Test{Congestions: []string{"bbr", "cubic"}, Streams: 2}, "default"},
		{Test{Reverse: true}, "default"},
		{Test{Congestion: "bbr", Reverse: true}, "bbr"},
		{Test{Congestion: "bbr", Bidirectional: true}, "bbr"},
		{Test{Protocol: UDP}, ""},
	} {
		test, err := c.test.withDefaults()
		if err != nil {
			t.Fatal(err)
		}
		if got := test.remoteCongestion(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.test, got, c.want)
		}
	}
	for _, bad := range []Test{
		{Congestions: []string{"bbr"}, Streams: 2},
		{Congestions: []string{"bbr"}, Reverse: true},
		{Congestions: []string{"bbr"}, Congestion: "cubic"},
		{Congestions: []string{"a name that is much too long"}},
	} {
		if _, err := bad.withDefaults(); err == nil {
			t.Errorf("%+v: accepted", bad)
		}
	}
}

func TestParamsRefused(t *testing.T) {
	for _, doc := range []string{
		`{"sctp":true}`, `{"parallel":129}`, `{"parallel":-1}`, `{"time":-5}`, `{"time":1e300}`, `{"len":99999999}`,
		`{"udp":true,"len":4}`, `{"num":-1}`, `{"num":5,"blockcount":5}`, `{"reverse":true,"bidirectional":true}`,
		`{"TOS":300}`, `{"MSS":100000}`, `{"window":-1}`, `{"bandwidth":-1}`, `{"omit":1000000}`, `[]`, `7`, `nonsense`,
		`{"congestion":"a name that is much too long"}`,
	} {
		var p wire.Params
		if err := json.Unmarshal([]byte(doc), &p); err != nil {
			continue
		}
		if got, err := testOf(&p); err == nil {
			t.Errorf("%s: accepted as %+v", doc, got)
		}
	}
}

// 3.12 prints −1 as 2^64 − 1.
func TestResultsOf312(t *testing.T) {
	doc := `{"cpu_util_total":50.5,"cpu_util_user":0.5,"cpu_util_system":50,"sender_has_retransmits":18446744073709551615,
	"congestion_used":"cubic","streams":[{"id":1,"bytes":1000,"retransmits":18446744073709551615,"jitter":0.002,"errors":3,"packets":10,"start_time":0,"end_time":1.5}]}`
	var r wire.Results
	if err := json.Unmarshal([]byte(doc), &r); err != nil {
		t.Fatal(err)
	}
	want := Report{
		CPU: CPU{0.505, 0.005, 0.5}, Congestion: "cubic",
		Streams: []StreamReport{{ID: 1, Bytes: 1000, Retransmits: -1, Jitter: 2 * time.Millisecond, Lost: 3, Packets: 10, End: 1500 * time.Millisecond}},
	}
	if got := reportOf(&r); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

func TestResultsRoundTrip(t *testing.T) {
	want := Report{
		CPU: CPU{0.75, 0.25, 0.5}, HasRetransmits: true, Congestion: "bbr",
		Streams: []StreamReport{{ID: 3, Bytes: 1 << 40, Retransmits: 7, Lost: 5, Packets: 100, OmittedLost: 2, OmittedPackets: 30, Jitter: time.Millisecond, End: time.Second}},
	}
	doc, err := json.Marshal(want.results())
	if err != nil {
		t.Fatal(err)
	}
	var r wire.Results
	if err := json.Unmarshal(doc, &r); err != nil {
		t.Fatal(err)
	}
	if got := reportOf(&r); !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n%+v\nwant %+v", doc, got, want)
	}
}

func FuzzParams(f *testing.F) {
	f.Add([]byte(`{"tcp":true,"time":1,"parallel":1,"len":131072}`))
	f.Add([]byte(`{"udp":true,"len":1e99,"bandwidth":-0.1,"omit":18446744073709551615}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		var p wire.Params
		if json.Unmarshal(doc, &p) != nil {
			return
		}
		if test, err := testOf(&p); err == nil {
			if err := test.check(); err != nil {
				t.Errorf("accepted, though %v", err)
			}
			if test.Streams*test.Length > maxStreams*maxLength {
				t.Errorf("%+v", test)
			}
		}
	})
}

func FuzzResults(f *testing.F) {
	f.Add([]byte(`{"streams":[{"id":1,"bytes":1e400,"jitter":-1e300,"start_time":1e200}]}`))
	f.Fuzz(func(t *testing.T, doc []byte) {
		frame := append(binary.BigEndian.AppendUint32(nil, uint32(len(doc))), doc...)
		var r wire.Results
		if wire.ReadJSON(bytes.NewReader(frame), 1<<20, &r) != nil {
			return
		}
		result := Result{Streams: []Stream{{ID: 1}}}
		result.attach(reportOf(&r).Streams)
	})
}
