package predict

import (
	"slices"
	"strings"
	"testing"

	"unchoke/internal/record"
	"unchoke/internal/report/render"
)

// The command that has the path again can be pasted: it is on one line, however
// narrow the screen.
func TestTwinIsOnOneLine(t *testing.T) {
	const twin = "rtt=50ms,down.loss=0.499%,up.loss=0.497%,rate=462mbit,queue=2.75MiB,tunnel=wireguard,mtu=1500"
	for _, width := range []int{40, 80} {
		var out strings.Builder
		if err := (Report{Target: "far:5201", Twin: twin}).Text(&out, render.Style{Width: width}); err != nil {
			t.Fatal(err)
		}
		const want = "  the twin:\n    unchoke lab exec --path '" + twin + "' --far 'iperf3 -s' -- iperf3 -c far\n"
		if !strings.HasSuffix(out.String(), want) {
			t.Errorf("at width %d the report ends with\n%s", width, &out)
		}
	}
}

// The first sentence has the gain, and what there is no prediction for.
func TestHeadline(t *testing.T) {
	gains := []record.Predicted{{Arm: record.Now, Direction: record.Up, Rate: 4e6}, {Arm: "cc=bbr", Direction: record.Up, Rate: 200e6, Gain: 50, GainLow: 40, GainHigh: 60}}
	delays := []record.Predicted{
		{Arm: record.Now, Direction: record.Down, Rate: 19e6, RTT: 0.218},
		{Arm: "cc=bbr", Direction: record.Down, Rate: 19e6, RTT: 0.0237, Gain: 0.98, GainLow: 0.9, GainHigh: 1.05},
		{Arm: record.Now, Direction: record.Up, Rate: 19e6, RTT: 0.352},
		{Arm: "cc=bbr", Direction: record.Up, Rate: 19e6, RTT: 0.0241, Gain: 0.98, GainLow: 0.9, GainHigh: 1.05},
	}
	both := append(slices.Clone(gains), record.Predicted{Arm: record.Now, Direction: record.Down, Rate: 1e6}, record.Predicted{Arm: "cc=bbr", Direction: record.Down, Rate: 90e6, Gain: 90, GainLow: 80, GainHigh: 95})
	hole := []string{"download, packets larger than 1380 bytes vanish: fix that first"}
	is, should := 4e6, 9e6
	off := []Compared{{What: "one stream up", Direction: record.Up, MeasuredRate: &is, TwinRate: &should}}
	for _, c := range []struct {
		name string
		fit  Fit
		arms []record.Predicted
		want string
	}{
		{"gain", Fit{Agrees: true}, gains, "Upload would carry 200 Mbit/s with cc=bbr: 50.0× of now."},
		{"both directions gain", Fit{Agrees: true}, both, "Download would carry 90.0 Mbit/s with cc=bbr: 90.0× of now. Upload would carry 200 Mbit/s with cc=bbr: 50.0× of now."},
		{"none", Fit{Agrees: true}, gains[:1], "No remedy of those tried gains anything."},
		{"delay alone", Fit{Agrees: true}, delays, "Upload would have an RTT of 24.1 ms under load with cc=bbr, where it has 352 ms now. No remedy of those tried carries more."},
		{"one direction is not rebuilt", Fit{NotRebuilt: hole}, gains, "Upload would carry 200 Mbit/s with cc=bbr: 50.0× of now. Of the other direction there is no prediction: " + hole[0] + "."},
		{"nor is the other", Fit{NotRebuilt: hole}, nil, "The path does what no copy of it does, and there is no prediction for it: " + hole[0] + "."},
		{"copies of one direction differ", Fit{Compared: off}, both[2:], "Download would carry 90.0 Mbit/s with cc=bbr: 90.0× of now. The path of the upload is not understood well enough, and there is no prediction for it. One stream up: measured 4.00 Mbit/s, the copies have 9.00 Mbit/s."},
		{"copies differ", Fit{Compared: off}, nil, "The path of the upload is not understood well enough, and there is no prediction for it. One stream up: measured 4.00 Mbit/s, the copies have 9.00 Mbit/s."},
	} {
		if got := (Report{Fit: c.fit, Arms: c.arms}).headline(); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.name, got, c.want)
		}
	}
}
