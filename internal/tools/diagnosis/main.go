// Diagnosis checks lab paths whose truth is known and prints what was said of
// them: a confusion table, and the paths of which the verdict was wrong.
//
//	diagnosis -unchoke bin/unchoke -per-cause 20 -seed 1
//
// It fails where fewer than the share -least of the verdicts are right.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"unchoke/internal/diagnose"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "diagnosis:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("diagnosis", flag.ContinueOnError)
	flags.SetOutput(stderr)
	unchoke := flags.String("unchoke", "bin/unchoke", "the binary")
	perCause := flags.Int("per-cause", 20, "paths of each cause")
	only := flags.String("only", "", "this cause alone")
	seed := flags.Uint64("seed", 1, "of the paths drawn")
	least := flags.Float64("least", 0.95, "share of right verdicts that is a success")
	records := flags.String("records", "", "keep the check's JSON of each path in this directory")
	if err := flags.Parse(args); err != nil {
		return err
	}
	binary, err := filepath.Abs(*unchoke)
	if err != nil {
		return err
	}
	var trials []trial
	for _, t := range draw(*seed, *perCause) {
		if *only == "" || string(t.Want) == *only {
			trials = append(trials, t)
		}
	}
	results := checkAll(ctx, binary, trials, *records, stderr)
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	t := tally(results)
	t.print(stdout, *seed)
	if share := t.share(); share < *least {
		return fmt.Errorf("%.1f %% of the verdicts are right, fewer than %.0f %%", share*100, *least*100)
	}
	return nil
}

// result is what was said of a trial.
type result struct {
	trial   trial
	verdict diagnose.Cause
	wall    time.Duration
	err     error
}

// checkAll runs the trials, one machine a core.
func checkAll(ctx context.Context, binary string, trials []trial, records string, stderr io.Writer) []result {
	results := make([]result, len(trials))
	next := make(chan int)
	var workers sync.WaitGroup
	for range runtime.NumCPU() {
		workers.Go(func() {
			for i := range next {
				results[i] = check(ctx, binary, trials[i], records, i)
				r := results[i]
				mark := "ok  "
				if r.verdict != r.trial.Want {
					mark = "MISS"
				}
				fmt.Fprintf(stderr, "%s %3d %5.1fs want %-14s said %-14s %s\n", mark, i, r.wall.Seconds(), r.trial.Want, r.verdict, r.trial)
			}
		})
	}
	for i := range trials {
		if ctx.Err() == nil {
			next <- i
		}
	}
	close(next)
	workers.Wait()
	return results
}

func labArgs(t trial) []string {
	args := []string{"lab", "exec", "--path", t.Path.String(), "--seed", fmt.Sprint(t.Seed), "--far", "iperf3 -s"}
	for _, s := range t.NearSysctl {
		args = append(args, "--near-sysctl", s)
	}
	for _, s := range t.FarSysctl {
		args = append(args, "--far-sysctl", s)
	}
	return args
}

// trialTimeout is far above what any path takes, a few seconds.
const trialTimeout = 3 * time.Minute

func check(ctx context.Context, binary string, t trial, records string, n int) result {
	ctx, cancel := context.WithTimeout(ctx, trialTimeout)
	defer cancel()
	var err error
	if t.Want == diagnose.Reordering {
		if t.Want, err = reorderingTruth(ctx, binary, t); err != nil {
			return result{trial: t, verdict: "failed", err: err}
		}
	}
	args := labArgs(t)
	inner := []string{binary, "check", "far", "--json"}
	if records != "" {
		// The record itself, so that a wrong verdict can be replayed.
		args = append(args, "--rw", records)
		name := filepath.Join(records, fmt.Sprintf("%s-%03d.json", t.Want, n))
		inner = []string{"sh", "-c", fmt.Sprintf("%s check far --json; s=$?; %s record show last --json > %s; exit $s", binary, binary, name)}
	}
	cmd := exec.CommandContext(ctx, binary, append(append(args, "--"), inner...)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	start := time.Now()
	err = cmd.Run()
	r := result{trial: t, wall: time.Since(start), verdict: "failed"}
	if err != nil {
		r.err = fmt.Errorf("%w: %s", err, bytes.TrimSpace(errs.Bytes()))
	}
	var doc struct {
		Verdict diagnose.Cause `json:"verdict"`
	}
	if e := json.Unmarshal(out.Bytes(), &doc); e != nil {
		r.err = errors.Join(r.err, e)
	} else {
		r.verdict = doc.Verdict
	}
	return r
}
