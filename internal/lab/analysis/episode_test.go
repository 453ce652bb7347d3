package analysis

import (
	"math"
	"reflect"
	"testing"
	"time"

	"unchoke/internal/lab/sweep/grid"
	"unchoke/internal/lab/traffic"
	"unchoke/internal/path"
)

// handoverRow is a run over a path whose series is as if 8 Mbit/s flowed, and
// nothing in the first second from each time in outages; 2 s of 12 Mbit/s
// follow it.
func handoverRow(spec path.Path, cell, repetition int, outages ...time.Duration) (grid.Row, []traffic.Sample) {
	row := grid.Row{
		Cell: cell, Repetition: repetition, Seed: uint64(100*cell + repetition), Path: spec, Arm: grid.Arm{CC: "cubic"},
		Traffic: traffic.Spec{Kind: traffic.Bulk, Duration: 80 * time.Second},
		Result:  traffic.Result{Throughput: 8e6 + float64(repetition) - float64(len(outages))*1e5, CC: "cubic"},
	}
	const step = 100 * time.Millisecond
	var samples []traffic.Sample
	var bytes float64
	for at := time.Duration(0); at <= row.Traffic.Duration; at += step {
		s := traffic.Sample{At: at, Received: int64(bytes), Cwnd: 40, RTT: 30 * time.Millisecond}
		rate := 8e6
		for _, o := range outages {
			switch since := at - o; {
			case since >= 0 && since < time.Second:
				rate, s.Cwnd, s.RTT = 0, 10, 90*time.Millisecond
			case since >= time.Second && since < 3*time.Second:
				rate = 12e6
			}
			if at >= o+time.Second {
				s.Retrans += 7
			}
		}
		bytes += rate / 8 * step.Seconds()
		samples = append(samples, s)
	}
	return row, samples
}

func TestVarying(t *testing.T) {
	const schedule = ",schedule=every 15s for 200ms rtt=+50ms; at 1m2s for 1s loss=100%"
	var s Study
	for rep := range 3 {
		steady, _ := handoverRow(mustPath("rtt=0s"), 0, rep)
		// The episode at 60 s has another beside it, and counts for nothing.
		row, samples := handoverRow(mustPath("rtt=0s"+schedule), 1, rep, 15*time.Second, 30*time.Second, 45*time.Second, 60*time.Second, 75*time.Second)
		video := row
		video.Cell, video.Traffic.Kind, video.Traffic.Chunk = 2, traffic.Chunked, time.Second
		s.Rows = append(s.Rows, steady, row, video)
		s.Series = append(s.Series, Series{row, samples}, Series{video, samples})
	}
	f := Analyse(s)
	if len(f.Varying) != 2 {
		t.Fatalf("%d cells with a schedule", len(f.Varying))
	}
	v := f.Varying[0]
	if v.Steady < 0 || f.Cells[v.Steady].Path != mustPath("rtt=0s") || math.Abs(v.Ratio-0.9375) > 0.001 || v.Interval == nil {
		t.Errorf("beside the steady path: %+v", v)
	}
	if len(v.Episodes) != 1 {
		t.Fatalf("%d episodes, want the handover alone", len(v.Episodes))
	}
	got := v.Episodes[0]
	want := Around{
		Episode: "every 15s for 200ms rtt=+50ms", Times: 12, Before: 8e6, First: 0,
		// A second of 8 Mbit/s is missing, and two of 12 make up for it.
		Cost: 0, Recovery: 1.3, RTT: 0.09, Cwnd: 40, LowCwnd: 10, Retransmits: 7,
	}
	for _, c := range []struct{ got, want float64 }{{got.Before, want.Before}, {got.Cost, want.Cost}, {got.Recovery, want.Recovery}} {
		if math.Abs(c.got-c.want) > 1e-6*math.Max(1, math.Abs(c.want)) {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
	if first, during := got.Course[0], got.Course[22]; len(got.Course) != 70 || first.At != -2 || math.Abs(first.Rate-8e6) > 1 || during.Rate != 0 || during.RTT != 0.09 {
		t.Errorf("a course of %d moments: first %+v, then %+v", len(got.Course), first, during)
	}
	got.Before, got.Cost, got.Recovery, got.Course = want.Before, want.Cost, want.Recovery, nil
	if !reflect.DeepEqual(got, want) {
		t.Errorf("around the handover\n%+v\nwant\n%+v", got, want)
	}
	if video := f.Varying[1]; len(video.Episodes) != 0 || video.Steady != -1 {
		t.Errorf("video: %+v", video)
	}
}

func TestRecovery(t *testing.T) {
	share := func(levels ...float64) func(time.Duration) float64 {
		return func(from time.Duration) float64 { return levels[min(int(from/time.Second), len(levels)-1)] }
	}
	for _, c := range []struct {
		share func(time.Duration) float64
		want  float64
	}{
		{share(1, 0.95), 0},
		{share(0.2, 0.95), 1.5},
		{share(0.2, 0.5, 0.89, 1), 3.5},
		{share(0.2), math.Inf(1)},
		{share(1, 1, 0.2), 0}, // a second and more later it is none of the episode's
	} {
		if got := recovery(c.share); got != c.want {
			t.Errorf("recovers after %v, want %v", got, c.want)
		}
	}
}

// A path that changes is no point of what is told about paths that do not.
func TestScheduledIsApart(t *testing.T) {
	var s Study
	for i, spec := range []string{"rtt=50ms,order=free,jitter=4ms", "rtt=50ms,order=free,jitter=8ms", "rtt=50ms,order=free,jitter=16ms", "rtt=50ms"} {
		for j, cc := range []string{"cubic", "bbr"} {
			for rep := range 3 {
				s.Rows = append(s.Rows, grid.Row{
					Cell: 2*i + j, Repetition: rep, Seed: uint64(rep), Path: mustPath(spec + ",schedule=at 1s rtt=+1ms"), Arm: grid.Arm{CC: cc},
					Result: traffic.Result{Throughput: float64(j+1) * (1e6 + float64(rep)), CC: cc},
				})
			}
		}
	}
	if f := Analyse(s); len(f.Maps)+len(f.Guide) != 0 || len(f.Varying) != 8 {
		t.Errorf("%d maps, %d guides, %d paths that change", len(f.Maps), len(f.Guide), len(f.Varying))
	}
}
