package truth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"unchoke/internal/stats"
	"unchoke/internal/tools/diagnosis/draw"
)

// Runner measures a scene once in one direction. Runs of one seed are the same.
type Runner interface {
	Run(ctx context.Context, s draw.Scene, seed uint64, way draw.Direction, p Seconds) (Run, error)
}

// Lab runs stock iperf3 on lab paths.
type Lab struct{ Unchoke string } // the binary

// Run is what one stream of stock iperf3 did, with echoes beside it.
type Run struct {
	Rate     float64 `json:"rate_bps"`  // received, without the first seconds
	Early    float64 `json:"early_bps"` // in its first five seconds
	IdleRTT  float64 `json:"idle_rtt_s"`
	LoadRTT  float64 `json:"load_rtt_s"` // median, once the first seconds are over
	Resent   int     `json:"retransmits"`
	Complete bool    `json:"complete"` // false: iperf3 gave up, and Rate is what it had received here until then
}

// Seconds is how long a run takes, in seconds: what is left out, then what counts.
type Seconds struct{ Omit, Count int }

const pad = 60 // s that iperf3 may take longer than it should

// runTimeout is wall time, far above what a run takes on a busy machine.
const runTimeout = 20 * time.Minute

const mark = "=====\n"

// script is the shell script of a run: echoes on the idle path, then one
// stream of iperf3 with echoes beside it.
func (p Seconds) script(way draw.Direction) string {
	reverse := ""
	if way == draw.Down {
		reverse = " -R"
	}
	return fmt.Sprintf("ping -n -i 0.1 -c 25 -w 6 far; echo %[1]s; "+
		"ping -n -i 0.2 -w %[2]d far > /tmp/load & timeout %[3]d iperf3 -c far -t %[4]d -O %[5]d%[6]s -J > /tmp/iperf3; "+
		"wait; cat /tmp/load; echo %[1]s; cat /tmp/iperf3",
		strings.TrimSpace(mark), p.Omit+p.Count, p.Omit+p.Count+pad, p.Count, p.Omit, reverse)
}

// Run is a lab machine of its own.
func (l Lab) Run(ctx context.Context, s draw.Scene, seed uint64, way draw.Direction, p Seconds) (Run, error) {
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	script := p.script(way)
	cmd := exec.CommandContext(ctx, l.Unchoke, s.Exec(seed, script)...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	parts := strings.Split(string(out), mark)
	if len(parts) != 3 {
		return Run{}, fmt.Errorf("measure %s: %w: %s", s.Command(seed, script), errors.Join(err, errors.New("no result")), bytes.TrimSpace(errs.Bytes()))
	}
	r := Run{IdleRTT: median(echoes(parts[0])), LoadRTT: median(lastPart(echoes(parts[1]), p))}
	r.read([]byte(parts[2]))
	return r, nil
}

// lastPart is the echoes of the seconds that count.
func lastPart(all []float64, p Seconds) []float64 {
	return all[len(all)*p.Omit/(p.Omit+p.Count):]
}

// echoes is the round-trip times that ping printed, in seconds.
func echoes(out string) []float64 {
	var rtts []float64
	for line := range strings.Lines(out) {
		_, after, found := strings.Cut(line, "time=")
		if !found {
			continue
		}
		ms, err := strconv.ParseFloat(strings.Fields(after)[0], 64)
		if err == nil {
			rtts = append(rtts, ms/1e3)
		}
	}
	return rtts
}

// document is what is read of iperf3's JSON.
type document struct {
	Error string `json:"error"`
	Start struct {
		Test struct {
			Reverse int `json:"reverse"`
		} `json:"test_start"`
	} `json:"start"`
	Intervals []struct {
		Sum struct {
			Seconds float64 `json:"seconds"`
			Bytes   float64 `json:"bytes"`
			Omitted bool    `json:"omitted"`
		} `json:"sum"`
	} `json:"intervals"`
	End struct {
		Sent struct {
			Resent int `json:"retransmits"`
		} `json:"sum_sent"`
		Received struct {
			Rate float64 `json:"bits_per_second"`
		} `json:"sum_received"`
	} `json:"end"`
}

// iperf3 gives up where its control connection starves, as behind a thin way back,
// or where nothing large passes. The document then has an error, and no figures at
// its end; what this host received stands in the intervals all the same.
func (r *Run) read(text []byte) {
	var doc document
	if json.Unmarshal(text, &doc) != nil {
		return
	}
	switch {
	case doc.Error == "":
		r.Complete, r.Rate, r.Resent = true, doc.End.Received.Rate, doc.End.Sent.Resent
	case doc.Start.Test.Reverse == 1:
		r.Rate = doc.mean(func(_ float64, omitted bool) bool { return !omitted })
	default:
		return
	}
	r.Early = doc.mean(func(at float64, _ bool) bool { return at < 4.5 })
}

// mean is the rate over those intervals that are wanted by when they began, in
// seconds, and whether iperf3 left them out, in bit/s.
func (d document) mean(wanted func(at float64, omitted bool) bool) float64 {
	var at, bytes, seconds float64
	for _, i := range d.Intervals {
		if wanted(at, i.Sum.Omitted) {
			bytes += i.Sum.Bytes
			seconds += i.Sum.Seconds
		}
		at += i.Sum.Seconds
	}
	if seconds == 0 {
		return 0
	}
	return bytes * 8 / seconds
}

// median is 0 of nothing.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return stats.Median(values)
}
