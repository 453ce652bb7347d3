package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"

	"unchoke/internal/diagnose"
	"unchoke/internal/path"
)

// harmless: where a stream carries at least this share of the path's rate, and
// of what it carries with the order kept, reordering does it no harm, and the
// path is healthy.
const harmless = 0.8

// reorderingTruth tells whether the jitter of a path slows one stream down by
// reordering: whether TCP gets by with it depends on more than its size, so
// stock iperf3 runs on the path as it is and on the same with its order kept.
func reorderingTruth(ctx context.Context, binary string, t trial) (diagnose.Cause, error) {
	free, err := stockRate(ctx, binary, t)
	if err != nil {
		return "", err
	}
	t.Path.Up.Order, t.Path.Down.Order = path.Keep, path.Keep
	kept, err := stockRate(ctx, binary, t)
	if err != nil {
		return "", err
	}
	if free > harmless*kept && free > harmless*goodputShare*float64(t.Path.Up.Rate) {
		return diagnose.Healthy, nil
	}
	return diagnose.Reordering, nil
}

// goodputShare of a rate is payload, headers and a tunnel taken off.
const goodputShare = 0.93

// stockRate is what one stream of stock iperf3 carries up, in bit/s, after
// its first seconds.
func stockRate(ctx context.Context, binary string, t trial) (float64, error) {
	args := append(labArgs(t), "--", "iperf3", "-c", "far", "-t", "6", "-O", "4", "-J")
	cmd := exec.CommandContext(ctx, binary, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("stock iperf3 on %v: %w: %s%s", t, err, bytes.TrimSpace(errs.Bytes()), complaint(out))
	}
	var doc struct {
		End struct {
			Sum struct {
				Rate float64 `json:"bits_per_second"`
			} `json:"sum_received"`
		} `json:"end"`
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		return 0, fmt.Errorf("stock iperf3 on %v: %w", t, err)
	}
	return doc.End.Sum.Rate, nil
}

// complaint is what a failed iperf3 -J says of itself, which it says in its
// document.
func complaint(out []byte) string {
	var doc struct {
		Error string `json:"error"`
	}
	if json.Unmarshal(out, &doc) != nil || doc.Error == "" {
		return ""
	}
	return "; iperf3: " + doc.Error
}
