package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"unchoke/internal/compare"
	"unchoke/internal/path"
	"unchoke/internal/stats"
	"unchoke/internal/unit"
)

// lab runs comparisons with the program itself, on emulated paths.
type lab struct {
	binary    string
	maxBlocks int
	documents string
	progress  io.Writer
}

// trial is one comparison in the lab, its truth known.
type trial struct {
	kind      string
	path      path.Path
	farSysctl string
	arms      []string
	duration  string // of which one second is slow start, where it is longer
	truth     float64
	seed      uint64
}

// kinds of path on which arms are compared with themselves. Their rates are
// low, since what a comparison takes is system calls.
var kinds = []struct {
	name string
	draw func(*rand.Rand) path.Path
}{
	{"clean", func(r *rand.Rand) path.Path {
		p := base(r, 10, 80, 2, 6)
		if r.IntN(2) == 0 {
			each(&p, func(d *path.Direction) { jitter(d, 0.02*p.RTT().Seconds(), path.Keep) })
		}
		return p
	}},
	{"lossy", func(r *rand.Rand) path.Path {
		p := base(r, 20, 120, 3, 8)
		loss := path.Loss{P: unit.Ratio(math.Round(1e4*logUniform(r, 0.005, 0.03)) / 1e4)}
		each(&p, func(d *path.Direction) { d.Loss = loss })
		return p
	}},
	// Where CUBIC's runs differ by a factor of ten.
	{"near the jitter cliff", func(r *rand.Rand) path.Path {
		p := base(r, 50, 50, 8, 12)
		j := 0.008 + 0.003*r.Float64()
		each(&p, func(d *path.Direction) { jitter(d, j, path.Free) })
		return p
	}},
	{"policed", func(r *rand.Rand) path.Path {
		p := base(r, 10, 80, 10, 20)
		policer := path.Policer{Rate: unit.BitRate(math.Round(logUniform(r, 1, 5))) * unit.Mbit, Burst: []unit.Size{16, 32}[r.IntN(2)] * unit.KiB}
		each(&p, func(d *path.Direction) { d.Policer = policer })
		return p
	}},
}

// base draws RTT (ms) and rate (Mbit/s), evenly over their logarithms.
func base(r *rand.Rand, rttLow, rttHigh, rateLow, rateHigh float64) path.Path {
	var p path.Path
	rtt := time.Duration(math.Round(logUniform(r, rttLow, rttHigh)*10)) * 100 * time.Microsecond
	rate := unit.BitRate(math.Round(logUniform(r, rateLow, rateHigh))) * unit.Mbit
	each(&p, func(d *path.Direction) { d.Delay, d.Rate = rtt/2, rate })
	return p
}

func each(p *path.Path, change func(*path.Direction)) {
	change(&p.Up)
	change(&p.Down)
}

func jitter(d *path.Direction, seconds float64, order path.Order) {
	d.Jitter = time.Duration(seconds * float64(time.Second)).Round(100 * time.Microsecond)
	d.Dist, d.Order = path.Normal, order
}

func logUniform(r *rand.Rand, low, high float64) float64 {
	return low * math.Exp(r.Float64()*math.Log(high/low))
}

// drawSame draws comparisons of an arm with itself, all kinds in turn.
func drawSame(seed uint64, n int) []trial {
	r := rand.New(rand.NewPCG(seed, 0))
	out := make([]trial, n)
	for i := range out {
		kind := kinds[i%len(kinds)]
		arm := []string{"cc=cubic", "cc=bbr"}[r.IntN(2)]
		out[i] = trial{kind: kind.name, path: kind.draw(r), arms: []string{arm, arm}, duration: "1s", truth: 1, seed: r.Uint64() % 1_000_000}
	}
	return out
}

// streams of the arms whose ratio is known: each stream is as likely as every
// other to carry any rate, and no bottleneck makes one wait for another, so
// thirteen carry 1.3 times as much as ten. A small receive window keeps them
// slow, random loss makes them vary.
var streams = []string{"streams=10", "streams=13"}

const smallWindow = "net.ipv4.tcp_rmem=4096 16384 16384"

// drawDifferent draws comparisons with a true ratio of 1.3.
func drawDifferent(seed uint64, n int) []trial {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]trial, n)
	for i := range out {
		var p path.Path
		rtt := time.Duration(math.Round(logUniform(r, 60, 120)*10)) * 100 * time.Microsecond
		loss := path.Loss{P: unit.Ratio(math.Round(1e4*logUniform(r, 0.005, 0.02)) / 1e4)}
		each(&p, func(d *path.Direction) { d.Delay, d.Loss = rtt/2, loss })
		out[i] = trial{kind: "ten and thirteen streams", path: p, farSysctl: smallWindow, arms: streams, duration: "2s", truth: trueRatio, seed: r.Uint64() % 1_000_000}
	}
	return out
}

// compareAll prints what the comparisons in the lab came to.
func (l lab) compareAll(ctx context.Context, same, different int, seed uint64, stdout io.Writer) error {
	var err error
	if l.binary, err = filepath.Abs(l.binary); err != nil {
		return err
	}
	trials := slices.Concat(drawSame(seed, same), drawDifferent(seed, different))
	outcomes := make([]outcome, len(trials))
	start := time.Now()
	parallel(ctx, len(trials), func(i int) {
		began := time.Now()
		outcomes[i] = l.compare(ctx, trials[i], i)
		o := outcomes[i]
		fmt.Fprintf(l.progress, "%4d %5.1fs %-10s %2d blocks ratio %5.2f CV %3.0f%% %s %s", i, time.Since(began).Seconds(), o.answer, o.blocks, o.ratio, 100*o.cv, trials[i].kind, trials[i].path)
		if o.failed != nil {
			fmt.Fprintf(l.progress, ": %v", o.failed)
		}
		fmt.Fprintln(l.progress)
	})
	if ctx.Err() != nil {
		return nil
	}
	fmt.Fprintf(stdout, "%d comparisons in the lab, at most %d blocks each; seed %d; %.0f min of wall time.\n", len(trials), l.maxBlocks, seed, time.Since(start).Minutes())
	var missed []error
	if same > 0 {
		missed = append(missed, printSame(stdout, trials[:same], outcomes[:same]))
	}
	if different > 0 {
		missed = append(missed, printDifferent(stdout, count(outcomes[same:])))
	}
	for i, o := range outcomes {
		if o.failed != nil {
			missed = append(missed, fmt.Errorf("%s: %w", l.command(trials[i]), o.failed))
		} else if trials[i].truth == 1 && (o.answer == compare.Faster || o.answer == compare.Slower) || trials[i].truth != 1 && o.answer != compare.Faster {
			fmt.Fprintf(stdout, "\n- said %s (%.2f): `%s`", o.answer, o.ratio, l.command(trials[i]))
		}
	}
	fmt.Fprintln(stdout)
	return errors.Join(missed...)
}

func printSame(w io.Writer, trials []trial, outcomes []outcome) error {
	fmt.Fprint(w, "\n| equal arms on a path that is | comparisons | called different | equivalent | open | unstable | blocks, median | CV, median (90 %) | two modes | drift |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	line := func(name string, t tally) {
		if t.n == 0 {
			return
		}
		cv := stats.Quantiles(t.cvs, 0.5, 0.9)
		fmt.Fprintf(w, "| %s | %d | %s | %d | %d | %d | %.0f | %.0f %% (%.0f %%) | %d | %d |\n",
			name, t.n, t.within(t.different), t.equivalent, t.open, t.unstable, stats.Median(t.blocks), 100*cv[0], 100*cv[1], t.bimodal, t.drift)
	}
	for _, kind := range kinds {
		var of []outcome
		for i, t := range trials {
			if t.kind == kind.name {
				of = append(of, outcomes[i])
			}
		}
		line(kind.name, count(of))
	}
	all := count(outcomes)
	line("**all**", all)
	return all.judgeSame("in the lab")
}

func printDifferent(w io.Writer, t tally) error {
	if t.n == 0 {
		return t.judgeDifferent("in the lab")
	}
	mean, se := t.meanRatio()
	fmt.Fprintf(w, "\nA true ratio of %v (ten streams and thirteen, no bottleneck) is found in %d of %d, %s, after %v blocks in the median (90 %%: %.0f).\n",
		trueRatio, t.faster, t.n, t.within(t.faster), stats.Median(t.blocks), stats.Quantile(t.blocks, 0.9))
	fmt.Fprintf(w, "CV: median %.1f %%, at most %.1f %%. The ratios' geometric mean is %.3f ± %.3f. The interval leaves the truth out in %d.\n",
		100*stats.Median(t.cvs), 100*slices.Max(t.cvs), mean, 2*se*mean, t.missed)
	missed := t.judgeDifferent("in the lab")
	if cv := stats.Median(t.cvs); cv > mostCV {
		missed = errors.Join(missed, fmt.Errorf("the arms' CV is %.3f in the median: the paths are rougher than was asked for", cv))
	}
	if math.Abs(math.Log(mean/trueRatio)) > math.Max(4*se, 0.01) {
		missed = errors.Join(missed, fmt.Errorf("the ratio that was to be %v is %.3f: the construction is wrong", trueRatio, mean))
	}
	return missed
}

// args of a comparison, of the lab and within it.
func (l lab) args(t trial) (outer, inner []string) {
	outer = []string{"lab", "exec", "--seed", fmt.Sprint(t.seed), "--path", t.path.String(), "--far", l.binary + " serve --listen :5201"}
	if t.farSysctl != "" {
		outer = append(outer, "--far-sysctl", t.farSysctl)
	}
	omit := "1s"
	if t.duration == omit {
		omit = "0s"
	}
	inner = []string{"ab", "far", "--json", "--no-save", "--duration", t.duration, "--omit", omit, "--seed", fmt.Sprint(t.seed), "--max-blocks", fmt.Sprint(l.maxBlocks)}
	for _, arm := range t.arms {
		inner = append(inner, "--arm", arm)
	}
	if t.truth == 1 {
		inner = append(inner, "--identical")
	}
	return outer, inner
}

// command is what repeats a comparison by hand.
func (l lab) command(t trial) string {
	outer, inner := l.args(t)
	for i, arg := range outer {
		if strings.ContainsAny(arg, " :%") {
			outer[i] = "'" + strings.ReplaceAll(arg, l.binary, "unchoke") + "'"
		}
	}
	return "unchoke " + strings.Join(outer, " ") + " -- unchoke " + strings.Join(inner, " ")
}

func (l lab) compare(ctx context.Context, t trial, n int) outcome {
	ctx, cancel := context.WithTimeout(ctx, labDeadline)
	defer cancel()
	outer, inner := l.args(t)
	cmd := exec.CommandContext(ctx, l.binary, slices.Concat(outer, []string{"--", l.binary}, inner)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return outcome{failed: fmt.Errorf("%w: %s", err, bytes.TrimSpace(errs.Bytes()))}
	}
	if l.documents != "" {
		if err := os.WriteFile(filepath.Join(l.documents, fmt.Sprintf("%04d.json", n)), out.Bytes(), 0o644); err != nil {
			return outcome{failed: err}
		}
	}
	var doc struct {
		Analysis compare.Analysis `json:"analysis"`
	}
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		return outcome{failed: err}
	}
	if len(doc.Analysis.Contrasts) != 1 {
		return outcome{failed: fmt.Errorf("%d contrasts", len(doc.Analysis.Contrasts))}
	}
	contrast := doc.Analysis.Contrasts[0]
	o := outcome{blocks: contrast.Blocks, answer: contrast.Answer, ratio: contrast.Ratio, missed: !holds(contrast.Interval, t.truth)}
	for _, arm := range doc.Analysis.Arms {
		o.cv = max(o.cv, arm.CV)
		o.bimodal = o.bimodal || arm.Bimodal
		o.drift = o.drift || arm.Drifts()
	}
	return o
}
