package vantage

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

var everyone = []string{"pc", "router", "cloud"}

// observed are the records that were made in the lab on a topology with a cause
// in a known place: a PC behind a router, a cloud host, a server beyond an ocean
// (internal/tools/vantage).
func observed(t *testing.T, name string, places ...string) []Observed {
	t.Helper()
	var out []Observed
	for _, place := range places {
		o := Observed{Name: place}
		for round := 1; round <= 2; round++ {
			f, err := os.Open(filepath.Join("testdata", name, fmt.Sprintf("%s-%d.json.gz", place, round)))
			if err != nil {
				t.Fatal(err)
			}
			r, err := record.Read(f)
			f.Close()
			if err != nil {
				t.Fatal(err)
			}
			o.Runs = append(o.Runs, r)
		}
		out = append(out, o)
	}
	return out
}

// homeLine carries 200 Mbit/s, the cloud's 400, in every topology.
var homeLine = OwnWay("router")

func TestTopologies(t *testing.T) {
	for _, c := range []struct {
		name     string
		cause    finding.Cause // empty for a rate alone
		at       Segment
		affected []string
		shared   bool
	}{
		{name: "healthy"},
		{"access-link", "", Between("pc", "router"), []string{"pc"}, false},
		{"card-100", "", AtPlace("pc"), []string{"pc"}, false},
		{"wan-policer", finding.Policed, OwnWay("router"), []string{"pc", "router"}, false},
		{"wan-bloat", finding.Bufferbloat, OwnWay("router"), []string{"pc", "router"}, false},
		{"wifi-loss", finding.LossLimited, Between("pc", "router"), []string{"pc"}, false},
		{"small-rmem", finding.ReceiveWindow, AtPlace("pc"), []string{"pc"}, false},
		{"far-send-buffer", finding.SendBuffer, AtTarget(), everyone, true},
		{"lossy-sea", finding.LossLimited, BeyondAll(), everyone, true},
		{"cloud-shaper", "", AtPlace("cloud"), []string{"cloud"}, false},
		{"router-cpu", "", AtPlace("router"), []string{"router"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Compare("far:5201", 2, observed(t, c.name, everyone...))
			among := got.Differences
			if c.shared {
				among = got.Shared
			}
			at := slices.IndexFunc(among, func(x Insight) bool { return x.Segment == c.at && x.Cause == c.cause })
			switch {
			case c.at.Kind == "":
			case at < 0:
				t.Errorf("%s at %v is not among %s", c.cause, c.at, summaries(got))
			case !slices.Equal(among[at].Affected, c.affected):
				t.Errorf("affected are %v, want %v", among[at].Affected, c.affected)
			}
			for _, x := range append(slices.Clone(got.Differences), got.Shared...) {
				if x.Segment != c.at && (x.Segment != homeLine || x.Cause != "") {
					t.Errorf("said as well: %s at %v (%.2f)", x.Cause, x.Segment, x.Confidence)
				}
				if x.Summary == "" || x.Confidence <= 0 || x.Confidence > 1 {
					t.Errorf("%+v", x)
				}
			}
			if got.Places[0].Passes[0] != "router" || len(got.Places[1].Passes)+len(got.Places[2].Passes) > 0 {
				t.Errorf("the ways lead %v, %v, %v", got.Places[0].Passes, got.Places[1].Passes, got.Places[2].Passes)
			}
		})
	}
}

func summaries(c Comparison) string {
	var b strings.Builder
	for _, x := range append(slices.Clone(c.Differences), c.Shared...) {
		fmt.Fprintf(&b, "%s at %v, %v; ", x.Cause, x.Segment, x.Affected)
	}
	return b.String()
}

// A router whose core is full where it ends TCP says so beside what it forwards.
func TestFullCoreOfARouter(t *testing.T) {
	got := Compare("far:5201", 2, observed(t, "router-cpu", everyone...))
	at := slices.IndexFunc(got.Differences, func(x Insight) bool { return x.Segment == AtPlace("router") })
	if at < 0 {
		t.Fatalf("%s", summaries(got))
	}
	x := got.Differences[at]
	if !strings.Contains(x.Summary, "ends connections itself") || !strings.Contains(strings.Join(x.Why, " "), "Core 0 of router was full meanwhile") {
		t.Errorf("%s\n%q", x.Summary, x.Why)
	}
}

// Without the place that would tell two segments apart, neither is named surely.
func TestFewerPlacesClaimLess(t *testing.T) {
	// Of the PC's loss alone, with a clean cloud, the PC's own way is left.
	got := Compare("far", 2, observed(t, "wifi-loss", "pc", "cloud"))
	if at := slices.IndexFunc(got.Differences, func(x Insight) bool { return x.Cause == finding.LossLimited }); at < 0 ||
		got.Differences[at].Segment != OwnWay("pc") {
		t.Errorf("from PC and cloud: %s", summaries(got))
	}
	// From the home alone, the sea's loss lies beyond the home.
	got = Compare("far", 2, observed(t, "lossy-sea", "pc", "router"))
	if len(got.Shared) != 1 || got.Shared[0].Segment != BeyondAll() {
		t.Errorf("from the home: %s", summaries(got))
	}
	// One round knows no scatter.
	places := observed(t, "access-link", everyone...)
	for i := range places {
		places[i].Runs = places[i].Runs[:1]
	}
	for _, x := range Compare("far", 1, places).Differences {
		if x.Confidence > onceOnly {
			t.Errorf("one round is %.2f sure of %v", x.Confidence, x.Segment)
		}
	}
}

// A place that failed is in the comparison, and the others still tell.
func TestFailedPlace(t *testing.T) {
	places := observed(t, "wifi-loss", everyone...)
	places[2] = Observed{Name: "cloud", Runs: []*record.Run{nil, nil}, Failures: []Failure{{1, "refused"}, {2, "refused"}}}
	got := Compare("far", 2, places)
	if got.Measured() != 2 || len(got.Places[2].Failures) != 2 {
		t.Errorf("%+v", got.Places[2])
	}
	if len(got.Differences) == 0 || got.Differences[0].Segment != Between("pc", "router") {
		t.Errorf("%s", summaries(got))
	}
	if got := Compare("far", 1, []Observed{{Name: "a", Runs: []*record.Run{nil}}}); got.Measured() != 0 || len(got.Differences) > 0 {
		t.Errorf("of nothing: %+v", got)
	}
}

// The same records under two names differ in nothing.
func TestOnePlaceTwice(t *testing.T) {
	once := observed(t, "healthy", "cloud")[0]
	again := once
	again.Name = "cloud again"
	got := Compare("far", 2, []Observed{once, again})
	if len(got.Differences) > 0 {
		t.Errorf("%s", summaries(got))
	}
}

// What changed between the rounds is time's, and no place is blamed for it.
func TestDrift(t *testing.T) {
	fast, slow := observed(t, "healthy", everyone...), observed(t, "wan-policer", everyone...)
	for i := range fast {
		fast[i].Runs[1] = slow[i].Runs[1]
	}
	got := Compare("far", 2, fast[:2])
	if len(got.Differences) > 0 {
		t.Errorf("blamed: %s", summaries(got))
	}
	if !slices.ContainsFunc(got.Warnings, func(w string) bool { return strings.Contains(w, "the time") }) {
		t.Errorf("warnings %q", got.Warnings)
	}
}
