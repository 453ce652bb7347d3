package truth

import (
	"bytes"
	"context"
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

// Lab measures one stream on lab paths.
type Lab struct {
	Unchoke string  // the binary
	Traffic Traffic // nil is stock iperf3
}

// Traffic is one stream that a run measures.
type Traffic interface {
	// Scripts are shell commands: near's, which print what Read reads and end with
	// the stream, and far's, which run beside them.
	Scripts(way draw.Direction, p Seconds) (near, far string)
	// Read tells what the stream did; the echoes beside it are not its own.
	Read(text []byte) Run
}

// Run is what one stream did, with echoes beside it.
type Run struct {
	Rate     float64 `json:"rate_bps"`  // received, without the first seconds
	Early    float64 `json:"early_bps"` // in its first five seconds
	IdleRTT  float64 `json:"idle_rtt_s"`
	LoadRTT  float64 `json:"load_rtt_s"` // median, once the first seconds are over
	Resent   int     `json:"retransmits"`
	Complete bool    `json:"complete"` // false: it gave up, and Rate is what had been received here until then
}

// Seconds is how long a run takes, in seconds: what passes before it begins, what is
// left out, then what counts.
type Seconds struct {
	Wait        float64
	Omit, Count int
}

// runTimeout is wall time, far above what a run takes on a busy machine.
const runTimeout = 20 * time.Minute

// Mark is a line between the parts of what a script prints.
const Mark = "=====\n"

// script is near's shell script of a run: echoes on the idle path, then the traffic
// with echoes beside it.
func (p Seconds) script(traffic string) string {
	wait := ""
	if p.Wait > 0 {
		wait = fmt.Sprintf("sleep %g; ", p.Wait)
	}
	return wait + fmt.Sprintf("ping -n -i 0.1 -c 25 -w 6 far; echo %[1]s; "+
		"ping -n -i 0.2 -w %[2]d far > /tmp/load & load=$!; (%[3]s) > /tmp/traffic; "+
		"wait $load; cat /tmp/load; echo %[1]s; cat /tmp/traffic",
		strings.TrimSpace(Mark), p.Omit+p.Count, traffic)
}

// Run is a lab machine of its own.
func (l Lab) Run(ctx context.Context, s draw.Scene, seed uint64, way draw.Direction, p Seconds) (Run, error) {
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	traffic := l.Traffic
	if traffic == nil {
		traffic = iperf3{}
	}
	near, far := traffic.Scripts(way, p)
	script := p.script(near)
	cmd := exec.CommandContext(ctx, l.Unchoke, s.ExecBeside(far, seed, script)...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	parts := strings.Split(string(out), Mark)
	if len(parts) != 3 {
		return Run{}, fmt.Errorf("measure %s: %w: %s", s.CommandBeside(far, seed, script), errors.Join(err, errors.New("no result")), bytes.TrimSpace(errs.Bytes()))
	}
	r := traffic.Read([]byte(parts[2]))
	r.IdleRTT, r.LoadRTT = Median(echoes(parts[0])), Median(lastPart(echoes(parts[1]), p))
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

// Median is that of stats, and 0 of nothing.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return stats.Median(values)
}
