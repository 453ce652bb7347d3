package store

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"unchoke/internal/lab/sweep/grid"
	"unchoke/internal/lab/traffic"
	"unchoke/internal/path"
	"unchoke/internal/unit"
)

// article is the traffic of the jitter-cliff article.
var Article = traffic.Spec{
	Kind: traffic.Paced, Rate: 80 << 20, Write: 8 * unit.KiB,
	ReceiveBuffer: 256 * unit.KiB, Read: 16 * unit.KiB, ReadEvery: time.Millisecond,
	Duration: 10 * time.Second,
}

func MustPath(t testing.TB, spec string) path.Path {
	t.Helper()
	p, err := path.Parse(spec)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// someRow is a row with every figure set.
func someRow(t testing.TB, random *rand.Rand) grid.Row {
	r := grid.Row{
		Cell: random.IntN(1000), Repetition: random.IntN(20), Seed: random.Uint64(),
		Path: MustPath(t, "rtt=50ms,jitter=8ms,order=free,loss=0.5%"), Traffic: Article,
		Arm: grid.Arm{CC: "bbr", Streams: 2, Neighbor: "cubic"},
	}
	result := reflect.ValueOf(&r.Result).Elem()
	for _, f := range result.Fields() {
		switch f.Kind() {
		case reflect.Float64:
			f.SetFloat(random.ExpFloat64() * 1e6)
		case reflect.Int64:
			f.SetInt(random.Int64N(1e13))
		case reflect.String:
			f.SetString("bbr")
		default:
			t.Fatalf("a result has a %v: give it a column", f.Kind())
		}
	}
	return r
}

func encode(t testing.TB, axes []string, rows ...grid.Row) string {
	t.Helper()
	var out []byte
	for i, cells := range append([][]string{header(axes)}, make([][]string, len(rows))...) {
		if i > 0 {
			cells = record(rows[i-1], axes)
		}
		l, err := line(cells)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, l...)
	}
	return string(out)
}

// Every figure of a row survives being written and read.
func TestRowsRoundTrip(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var rows []grid.Row
	for range 50 {
		rows = append(rows, someRow(t, random))
	}
	text := encode(t, []string{"path.rtt", "arm.cc"}, rows...)
	got, err := ReadRows(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, rows) {
		t.Errorf("read back\n%+v\nwant\n%+v", got[0], rows[0])
	}
}

func TestHeader(t *testing.T) {
	const want = "cell,repetition,seed,path.jitter,arm.cc,path,traffic,arm," +
		"throughput_bps,bytes,elapsed_s,segments,retransmits,spurious,reordering_events,timeouts," +
		"min_rtt_s,mean_rtt_s,p95_rtt_s,mean_cwnd_segments,min_cwnd_segments,max_cwnd_segments," +
		"gap_p50_s,gap_p99_s,gap_max_s,stalled_s,cc,neighbor_throughput_bps,failed"
	if got := strings.Join(header([]string{"path.jitter", "arm.cc"}), ","); got != want {
		t.Errorf("header\n%s\nwant\n%s", got, want)
	}
}

func TestReadRowsErrors(t *testing.T) {
	good := encode(t, nil, someRow(t, rand.New(rand.NewPCG(1, 2))))
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "the header is missing"},
		{"another file", "a,b\n1,2\n", "2 columns of at least"},
		{"another order", strings.Replace(good, "cell,repetition", "repetition,cell", 1), `column 1 is "repetition" where "cell" belongs`},
		{"cut off", good[:len(good)-40], "wrong number of fields"},
		{"a bad path", strings.Replace(good, "rtt=50ms", "rt=50ms", 1), `line 2: path: path: unknown key "rt"`},
		{"a bad number", strings.Replace(good, "\n", "\nx", 1), "line 2: cell"},
	} {
		if _, err := ReadRows(strings.NewReader(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0", 1: "0.000000001", time.Second: "1", 1500 * time.Millisecond: "1.5", 10*time.Second + 42: "10.000000042",
	} {
		if got := seconds(d); got != want {
			t.Errorf("seconds(%v) = %q, want %q", d, got, want)
		}
		if back, err := parseSeconds(want); err != nil || back != d {
			t.Errorf("parseSeconds(%q) = %v, %v", want, back, err)
		}
	}
}

func TestSeriesRoundTrip(t *testing.T) {
	samples := []traffic.Sample{
		{At: 100 * time.Millisecond, Cwnd: 10, Ssthresh: 1 << 31, State: 3, RTT: 50 * time.Millisecond, MinRTT: 49 * time.Millisecond, Reordering: 3, ReordSeen: 2, DSACKs: 1, Retrans: 5, Lost: 2, Delivered: 100, Pacing: 1 << 63, Acked: 123456, Received: 100000},
		{At: 200 * time.Millisecond},
	}
	var b bytes.Buffer
	if err := writeSeries(&b, samples); err != nil {
		t.Fatal(err)
	}
	got, err := readSeries(&b)
	if err != nil || !reflect.DeepEqual(got, samples) {
		t.Errorf("read back %+v, %v", got, err)
	}
}

// What is no file of ours is refused without a panic, and what is read can be
// written and read again.
func FuzzReadRows(f *testing.F) {
	f.Add(encode(f, nil, someRow(f, rand.New(rand.NewPCG(1, 2)))))
	f.Add(encode(f, []string{"sweep", "path.rtt"}))
	f.Add("cell,repetition\n1\n")
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := ReadRows(strings.NewReader(text))
		if err != nil || len(rows) == 0 {
			return
		}
		for i := range rows {
			rows[i].Sweep = "" // an axis
		}
		again, err := ReadRows(strings.NewReader(encode(t, nil, rows...)))
		if err != nil {
			t.Fatal(err)
		}
		if a, b := encode(t, nil, rows...), encode(t, nil, again...); a != b {
			t.Errorf("written again:\n%s\nwant\n%s", b, a)
		}
	})
}

func FuzzReadSeries(f *testing.F) {
	var b bytes.Buffer
	if err := writeSeries(&b, make([]traffic.Sample, 2)); err != nil {
		f.Fatal(err)
	}
	f.Add(b.String())
	f.Fuzz(func(t *testing.T, text string) {
		samples, err := readSeries(strings.NewReader(text))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := writeSeries(&b, samples); err != nil {
			t.Fatal(err)
		}
		if again, err := readSeries(&b); err != nil || !reflect.DeepEqual(again, samples) {
			t.Errorf("read again %v, %v; want %v", again, err, samples)
		}
	})
}
