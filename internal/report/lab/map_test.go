package lab

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"unchoke/internal/lab/analysis"
	"unchoke/internal/lab/sweep/grid"
	"unchoke/internal/lab/traffic"
	"unchoke/internal/path"
	"unchoke/internal/report/render"
)

// twoRates is a study of two RTTs, two losses and two rates.
func twoRates(t *testing.T) Report {
	t.Helper()
	study := analysis.Study{Name: "rates"}
	for _, rate := range []string{"20mbit", "500mbit"} {
		for _, rtt := range []string{"20ms", "80ms"} {
			for _, loss := range []string{"0%", "1%"} {
				p, err := path.Parse(fmt.Sprintf("rtt=%s,loss=%s,rate=%s", rtt, loss, rate))
				if err != nil {
					t.Fatal(err)
				}
				for arm, cc := range []string{"cubic", "bbr"} {
					for seed := range 3 {
						study.Rows = append(study.Rows, grid.Row{
							Cell: len(study.Rows), Repetition: seed, Seed: uint64(seed), Path: p, Arm: grid.Arm{CC: cc},
							Traffic: traffic.Spec{Kind: traffic.Bulk, Duration: 10 * time.Second},
							Result:  traffic.Result{Throughput: 1e6 * float64(10+arm*5+seed), Elapsed: 10 * time.Second, CC: cc},
						})
					}
				}
			}
		}
	}
	return New(study, "v0", "6.12", 0)
}

// A heatmap draws RTT and loss; its caption names the rate that it belongs to.
func TestMapsNameWhatTheyDoNotDraw(t *testing.T) {
	var text, doc bytes.Buffer
	l := twoRates(t)
	if err := l.Text(&text, render.Style{Width: 120}); err != nil {
		t.Fatal(err)
	}
	if err := l.JSON(&doc); err != nil {
		t.Fatal(err)
	}
	for _, rate := range []string{"rate=20mbit", "rate=500mbit"} {
		if want := "bbr/cubic by RTT and loss, " + rate; !strings.Contains(text.String(), want) {
			t.Errorf("no caption %q in\n%s", want, &text)
		}
		if want := `"path": "` + rate + `"`; !strings.Contains(doc.String(), want) {
			t.Errorf("no %s in the document", want)
		}
	}
}
