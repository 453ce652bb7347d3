package live

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"unchoke/internal/lab/labtest"
	"unchoke/internal/live"
)

// lossy is where cubic carries some 4 Mbit/s and bbr some 200.
const lossy = "rtt=50ms,loss=0.5%,rate=500mbit"

// watched is what `unchoke watch` saw every 100 ms, lab time.
func watched(t *testing.T, script string) []live.Snapshot {
	t.Helper()
	program := labtest.NeedLab(t)
	cmd := exec.CommandContext(t.Context(), program, "lab", "exec", "--path", lossy, "--far", "iperf3 -s", "--", "sh", "-c", script, "sh", program)
	cmd.Dir = filepath.Dir(program)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	var all []live.Snapshot
	for line := range bytes.Lines(out) {
		var s live.Snapshot
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatalf("%v\n%s", err, line)
		}
		all = append(all, s)
	}
	return all
}

// bulk is the connection that carries the data, not the one that controls.
func bulk(s *live.Snapshot) *live.Flow {
	for i := range s.Flows {
		if s.Flows[i].Sent > 1e5 {
			return &s.Flows[i]
		}
	}
	return &live.Flow{}
}

// A flow's rate rises within five round trips; it goes back to what it was with
// its old algorithm.
func TestRateRises(t *testing.T) {
	all := watched(t, `
		iperf3 -c far -t 15 >/tmp/iperf3 &
		sleep 3
		"$1" watch dport = 5201 --json --interval 100ms --for 11s &
		sleep 1
		"$1" tune live dport = 5201 --cc bbr --yes --over 1s >/tmp/changed || exit 1
		sleep 1
		"$1" tune live --revert >/tmp/reverted || exit 1
		wait`)
	const five = 5 * 50 * time.Millisecond
	var before, soon, with, after []float64
	var changed, back time.Time
	for i := range all {
		s, f := &all[i], bulk(&all[i])
		switch {
		case f.CC == "bbr" && changed.IsZero():
			changed = s.Time.Add(-100 * time.Millisecond) // at the earliest
			fallthrough
		case f.CC == "bbr":
			if s.Time.Sub(changed) <= five+100*time.Millisecond {
				soon = append(soon, f.SentRate)
			}
			with = append(with, f.SentRate)
		case f.CC == "cubic" && changed.IsZero():
			before = append(before, f.SentRate)
		case f.CC == "cubic":
			if back.IsZero() {
				back = s.Time
			}
			if s.Time.Sub(back) > 3*time.Second { // cubic lets go of a full pipe loss by loss
				after = append(after, f.SentRate)
			}
		}
	}
	if len(before) < 10 || len(soon) < 2 || len(with) < 10 || len(after) < 10 {
		t.Fatalf("%d, %d, %d and %d looks", len(before), len(soon), len(with), len(after))
	}
	t.Logf("before %.3g, within five round trips %.3g, with bbr %.3g, after the revert %.3g bit/s", mean(before), largest(soon), mean(with), mean(after))
	if largest(soon) < 2*mean(before) {
		t.Errorf("within five round trips %.3g bit/s, before %.3g", largest(soon), mean(before))
	}
	if mean(with) < 5*mean(before) {
		t.Errorf("with bbr %.3g bit/s, before %.3g", mean(with), mean(before))
	}
	if mean(after) > 5*mean(before) {
		t.Errorf("after the revert %.3g bit/s, before %.3g", mean(after), mean(before))
	}
}

func mean(v []float64) (sum float64) {
	for _, x := range v {
		sum += x / float64(len(v))
	}
	return sum
}

func largest(v []float64) (most float64) {
	for _, x := range v {
		most = max(most, x)
	}
	return most
}
