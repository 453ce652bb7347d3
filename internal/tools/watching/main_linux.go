// Watching measures what it costs to watch a host's connections, and whether
// any of a burst of short ones is missed: in a network namespace of its own, on
// this kernel, in real time.
//
//	watching
//
// It takes root and ss. The program starts itself again in three roles: one
// holds the connections, one watches them, one makes short ones.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"unchoke/internal/tools/tool"
)

func main() { tool.Main("watching", run) }

// What is wanted.
const (
	mostMemory  = 100e6 // bytes: VmHWM of the process that watches
	mostOfACore = 0.1   // at ten looks a second
)

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("watching", flag.ContinueOnError)
	flags.SetOutput(stderr)
	role := flags.String("role", "", "hold, look or burst: for this program itself")
	connections := flags.Int("connections", 0, "that a role holds or makes, or of each second")
	senders := flags.Int("senders", 0, "of the connections that are held")
	interval := flags.Duration("interval", time.Second, "between two looks of a role")
	seconds := flags.Int("seconds", 20, "that each measurement takes")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch *role {
	case "hold":
		return hold(ctx, *connections, *senders, stdout)
	case "look":
		return look(ctx, *interval, stdout)
	case "burst":
		return burst(ctx, *connections, *seconds, stdout)
	}
	r, err := newRig(ctx)
	if err != nil {
		return err
	}
	defer r.Close()
	var short []string
	for _, part := range []func(context.Context, *rig, int, io.Writer) ([]string, error){many, often, bursts} {
		missed, err := part(ctx, r, *seconds, stdout)
		if err != nil {
			return err
		}
		short = append(short, missed...)
	}
	if len(short) > 0 {
		return errors.New(strings.Join(short, "; "))
	}
	return nil
}

// many compares 10,000 established flows, 500 of which send, once a second,
// with ss at the same moments.
func many(ctx context.Context, r *rig, seconds int, out io.Writer) (short []string, err error) {
	holder, err := r.start(ctx, "-role", "hold", "-connections", "5000", "-senders", "500")
	if err != nil {
		return nil, err
	}
	defer holder.stop()
	if err := holder.ready(); err != nil {
		return nil, err
	}
	watcher, err := r.start(ctx, "-role", "look", "-interval", "1s")
	if err != nil {
		return nil, err
	}
	defer watcher.stop()
	var ours, theirs []float64
	var before, now sample
	flows := 0
	for k := range seconds + 3 {
		if err := watcher.read(&now); err != nil {
			return nil, err
		}
		ss, err := r.ss(ctx)
		if err != nil {
			return nil, err
		}
		if k >= 3 { // the first looks find the owners
			ours, theirs = append(ours, now.CPU-before.CPU), append(theirs, ss)
			flows = now.Flows
		}
		before = now
	}
	ratio := sum(ours) / sum(theirs)
	memory, err := watcher.memory()
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(out, "%d flows, 500 connections send, one look a second: CPU %.1f ms a look, ss -tinH %.1f ms, ratio %.2f (pairs %.2f to %.2f), wanted ≤ 1\n",
		flows, 1e3*sum(ours)/float64(len(ours)), 1e3*sum(theirs)/float64(len(theirs)), ratio, least(ours, theirs), greatest(ours, theirs))
	fmt.Fprintf(out, "  memory at most %.0f MB, wanted ≤ %.0f\n", memory/1e6, mostMemory/1e6)
	if ratio > 1 {
		short = append(short, "more CPU than ss")
	}
	if memory > mostMemory {
		short = append(short, "more memory than wanted")
	}
	return short, nil
}

// often looks at 1,000 flows ten times a second.
func often(ctx context.Context, r *rig, seconds int, out io.Writer) (short []string, err error) {
	holder, err := r.start(ctx, "-role", "hold", "-connections", "500", "-senders", "250")
	if err != nil {
		return nil, err
	}
	defer holder.stop()
	if err := holder.ready(); err != nil {
		return nil, err
	}
	watcher, err := r.start(ctx, "-role", "look", "-interval", "100ms")
	if err != nil {
		return nil, err
	}
	defer watcher.stop()
	var first, now sample
	for k := range 10*seconds + 20 {
		if err := watcher.read(&now); err != nil {
			return nil, err
		}
		if k == 19 {
			first = now
		}
	}
	share := (now.CPU - first.CPU) / (now.At - first.At)
	fmt.Fprintf(out, "%d flows, 250 connections send, a look every %.0f ms: %.1f %% of a core, wanted ≤ %.0f %%\n",
		now.Flows, 1e3*(now.At-first.At)/float64(10*seconds), 100*share, 100*mostOfACore)
	if share > mostOfACore {
		short = append(short, "too much CPU at ten looks a second")
	}
	return short, nil
}

// bursts makes 5,000 short connections a second and counts those that were
// seen.
func bursts(ctx context.Context, r *rig, seconds int, out io.Writer) (short []string, err error) {
	watcher, err := r.start(ctx, "-role", "look", "-interval", "1s")
	if err != nil {
		return nil, err
	}
	defer watcher.stop()
	var first, now sample
	if err := watcher.read(&first); err != nil {
		return nil, err
	}
	seconds = min(seconds, 10)
	maker, err := r.start(ctx, "-role", "burst", "-connections", "5000", "-seconds", fmt.Sprint(seconds))
	if err != nil {
		return nil, err
	}
	defer maker.stop()
	var made made
	if err := maker.read(&made); err != nil {
		return nil, err
	}
	for end := time.Now().Add(4 * time.Second); time.Now().Before(end); { // and what comes late
		if err := watcher.read(&now); err != nil {
			return nil, err
		}
	}
	for now.At < made.Ended+2 {
		if err := watcher.read(&now); err != nil {
			return nil, err
		}
	}
	seen, lost := now.Closed-first.Closed, now.Lost-first.Lost
	fmt.Fprintf(out, "%d short connections in %.1f s, %.0f a second: of their %d ends %d were seen, %d counted as lost, %d neither; %.1f %% of a core\n",
		made.Connections, made.Took, float64(made.Connections)/made.Took, 2*made.Connections, seen, lost, max(2*made.Connections-seen-lost, 0),
		100*(now.CPU-first.CPU)/(now.At-first.At))
	if seen+lost < 2*made.Connections {
		short = append(short, "short connections were missed and not counted")
	}
	return short, nil
}

func sum(x []float64) (total float64) {
	for _, v := range x {
		total += v
	}
	return total
}

func least(a, b []float64) float64 { return extreme(a, b, func(x, y float64) bool { return x < y }) }

func greatest(a, b []float64) float64 {
	return extreme(a, b, func(x, y float64) bool { return x > y })
}

func extreme(a, b []float64, better func(x, y float64) bool) float64 {
	out := a[0] / b[0]
	for k := range a {
		if r := a[k] / b[k]; better(r, out) {
			out = r
		}
	}
	return out
}
