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
	free, err := stock(ctx, binary, t)
	if err != nil {
		return "", err
	}
	t.Path.Up.Order, t.Path.Down.Order = path.Keep, path.Keep
	kept, err := stock(ctx, binary, t)
	if err != nil {
		return "", err
	}
	if free.Rate > harmless*kept.Rate && free.Rate > harmless*goodputShare*float64(t.Path.Up.Rate) {
		return diagnose.Healthy, nil
	}
	return diagnose.Reordering, nil
}

// sendBufferTruth tells whether a small maximum of the send buffer holds one
// stream back, and nothing else does. The kernel lets a writer of large blocks
// have several times its buffer in flight, the more the smaller it is, and a
// burst of that may be more than the queue takes; so stock iperf3 decides. ok is
// false where it loses packets: that path is no example of one cause.
func sendBufferTruth(ctx context.Context, binary string, t trial) (cause diagnose.Cause, ok bool, err error) {
	held, err := stock(ctx, binary, t)
	if err != nil {
		return "", false, err
	}
	if held.Rate > harmless*goodputShare*float64(t.Path.Up.Rate) {
		return diagnose.Healthy, true, nil
	}
	return diagnose.SendBuffer, held.Retransmits == 0, nil
}

// goodputShare of a rate is payload, headers and a tunnel taken off.
const goodputShare = 0.93

// transfer is what became of one stream of stock iperf3.
type transfer struct {
	Rate        float64 // bit/s, after its first seconds
	Retransmits int     // then
}

// stock sends one stream of stock iperf3 up, or down where far is the host with
// another setting.
func stock(ctx context.Context, binary string, t trial) (transfer, error) {
	args := append(labArgs(t), "--", "iperf3", "-c", "far", "-t", "6", "-O", "4", "-J")
	if len(t.FarSysctl) > 0 {
		args = append(args, "-R")
	}
	cmd := exec.CommandContext(ctx, binary, args...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return transfer{}, fmt.Errorf("stock iperf3 on %v: %w: %s%s", t, err, bytes.TrimSpace(errs.Bytes()), complaint(out))
	}
	var doc struct {
		End struct {
			Sum struct {
				Rate float64 `json:"bits_per_second"`
			} `json:"sum_received"`
			Sent struct {
				Retransmits int `json:"retransmits"`
			} `json:"sum_sent"`
		} `json:"end"`
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		return transfer{}, fmt.Errorf("stock iperf3 on %v: %w", t, err)
	}
	return transfer{doc.End.Sum.Rate, doc.End.Sent.Retransmits}, nil
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
