// Fetching asks how often a check of a URL is right: on lab paths with nginx,
// Caddy and a program that paces behind TLS. What is wrong with a path is decided
// by stock curl, on it and again without the impairment: where that carries no
// quarter more, the path is healthy. A deep queue's truth is ping's beside curl.
// It prints what is right, unknown and wrong, and fails where a figure is missed.
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
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"unchoke/internal/diagnose"
	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/tools/tool"
)

func main() { tool.Main("fetching", run) }

// outcome is what came of a job.
type outcome struct {
	Job     job           `json:"job"`
	With    float64       `json:"with_bps"`    // stock curl
	Without float64       `json:"without_bps"` // the same, with the impairment taken away
	Idle    float64       `json:"idle_rtt_s"`  // ping's
	Loaded  float64       `json:"loaded_rtt_s"`
	Truth   finding.Cause `json:"truth"`
	Run     *record.Run   `json:"run"`
}

type bench struct {
	unchoke, dir string
	machines     int
	progress     io.Writer
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("fetching", flag.ContinueOnError)
	flags.SetOutput(stderr)
	unchoke := flags.String("unchoke", "bin/unchoke", "the binary")
	seed := flags.Uint64("draw", 1, "seed of the draw")
	n := flags.Int("n", 40, "paths")
	b := &bench{progress: stderr}
	flags.StringVar(&b.dir, "save", "", "keep outcomes in this directory, and go on from those in it")
	flags.IntVar(&b.machines, "machines", 1, "lab machines at a time")
	only := flags.String("only", "", "of the draw, the paths of these numbers alone: 3,17")
	least := flags.Float64("least", 0, "share that must be right or unknown")
	most := flags.Float64("most-wrong", 1, "share that may be wrong")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var err error
	if b.unchoke, err = filepath.Abs(*unchoke); err != nil {
		return err
	}
	var jobs []job
	for i := range *n {
		if *only == "" || slices.Contains(strings.Split(*only, ","), strconv.Itoa(i)) {
			jobs = append(jobs, draw(*seed, i))
		}
	}
	outcomes, err := b.all(ctx, jobs)
	return errors.Join(err, report(stdout, outcomes, *least, *most))
}

func (b *bench) all(ctx context.Context, jobs []job) ([]outcome, error) {
	var mu sync.Mutex
	var out []outcome
	var failures []error
	tool.Each(ctx, b.machines, jobs, func(j job) {
		o, err := b.kept(ctx, j)
		mu.Lock()
		defer mu.Unlock()
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w", j.Name, err))
			fmt.Fprintf(b.progress, "FAIL %s: %v\n", j.Name, err)
			return
		}
		out = append(out, o)
		fmt.Fprintln(b.progress, o.line())
	})
	slices.SortFunc(out, func(x, y outcome) int { return strings.Compare(x.Job.Name, y.Job.Name) })
	return out, errors.Join(append(failures, ctx.Err())...)
}

// kept is an outcome that was kept, or a new one. What is kept is judged anew.
func (b *bench) kept(ctx context.Context, j job) (o outcome, err error) {
	file := filepath.Join(b.dir, j.Name+".json")
	if text, err := os.ReadFile(file); err == nil && b.dir != "" {
		return o, json.Unmarshal(text, &o)
	}
	if o, err = b.one(ctx, j); err != nil || b.dir == "" {
		return o, err
	}
	text, err := json.Marshal(o)
	return o, errors.Join(err, os.MkdirAll(b.dir, 0o777), os.WriteFile(file, text, 0o666))
}

const curl = `sleep 1; export SSL_CERT_FILE=/tmp/web/cert.pem UNCHOKE_STATE_DIR=/tmp/state; ping -c 20 -i 0.05 -q far | tail -1; ` +
	`(sleep 3; ping -c 40 -i 0.1 -q far | tail -1 > /tmp/loaded) & ` +
	`curl -s -m 9 --http1.1 --cacert /tmp/web/cert.pem -o /dev/null -w '%{size_download} %{time_starttransfer} %{time_total}\n' https://far/film.mkv; wait; cat /tmp/loaded; `

func (b *bench) one(ctx context.Context, j job) (o outcome, err error) {
	o.Job = j
	check := b.unchoke + ` check -4 --budget 24s https://far/film.mkv > /dev/null && zcat -f $(find /tmp/state -type f -name '*-*' | head -1)`
	text, err := b.lab(ctx, j.Lab, j.Scene, curl+check)
	if err != nil {
		return o, err
	}
	o.With, o.Idle, o.Loaded, text, err = measured(text)
	if err != nil {
		return o, err
	}
	if o.Run, err = record.Read(strings.NewReader(text)); err != nil {
		return o, err
	}
	if text, err = b.lab(ctx, j.Lab, j.Without, curl); err != nil {
		return o, err
	}
	o.Without, _, _, _, err = measured(text)
	o.Truth = o.truth()
	return o, err
}

// measured reads what ping and curl said, and returns what follows.
func measured(text string) (rate, idle, loaded float64, rest string, err error) {
	lines := strings.SplitN(text, "\n", 4)
	if len(lines) < 4 {
		return 0, 0, 0, "", fmt.Errorf("no result in %q", text)
	}
	var size, first, total float64
	if _, err := fmt.Sscan(lines[1], &size, &first, &total); err != nil {
		return 0, 0, 0, "", fmt.Errorf("curl said %q: %w", lines[1], err)
	}
	if total > first {
		rate = size * 8 / (total - first)
	}
	return rate, pinged(lines[0]), pinged(lines[2]), lines[3], nil
}

// pinged is the mean of "rtt min/avg/max/mdev = 1/2/3/4 ms".
func pinged(line string) float64 {
	_, figures, _ := strings.Cut(line, "= ")
	parts := strings.Split(figures, "/")
	if len(parts) < 4 {
		return 0
	}
	ms, _ := strconv.ParseFloat(parts[1], 64)
	return ms / 1e3
}

// gains: what is taken away mattered where curl carries so much more without it.
const gains = 1.25

func (o outcome) truth() finding.Cause {
	bloated := o.Loaded > 2*o.Idle && o.Loaded-o.Idle > 0.1
	switch {
	case o.Job.Cause == finding.Bufferbloat || o.Job.Cause == "":
		if bloated {
			return finding.Bufferbloat
		}
		return finding.Healthy
	case o.Without >= gains*o.With:
		return o.Job.Cause
	case bloated:
		return finding.Bufferbloat
	}
	return finding.Healthy
}

const labTimeout = 10 * time.Minute

func (b *bench) lab(ctx context.Context, seed uint64, s scene, near string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, labTimeout)
	defer cancel()
	args := []string{"lab", "exec", "--seed", fmt.Sprint(seed), "--path", s.Path}
	if s.Near != "" {
		args = append(args, "--near-sysctl", s.Near)
	}
	if s.Far != "" {
		args = append(args, "--far-sysctl", s.Far)
	}
	far := fmt.Sprintf("PACE=%s sh -c %s far %s %s %s", quote(paceServer), quote(farScript), s.Server, quote(s.Limit), s.File)
	cmd := exec.CommandContext(ctx, b.unchoke, append(args, "--far", far, "--", "sh", "-c", near)...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", s.Path, err, bytes.TrimSpace(errs.Bytes()))
	}
	return out.String(), nil
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func (o outcome) said() finding.Finding {
	all := diagnose.Diagnose(o.Run)
	if len(all) == 0 {
		return finding.Finding{Cause: finding.Unclear}
	}
	return all[0]
}

func (o outcome) line() string {
	said := o.said()
	word := "wrong"
	switch said.Cause {
	case o.Truth:
		word = "right"
	case finding.Unclear:
		word = "unknown"
	}
	return fmt.Sprintf("%-7s %s %s: %s, said %s (%.2f); curl %.3g, without %.3g bit/s; %s %s %s %s",
		word, o.Job.Name, o.Job.Family, o.Truth, said.Cause, said.Confidence, o.With, o.Without, o.Job.Scene.Path, o.Job.Scene.Near+o.Job.Scene.Far, o.Job.Scene.Server, o.Job.Scene.Limit)
}

// report prints the shares, and each that is not right.
func report(w io.Writer, all []outcome, least, most float64) error {
	right, unknown, wrong := 0, 0, 0
	for _, o := range all {
		switch said := o.said(); said.Cause {
		case o.Truth:
			right++
			continue
		case finding.Unclear:
			unknown++
		default:
			wrong++
		}
		fmt.Fprintf(w, "%s\n     %s\n", o.line(), o.said().Summary)
	}
	n := float64(max(len(all), 1))
	fmt.Fprintf(w, "\nOf %d paths: right %d (%.0f %%), unknown from this side %d (%.0f %%), wrong %d (%.0f %%).\n",
		len(all), right, 100*float64(right)/n, unknown, 100*float64(unknown)/n, wrong, 100*float64(wrong)/n)
	var errs []error
	if good := float64(right+unknown) / n; good < least {
		errs = append(errs, fmt.Errorf("right or unknown: %.2f, the goal is %.2f", good, least))
	}
	if bad := float64(wrong) / n; bad > most {
		errs = append(errs, fmt.Errorf("wrong: %.2f, the goal is %.2f", bad, most))
	}
	return errors.Join(errs...)
}
