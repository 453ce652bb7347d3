package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"unchoke/internal/live"
	"unchoke/internal/tools/diagnosis/draw"
	"unchoke/internal/tools/tool"
)

// cell is a run of the preset jitter-cliff's grid.
type cell struct {
	rtt, jitter int // ms
	cc          string
	seed        uint64

	flow            *live.Flow
	seconds, warned float64
}

// The grid of the preset jitter-cliff.
var (
	cliffRTTs    = []int{24, 50, 100}
	cliffJitters = []int{0, 4, 8, 12, 16, 20, 24}
	cliffCCs     = []string{"cubic", "bbr"}
)

// cliffTraffic is the preset's, 10 MiB/s through a receive buffer of 256 KiB, by
// stock iperf3.
const cliffTraffic = "-b 83886080 -l 8K -w 256K"

// half: a flow that carries less of what it does without jitter has lost half of
// its throughput to it.
const half = 0.5

// cliff holds the chaos zone's warning, when a flow is ten seconds old, against
// what the jitter cost that flow: n runs a cell, each with a seed of its own.
func (b *bench) cliff(ctx context.Context, draw uint64, n int, w io.Writer, g gate) error {
	var cells []*cell
	for seed := range n {
		for _, rtt := range cliffRTTs {
			for _, jitter := range cliffJitters {
				for _, cc := range cliffCCs {
					cells = append(cells, &cell{rtt: rtt, jitter: jitter, cc: cc, seed: 1000*draw + uint64(seed)})
				}
			}
		}
	}
	tool.Each(ctx, b.machines, cells, func(c *cell) {
		if err := b.measure(ctx, c); err != nil {
			b.mu.Lock()
			b.failures = append(b.failures, err)
			b.mu.Unlock()
		}
	})
	err := errors.Join(append(b.failures, ctx.Err())...)
	return errors.Join(err, warningReport(w, cells, g))
}

func (b *bench) measure(ctx context.Context, c *cell) error {
	path := fmt.Sprintf("rtt=%dms", c.rtt)
	if c.jitter > 0 {
		path += fmt.Sprintf(",jitter=%dms,order=free", c.jitter)
	}
	d := draw.Draw{Lab: c.seed, Scene: draw.Scene{Path: path, NearSysctl: []string{"net.ipv4.tcp_congestion_control=" + c.cc}}}
	near := fmt.Sprintf("%s watch --json --for %ds > /tmp/watch.near & sleep 1; timeout 40 iperf3 -c far -t %d %s > /dev/null; wait; cat /tmp/watch.near; echo %s", b.unchoke, lasts, lasts, cliffTraffic, mark)
	ends, err := b.watch(ctx, d.Scene.Exec(d.Lab, near))
	if err != nil {
		return fmt.Errorf("watch %s: %w", path, err)
	}
	c.flow, c.seconds, c.warned = busiest(ends[0], true)
	if c.flow == nil {
		return fmt.Errorf("watch %s: no flow showed", path)
	}
	fmt.Fprintf(b.progress, "%s %s seed %d: %.3g bit/s, jitter %.3g of the RTT, %v\n", path, c.cc, c.seed, c.flow.SentLately, c.flow.JitterRatio, c.flow.Warnings)
	return nil
}

// warningReport prints precision and recall of the warning, and each miss.
func warningReport(w io.Writer, cells []*cell, g gate) error {
	clean := func(c *cell) float64 { // without jitter, the same sender
		sum, n := 0.0, 0.0
		for _, o := range cells {
			if o.flow != nil && o.jitter == 0 && o.rtt == c.rtt && o.cc == c.cc {
				sum += o.flow.SentLately
				n++
			}
		}
		return sum / max(n, 1)
	}
	var warned, lost share // that had lost half; that were warned of
	var seconds, falsely float64
	for _, c := range cells {
		if c.flow == nil {
			continue
		}
		if c.jitter == 0 {
			seconds += c.seconds
			falsely += c.warned
		}
		kept := c.flow.SentLately / max(clean(c), 1)
		is, said := kept < half, slices.Contains(c.flow.Warnings, live.ChaosZone)
		if said {
			warned.count(is)
		}
		if is {
			lost.count(said)
		}
		if is != said {
			fmt.Fprintf(w, "- %d ms, jitter %d ms, %s, seed %d: keeps %.2f, jitter reads %.3f of the RTT, warned: %v\n", c.rtt, c.jitter, c.cc, c.seed, kept, c.flow.Jitter/max(c.flow.RTTLately, 1e-9), said)
		}
	}
	fmt.Fprintf(w, "\nOf %d warned, %v had lost half: precision. Of those, %v were warned of: recall.\n", warned.of, warned, lost)
	fmt.Fprintf(w, "Without jitter: %.0f warnings in %.0f flow-seconds.\n", falsely, seconds)
	return errors.Join(
		short(warned.value() < g.precision, "precision of the warning", warned.value(), g.precision),
		short(lost.value() < g.recall, "recall of the warning", lost.value(), g.recall),
		short(falsely > g.falseWarnings*seconds, "false warnings a second", falsely/max(seconds, 1), g.falseWarnings),
	)
}
