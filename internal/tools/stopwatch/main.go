// Stopwatch runs a command several times and prints one line: the median, the
// fastest and the slowest wall time, and the most memory that any of its
// processes had resident.
//
//	stopwatch -runs 9 -name "lab exec -- true" -limit 600ms COMMAND ARG...
//
// It fails where the command fails, or the median or the memory is above its limit.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"time"

	"unchoke/internal/tools/tool"
	"unchoke/internal/unit"
)

func main() { tool.Main("stopwatch", run) }

func run(_ context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("stopwatch", flag.ContinueOnError)
	flags.SetOutput(stderr)
	runs := flags.Int("runs", 5, "how often to run the command")
	name := flags.String("name", "", "what to call it (default the command)")
	limit := flags.Duration("limit", 0, "the longest median that is a success; 0 for any")
	mostMemory := flags.String("most-memory", "0", "the most memory that is a success, as 64MiB; 0 for any")
	if err := flags.Parse(args); err != nil {
		return err
	}
	most, err := unit.ParseSize(*mostMemory)
	if err != nil {
		return fmt.Errorf("-most-memory: %w", err)
	}
	command := flags.Args()
	if len(command) == 0 || *runs < 1 {
		return errors.New("needs a command and at least one run")
	}
	if *name == "" {
		*name = command[0]
	}

	var times []time.Duration
	var peak unit.Size
	for range *runs {
		took, resident, err := measure(command, stderr)
		if err != nil {
			return fmt.Errorf("%s: %w", *name, err)
		}
		times = append(times, took)
		peak = max(peak, resident)
	}
	slices.Sort(times)
	median := times[len(times)/2]
	fmt.Fprintf(stdout, "%s: median %.3f s of %d runs (%.3f to %.3f s)", *name, median.Seconds(), *runs, times[0].Seconds(), times[len(times)-1].Seconds())
	if peak > 0 {
		fmt.Fprintf(stdout, ", peak memory %s", peak.Human())
	}
	if *limit > 0 {
		fmt.Fprintf(stdout, ", limit %v", *limit)
	}
	fmt.Fprintln(stdout)
	if *limit > 0 && median > *limit {
		return fmt.Errorf("%s: median %v is above the limit of %v", *name, median, *limit)
	}
	if most > 0 && (peak > most || peak == 0) {
		return fmt.Errorf("%s: peak memory %s, the limit is %s", *name, peak.Human(), most.Human())
	}
	return nil
}

// measure runs the command once. What it prints is shown only where it fails.
func measure(command []string, stderr io.Writer) (time.Duration, unit.Size, error) {
	cmd := exec.Command(command[0], command[1:]...)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	took := time.Since(start)
	if err != nil {
		_, _ = stderr.Write(out)
		return 0, 0, err
	}
	return took, peakMemory(cmd.ProcessState), nil
}
