package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"os/exec"
	"time"

	"unchoke/internal/stats"
)

// costRate is what the observed program sends over loopback, in bit/s, and
// costSeconds for how long: the same work in each run.
const (
	costRate    = 300e6
	costSeconds = 8
)

// cost compares the processor time of an iperf3 that is looked at with that of
// one that is not, in pairs whose order alternates. most is the share that the
// look may cost it.
func (b *bench) cost(ctx context.Context, pairs int, most float64, w io.Writer) error {
	var logs []float64
	for i := range pairs {
		var spent [2]float64 // without, with
		for k := range 2 {
			with := (i + k) % 2
			var err error
			if spent[with], err = b.observed(ctx, with == 1); err != nil {
				return err
			}
		}
		logs = append(logs, math.Log(spent[1]/spent[0]))
		fmt.Fprintf(b.progress, "pair %d: %.3f s without, %.3f s with\n", i+1, spent[0], spent[1])
	}
	in := stats.MeanInterval(logs, 0.95)
	mean := math.Exp(stats.Mean(logs)) - 1
	fmt.Fprintf(w, "Processor time of the observed program: %+.1f %% [%+.1f, %+.1f] of %d pairs.\n", 100*mean, 100*(math.Exp(in.Low)-1), 100*(math.Exp(in.High)-1), pairs)
	return short(math.Exp(in.Low)-1 > most, "processor time that a look costs the observed program", mean, most)
}

// observed is how many seconds of a processor iperf3 takes to send.
func (b *bench) observed(ctx context.Context, look bool) (seconds float64, err error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	port := fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
	l.Close()
	server := exec.CommandContext(ctx, "iperf3", "-s", "-1", "-p", port)
	if err := server.Start(); err != nil {
		return 0, err
	}
	defer func() { _, _ = server.Process.Kill(), server.Wait() }()
	time.Sleep(300 * time.Millisecond) // until it listens
	if look {
		looked := make(chan error, 1)
		go func() {
			time.Sleep(time.Second)
			looked <- exec.CommandContext(ctx, b.unchoke, "check", "--flow", "dport = "+port, "--for", fmt.Sprintf("%ds", costSeconds-3), "--no-save", "--json").Run()
		}()
		defer func() {
			if failed := <-looked; failed != nil {
				err = errors.Join(err, fmt.Errorf("look at the observed program: %w", failed))
			}
		}()
	}
	out, err := exec.CommandContext(ctx, "iperf3", "-c", "127.0.0.1", "-p", port, "-t", fmt.Sprint(costSeconds), "-b", fmt.Sprintf("%.0f", costRate), "-J").Output()
	if err != nil {
		return 0, fmt.Errorf("run iperf3: %w", err)
	}
	var result struct {
		End struct {
			Sum struct {
				Bytes float64 `json:"bytes"`
			} `json:"sum_sent"`
			CPU struct {
				Total float64 `json:"host_total"`
			} `json:"cpu_utilization_percent"`
		} `json:"end"`
	}
	if err := json.Unmarshal(out, &result); err != nil || result.End.Sum.Bytes == 0 {
		return 0, fmt.Errorf("read iperf3's result: %w", errors.Join(err, errors.New("it sent nothing")))
	}
	return result.End.CPU.Total / 100 * costSeconds * costRate * costSeconds / 8 / result.End.Sum.Bytes, nil
}
