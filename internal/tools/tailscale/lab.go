package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/state"
)

// lab runs cases: each in a machine of its own.
type lab struct {
	unchoke string
	tailnet string // the program that makes the network
	quick   bool   // quick checks, and a glance at what one stream carries
	save    string // the directory in which documents are kept; empty: nowhere
}

// errNoTailnet means that Tailscale was not built.
var errNoTailnet = errors.New("tailscale is not built: make tailnet")

func newLab(unchoke string, quick bool, save string) (lab, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return lab{}, err
	}
	dir := filepath.Join(cache, "unchoke", "tailnet")
	if _, err := os.Stat(filepath.Join(dir, "version")); err != nil {
		return lab{}, errNoTailnet
	}
	return lab{unchoke: unchoke, tailnet: filepath.Join(dir, "tailnet"), quick: quick, save: save}, nil
}

// outcome is what the check said of a case, and what stock iperf3 carried in one stream, in
// Mbit/s: on a path that changes, where it goes directly all the time.
type outcome struct {
	testCase
	said     said
	up, down float64
}

// said is what is read of the check's document.
type said struct {
	Path struct {
		Tunnel record.Tunnel `json:"tunnel"`
	} `json:"path"`
	Transfers []record.Transfer `json:"transfers"`
	Findings  []finding.Finding `json:"findings"`
	Verdict   finding.Cause     `json:"verdict"`
}

// farInside is far's address in the network.
const farInside = "100.64.0.1"

// iperf3 is the shell command for one stream of stock iperf3, past its slow start: of six
// seconds, or two where a glance will do. One that found no server is run again: the last
// test's end may still be under way there. With -J, iperf3 3.12 says so in its report alone,
// and exits with 0.
func (l lab) iperf3(options string) string {
	length := "-O 2 -t 6"
	if l.quick {
		length = "-O 1 -t 2"
	}
	run := "iperf3 -J " + length + " -c " + farInside + options + " > /tmp/stream"
	return "for try in 1 2 3 4 5; do " + run + "; grep -q '\"error\":' /tmp/stream || break; sleep 2; done; cat /tmp/stream; "
}

func (l lab) run(ctx context.Context, name string, c testCase) (outcome, error) {
	out, err := l.documents(ctx, c)
	if err != nil {
		return outcome{}, err
	}
	if l.save != "" {
		keep := func(w io.Writer) error { _, err := w.Write(out); return err }
		if err := state.Replace(filepath.Join(l.save, name+".json"), keep); err != nil {
			return outcome{}, err
		}
	}
	return read(c, out)
}

// documents are stock iperf3's reports of a case and the check's.
func (l lab) documents(ctx context.Context, c testCase) ([]byte, error) {
	check := l.unchoke + " check --no-save --json " + farInside
	if l.quick && !c.flips() { // a quick one may be over before the path has changed
		check += " --quick"
	}
	streams := l.iperf3("") + l.iperf3(" -R")
	if !c.flips() {
		return l.exec(ctx, c, streams+check)
	}
	steady := c
	steady.way = direct
	out, err := l.exec(ctx, steady, streams)
	if err != nil {
		return nil, err
	}
	said, err := l.exec(ctx, c, check) // its time begins with the command
	return append(out, said...), err
}

// exec runs a shell script in the network of a case.
func (l lab) exec(ctx context.Context, c testCase, script string) ([]byte, error) {
	args := []string{"lab", "exec", "--path", c.path, "--far", strings.Join(append(append([]string{l.tailnet, "far"}, c.far()...), "--", "iperf3", "-s"), " "), "--", l.tailnet, "near"}
	args = append(append(args, c.near()...), "--", "sh", "-c", script)
	cmd := exec.CommandContext(ctx, l.unchoke, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}

// read takes the documents of a case's commands apart.
func read(c testCase, out []byte) (outcome, error) {
	o := outcome{testCase: c}
	documents := json.NewDecoder(bytes.NewReader(out))
	for _, rate := range []*float64{&o.up, &o.down} {
		var report struct {
			Error string `json:"error"`
			End   struct {
				Received struct {
					Rate float64 `json:"bits_per_second"`
				} `json:"sum_received"`
			} `json:"end"`
		}
		if err := documents.Decode(&report); err != nil {
			return o, fmt.Errorf("read iperf3's report: %w", err)
		}
		if report.Error != "" {
			return o, fmt.Errorf("stock iperf3: %s", report.Error)
		}
		*rate = report.End.Received.Rate / 1e6
	}
	if err := documents.Decode(&o.said); err != nil {
		return o, fmt.Errorf("read the check: %w", err)
	}
	return o, nil
}
