// Cpubound measures how well a check names the rate that a processor allows: a
// tunnel of two wireguard-go processes between two network namespaces of this
// kernel, in real time, and a control group that limits one of them. Stock
// iperf3 and the check run by turns.
//
//	cpubound -unchoke bin/unchoke
//
// It takes root, control groups that bound processor time, and iperf3.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"unchoke/internal/record"
	"unchoke/internal/tools/tool"
)

func main() { tool.Main("cpubound", run) }

// tenCeilings are in Mbit/s.
const tenCeilings = "50,75,100,150,200,300,400,550,750,1000"

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("cpubound", flag.ContinueOnError)
	flags.SetOutput(stderr)
	unchoke := flags.String("unchoke", "bin/unchoke", "the program")
	list := flags.String("ceilings", tenCeilings, "to measure, in Mbit/s")
	rounds := flags.Int("rounds", 3, "of iperf3 and a check with each limit")
	free := flags.Int("free", 10, "checks without a limit")
	most := flags.Float64("most", 0.15, "that a named ceiling may be off")
	save := flags.String("save", "", "where the checks' records go; a temporary directory if empty")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var targets []float64
	for word := range strings.SplitSeq(*list, ",") {
		target, err := strconv.ParseFloat(word, 64)
		if err != nil || target <= 0 {
			return fmt.Errorf("ceiling %q is no rate in Mbit/s", word)
		}
		targets = append(targets, target)
	}
	ctx, stop := signal.NotifyContext(ctx, unix.SIGTERM) // what runs in the rig must not outlive it
	defer stop()
	program, err := filepath.Abs(*unchoke)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "cpubound-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	wireguard, err := buildWireGuard(ctx, dir)
	if err != nil {
		return err
	}
	r, err := newRig(ctx, wireguard)
	if err != nil {
		return err
	}
	defer r.Close()
	if *save == "" {
		*save = dir
	}
	b := bench{r, program, *save, *rounds, stdout}
	all, err := b.ceilings(ctx, targets)
	if err != nil {
		return err
	}
	unlimited, err := b.free(ctx, *free)
	if err != nil {
		return err
	}
	if short := (gates{len(targets), *most}).judge(all, unlimited); len(short) > 0 {
		return errors.New(strings.Join(short, "; "))
	}
	return nil
}

// buildWireGuard builds the program from the module that this one's go.mod
// names.
func buildWireGuard(ctx context.Context, dir string) (string, error) {
	program := filepath.Join(dir, "wireguard-go")
	out, err := exec.CommandContext(ctx, "go", "build", "-o", program, "golang.zx2c4.com/wireguard").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build wireguard-go: %w: %s", err, out)
	}
	return program, nil
}

// bench is one run.
type bench struct {
	*rig
	unchoke, state string
	rounds         int
	stdout         io.Writer
}

// iperfTime is how long each run of iperf3 takes after its first second.
const iperfTime = 4 * time.Second

// ceilings measures with each limit, chosen by what a core carried with the one
// before.
func (b *bench) ceilings(ctx context.Context, targets []float64) ([]*ceiling, error) {
	perCore := firstGuess
	var all []*ceiling
	for _, target := range append([]float64{targets[0]}, targets...) {
		c := newCeiling(target*1e6, target*1e6/perCore)
		rounds := b.rounds
		if perCore == firstGuess {
			rounds = 0 // to learn what a core carries
		}
		if err := b.measure(ctx, c, rounds); err != nil {
			return nil, fmt.Errorf("%.3f cores: %w", c.cores, err)
		}
		perCore = c.carried() / c.cores
		if rounds > 0 {
			c.print(b.stdout)
			all = append(all, c)
		}
	}
	return all, nil
}

// firstGuess is what a core of wireguard-go carries, in bit/s.
const firstGuess = 1e9

// measure lets iperf3 and the check run by turns, iperf3 first and last.
func (b *bench) measure(ctx context.Context, c *ceiling, rounds int) error {
	if err := b.tunnelled.Limit(c.cores); err != nil {
		return err
	}
	for i := range rounds + 1 {
		for d, w := range c.ways {
			rate, err := b.iperf(ctx, d, iperfTime)
			if err != nil {
				return err
			}
			w.iperf = append(w.iperf, rate)
		}
		if i == rounds {
			break
		}
		said, err := b.check(ctx, b.unchoke, b.state)
		if err != nil {
			return err
		}
		c.add(said)
	}
	return nil
}

// free checks without a limit.
func (b *bench) free(ctx context.Context, runs int) ([]*way, error) {
	if err := b.tunnelled.Limit(0); err != nil {
		return nil, err
	}
	var all []*way
	for i := range runs {
		said, err := b.check(ctx, b.unchoke, b.state)
		if err != nil {
			return nil, err
		}
		w := &way{}
		for _, d := range record.Directions {
			w.verdicts = append(w.verdicts, said[d].cause)
		}
		fmt.Fprintf(b.stdout, "no limit, run %d: down %s, up %s\n", i+1, w.verdicts[0], w.verdicts[1])
		all = append(all, w)
	}
	return all, nil
}
