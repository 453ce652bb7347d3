package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"unchoke/internal/lab/preset"
)

// page is what the article of the preset cross-border loaded: 2300 KiB, as iperf3
// writes it.
const page = "2300K"

// pageSeeds are the loads of each algorithm, a seed each.
const pageSeeds = 6

// load is one transfer of the page.
type load struct {
	seconds float64
	rate    float64 // byte/s
}

// pages loads the page of the preset cross-border with each of its arms, with stock
// iperf3 on both sides, and prints the fastest and the slowest load.
func pages(ctx context.Context, unchoke string, stdout io.Writer) error {
	p, err := preset.Find("cross-border")
	if err != nil {
		return err
	}
	fmt.Fprint(stdout, "\n| page of 2.3 MB | ours |\n|---|---:|\n")
	for _, arm := range p.Arms {
		cc := strings.TrimPrefix(arm, "cc=")
		var all []load
		for seed := 1; seed <= pageSeeds; seed++ {
			l, err := loadPage(ctx, unchoke, p.Path, cc, seed)
			if err != nil {
				return fmt.Errorf("page with %s, seed %d: %w", cc, seed, err)
			}
			all = append(all, l)
		}
		fmt.Fprintf(stdout, "| %s | %s |\n", cc, loads(all))
	}
	return nil
}

// loadPage is one load in a lab of its own.
func loadPage(ctx context.Context, unchoke, path, cc string, seed int) (load, error) {
	out, err := output(ctx, unchoke, "lab", "exec", "--seed", fmt.Sprint(seed), "--path", path,
		"--far", "iperf3 -s", "--", "iperf3", "-c", "far", "-R", "-n", page, "-C", cc, "--json")
	if err != nil {
		return load{}, err
	}
	return loaded(out)
}

// loaded reads a load from what iperf3 says in JSON.
func loaded(text []byte) (load, error) {
	var said struct {
		Error string `json:"error"`
		End   struct {
			Received struct {
				Seconds float64 `json:"seconds"`
				Bytes   float64 `json:"bytes"`
			} `json:"sum_received"`
		} `json:"end"`
	}
	if err := json.Unmarshal(text, &said); err != nil {
		return load{}, fmt.Errorf("iperf3's JSON: %w", err)
	}
	received := said.End.Received
	switch {
	case said.Error != "":
		return load{}, fmt.Errorf("iperf3: %s", said.Error)
	case received.Seconds <= 0 || received.Bytes <= 0:
		return load{}, errors.New("iperf3 received nothing")
	}
	return load{seconds: received.Seconds, rate: received.Bytes / received.Seconds}, nil
}

// loads are the rates and times of all loads, slowest first, in words.
func loads(all []load) string {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b load) int {
		return cmp.Compare(b.seconds, a.seconds)
	})
	words := make([]string, len(sorted))
	for i, l := range sorted {
		words[i] = fmt.Sprintf("%.0f", l.rate/1e3)
	}
	slowest, fastest := sorted[0], sorted[len(sorted)-1]
	return fmt.Sprintf("%s KB/s; %.1f–%.1f s", strings.Join(words, ", "), fastest.seconds, slowest.seconds)
}
