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
	"strconv"
	"time"

	report "unchoke/internal/report/vantage"
)

// insideWord begins the command line of the part that runs in a lab machine.
const insideWord = "inside"

// outcome is what came of a case.
type outcome struct {
	// Stock is what stock iperf3 carries from each place, in bit/s.
	Stock map[string]map[string]float64 `json:"stock_bps"` // place, up or down
	// Report is the comparison; nil where it was not asked for.
	Report *report.Report `json:"report,omitempty"`
}

// runInside builds a case's topology in the lab machine or the namespaces that it
// runs in, measures, and prints the outcome as JSON.
func runInside(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet(insideWord, flag.ContinueOnError)
	flags.SetOutput(stderr)
	name := flags.String("case", "", "its name")
	program := flags.String("unchoke", "", "the program")
	rounds := flags.Int("rounds", 2, "of checks from each place")
	ssh := flags.Bool("ssh", false, "by sshd")
	stockOnly := flags.Bool("stock", false, "stock iperf3 alone, without the impairment")
	real := flags.Bool("real", false, "in namespaces of this host, not in the lab")
	if err := flags.Parse(args); err != nil {
		return err
	}
	c, ok := caseOf(*name)
	if !ok {
		return fmt.Errorf("case %q: there is none", *name)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	t := home()
	if *real {
		t = cables()
		if err := ownRun(); err != nil {
			return err
		}
	}
	if !*stockOnly {
		c.impair(t)
	}
	if err := t.build(ctx); err != nil {
		return err
	}
	if err := t.serve(ctx); err != nil {
		return err
	}
	if c.busy && !*stockOnly {
		if err := t.keepBusy(ctx); err != nil {
			return err
		}
	}
	var out outcome
	var err error
	if out.Stock, err = t.stock(ctx); err != nil {
		return err
	}
	if !*stockOnly {
		from := []string{"netns:pc", "netns:router", "netns:cloud"}
		if *ssh {
			if err := t.serveSSH(ctx); err != nil {
				return err
			}
			from = []string{"local", "ssh://router", "ssh://cloud"}
		}
		args := []string{"check", target, "--json", "--rounds", strconv.Itoa(*rounds)}
		for _, place := range from {
			args = append(args, "--from", place)
		}
		cmd := exec.CommandContext(ctx, *program, args...)
		if *ssh {
			cmd = t.on(ctx, "pc", *program, args...)
		}
		cmd.Stderr = stderr
		cmd.Env = append(os.Environ(), "UNCHOKE_STATE_DIR=/run/unchoke")
		text, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		out.Report = new(report.Report)
		if err := json.Unmarshal(text, out.Report); err != nil {
			return err
		}
	}
	return json.NewEncoder(stdout).Encode(out)
}

// stock is what one stream of stock iperf3 carries from each place, either way.
func (t *topology) stock(ctx context.Context) (map[string]map[string]float64, error) {
	out := map[string]map[string]float64{}
	for _, place := range places {
		out[place] = map[string]float64{}
		for direction, flag := range map[string]string{"up": "--no-delay", "down": "--reverse"} {
			rate, err := t.iperf3(ctx, place, flag)
			if err != nil {
				return nil, fmt.Errorf("iperf3 from %s: %w", place, err)
			}
			out[place][direction] = rate
		}
	}
	return out, nil
}

// stockSeconds is the length of a stock test.
const stockSeconds = 3

// iperf3 is the rate of a stock test, its start among it. A stock server that is
// not done with the test before refuses the next: it is asked again.
func (t *topology) iperf3(ctx context.Context, place, flag string) (rate float64, err error) {
	for range 10 {
		if rate, err = t.iperf3Once(ctx, place, flag); err == nil {
			return rate, nil
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(300 * time.Millisecond):
		}
	}
	return 0, err
}

func (t *topology) iperf3Once(ctx context.Context, place, flag string) (float64, error) {
	ctx, stop := context.WithTimeout(ctx, time.Minute)
	defer stop()
	var said bytes.Buffer
	cmd := t.on(ctx, place, "iperf3", "-c", target, "-J", "-t", strconv.Itoa(stockSeconds), flag)
	cmd.Stderr = &said
	text, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("%w: %s%s", err, said.String(), text)
	}
	var r struct {
		Error string `json:"error"`
		End   struct {
			Sent     struct{ Bytes float64 } `json:"sum_sent"`
			Received struct{ Bytes float64 } `json:"sum_received"`
		} `json:"end"`
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return 0, err
	}
	// A server whose clock has a coarse tick may report no time, and so no rate,
	// and its count of bytes may be missing: the sender's stands for it.
	bytes := r.End.Received.Bytes
	if bytes == 0 {
		bytes = r.End.Sent.Bytes
	}
	if bytes == 0 {
		return 0, errors.New("no bytes: " + r.Error)
	}
	return bytes * 8 / stockSeconds, nil
}
