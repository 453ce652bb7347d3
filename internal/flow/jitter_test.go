package flow

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"unchoke/internal/stats"
)

func TestJitterOfNothing(t *testing.T) {
	if j := Jitter(nil); j != 0 {
		t.Error(j)
	}
}

// What the kernel said once a second while stock iperf3 sent on lab paths of the
// preset jitter-cliff comes back as the path's own jitter.
func TestJitterOfLabPaths(t *testing.T) {
	var runs []struct {
		Path   string    `json:"path"`
		Sigma  float64   `json:"sigma_s"`
		RTTVar []float64 `json:"rttvar_s"`
	}
	data, err := os.ReadFile("testdata/jitter.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &runs); err != nil || len(runs) < 10 {
		t.Fatal(len(runs), err)
	}
	var ratios []float64
	for _, r := range runs {
		ratio := Jitter(r.RTTVar) / r.Sigma
		if ratio < 0.6 || ratio > 1.5 {
			t.Errorf("%s reads %.3g s", r.Path, Jitter(r.RTTVar))
		}
		ratios = append(ratios, ratio)
	}
	slices.Sort(ratios)
	if m := stats.Median(ratios); m < 0.9 || m > 1.1 {
		t.Errorf("the median reads %.2f times what it is", m)
	}
}
