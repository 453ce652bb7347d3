package twin

import (
	"testing"
	"time"

	"unchoke/internal/path"
	"unchoke/internal/record"
	"unchoke/internal/unit"
)

// A receiver whose window may hold the stream reads as iperf3 does, whether the host has that
// window or an arm asks for it: the smaller of those that are known counts.
func TestReaderOfANarrowWindow(t *testing.T) {
	wide := path.Direction{Rate: 100e6, Delay: 50 * time.Millisecond} // 1.25 MB under way
	const narrow, ample = 64 << 10, 64 << 20
	for name, c := range map[string]struct {
		host, arm unit.Size
		want      unit.Size
	}{
		"neither":                {0, 0, 0},
		"the host's is narrow":   {narrow, 0, iperf3Read},
		"the host's is ample":    {ample, 0, 0},
		"the arm's is narrow":    {0, narrow, iperf3Read},
		"the arm's is ample":     {0, ample, 0},
		"the arm's is narrower":  {ample, narrow, iperf3Read},
		"the host's is narrower": {narrow, ample, iperf3Read},
	} {
		a := Arm{Arm: record.Arm{Window: int64(c.arm)}}
		if got := a.trial(Copy{Path: path.Path{Up: wide, Down: wide}, ReceiveMax: c.host}).Read; got != c.want {
			t.Errorf("%s: it reads %d bytes at a time, want %d", name, got, c.want)
		}
	}
}
