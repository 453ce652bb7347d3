package fetched

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// Records of checks of nginx, Caddy and a program that paces in the lab, each
// named for what is wrong with its path: what stock curl carries more without.
func TestRecords(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json.gz")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d records, %v", len(files), err)
	}
	for _, file := range files {
		r := load(t, file)
		want, _, _ := strings.Cut(filepath.Base(file), "--")
		all := Diagnose(r)
		if got := finding.Verdict(all); string(got) != want {
			t.Errorf("%s: %s: %s", file, got, all[0].Summary)
		}
		for _, f := range all {
			if f.Direction != record.Down || f.Confidence <= 0 || f.Confidence > 0.95 || f.Remedies == nil || f.Summary == "" {
				t.Errorf("%s: %+v", file, f)
			}
		}
		if len(Unknown(r)) == 0 {
			t.Errorf("%s: a receiver knows all", file)
		}
	}
}

func load(t *testing.T, file string) *record.Run {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := record.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Records may lack anything.
func TestRecordsOfNothing(t *testing.T) {
	one := record.Transfer{Name: "down-1", Direction: record.Down, Protocol: record.TCP, Streams: 1, Series: []record.Series{{}}}
	many := one
	many.Name, many.Streams = "down-6", 6
	for _, r := range []*record.Run{
		{Fetch: &record.Fetch{}},
		{Fetch: &record.Fetch{}, Transfers: []record.Transfer{{Name: "down-1"}}},
		{Fetch: &record.Fetch{}, Transfers: []record.Transfer{one}},
		{Fetch: &record.Fetch{}, Transfers: []record.Transfer{one, many}, Echoes: []record.Echo{{Name: "idle"}, {Name: "down-1", Probes: []record.Probe{{}}}}},
	} {
		for _, f := range Diagnose(r) {
			if f.Cause != finding.Unclear {
				t.Errorf("of nothing: %s, %s", f.Cause, f.Summary)
			}
		}
	}
}

// Small segments pass where full ones did not.
func TestHole(t *testing.T) {
	r := &record.Run{Fetch: &record.Fetch{Probe: &record.SegmentProbe{MSS: 1024, Bytes: 1 << 18, Passed: true}}}
	all := Diagnose(r)
	if finding.Verdict(all) != finding.MTUBlackhole || all[0].Remedies[0].Command == "" {
		t.Errorf("%+v", all)
	}
	r.Fetch.Probe.Passed = false
	if all := Diagnose(r); len(all) > 0 {
		t.Errorf("neither passes: %+v", all)
	}
}

// A hole stays open for a round trip where a packet was lost; one that was
// overtaken closes it at once.
func TestHoles(t *testing.T) {
	a := arrivals{
		at:       []float64{0, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07},
		segments: []float64{0, 10, 20, 30, 40, 50, 60, 70},
		inOrder:  []float64{0, 10, 10, 10, 10, 50, 60, 70},
		stray:    []float64{0, 0, 10, 20, 30, 30, 31, 31},
	}
	holes := a.holes()
	if len(holes) != 1 || holes[0].at != 0.01 || holes[0].length < 0.039 {
		t.Fatalf("holes %v", holes)
	}
	if n := a.straysOutside(holes); n != 1 {
		t.Errorf("%g segments came out of order outside of it, want 1", n)
	}
	if n := a.straysOutside(nil); n != 31 {
		t.Errorf("%g in all", n)
	}
}

// What comes in a burst each round trip recurs at that lag. Where a round trip is
// three looks long, the look before it is told apart, and one next to it by
// rounding is not asked.
func TestRecurs(t *testing.T) {
	for _, trip := range []int{3, 6, 20} {
		var a arrivals
		n := 0.0
		for i := range 400 {
			if i%trip == 0 {
				n += 10
			}
			a.at, a.segments = append(a.at, 0.01*float64(i)), append(a.segments, n)
		}
		rtt := 0.01 * float64(trip)
		if got := a.recurs(0.5, 3.5, rtt); got < 0.8 {
			t.Errorf("bursts %d looks apart recur by %.2f", trip, got)
		}
		for _, share := range []float64{0.5, 0.7, 1.4} {
			if got := a.recursBeside(0.5, 3.5, rtt, share); got > 0.3 {
				t.Errorf("bursts %d looks apart recur by %.2f at %g of that", trip, got, share)
			}
		}
	}
}
