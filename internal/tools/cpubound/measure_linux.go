package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// iperf is what one stream of stock iperf3 carries in a direction, in bit/s.
func (r *rig) iperf(ctx context.Context, d record.Direction, length time.Duration) (float64, error) {
	args := []string{
		"--client", r.far.inner.String(), "--json", "--omit", "1",
		"--time", strconv.Itoa(int(length.Seconds())), "--connect-timeout", "5000",
	}
	if d == record.Down {
		args = append(args, "--reverse")
	}
	out, err := r.output(ctx, r.near, "iperf3", args...)
	if err != nil {
		return 0, err
	}
	var said struct {
		End struct {
			Received struct {
				Rate float64 `json:"bits_per_second"`
			} `json:"sum_received"`
		} `json:"end"`
	}
	if err := json.Unmarshal(out, &said); err != nil {
		return 0, fmt.Errorf("read what iperf3 printed: %w", err)
	}
	return said.End.Received.Rate, nil
}

// verdict is what a check said of one direction.
type verdict struct {
	cause   finding.Cause
	ceiling float64 // that it named, in bit/s; 0 where it named none
	sure    float64
}

// ceilingWords is the evidence that names a ceiling.
const ceilingWords = "at 100 % this carries"

// check runs the program, and returns what it said by direction.
func (r *rig) check(ctx context.Context, unchoke, state string) (map[record.Direction]verdict, error) {
	out, err := r.output(ctx, r.near, "env", "XDG_STATE_HOME="+state, unchoke, "check", "--json", r.far.inner.String())
	if err != nil {
		return nil, err
	}
	return parseCheck(out)
}

func parseCheck(document []byte) (map[record.Direction]verdict, error) {
	var said struct {
		Findings []finding.Finding `json:"findings"`
	}
	if err := json.Unmarshal(document, &said); err != nil {
		return nil, fmt.Errorf("read what check printed: %w", err)
	}
	out := map[record.Direction]verdict{}
	for _, f := range said.Findings {
		if _, known := out[f.Direction]; known {
			continue // the leading one is the verdict
		}
		v := verdict{cause: f.Cause, sure: f.Confidence}
		for _, e := range f.Evidence {
			if e.What == ceilingWords {
				v.ceiling = e.Value
			}
		}
		out[f.Direction] = v
	}
	return out, nil
}
