package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"unchoke/internal/app"
	"unchoke/internal/vantage"
)

// places are the hosts from which is measured.
var places = []string{"pc", "router", "cloud"}

// impaired is the share of its rate without the impairment below which a place
// is slower for it.
const impaired = 0.7

// surely is the confidence from which a wrong place counts as said surely.
const surely = 0.8

type bench struct {
	program, self string
	rounds        int
	ssh           bool
	save          string
	out           io.Writer
}

// run measures all cases and counts.
func (b bench) run(ctx context.Context, chosen []aCase) error {
	without := map[bool]outcome{} // by whether it is in real time
	right := 0
	for _, c := range chosen {
		free, known := without[c.busy]
		if !known {
			var err error
			if free, err = b.inside(ctx, c, true); err != nil {
				return err
			}
			without[c.busy] = free
		}
		o, err := b.inside(ctx, c, false)
		if err != nil {
			return err
		}
		slower := slowed(free, o)
		if (len(slower) > 0) != (c.want.Kind != "") {
			return fmt.Errorf("case %s: stock iperf3 is slower from %v than without the impairment: it is not the case that it is said to be", c.name, slower)
		}
		ok, found := judge(c, o.Report.Comparison)
		if ok {
			right++
		}
		word := map[bool]string{true: "right", false: "WRONG"}[ok]
		fmt.Fprintf(b.out, "%-16s %s  slower by stock iperf3: %v; said: %s\n", c.name, word, slower, found)
	}
	fmt.Fprintf(b.out, "the place is right in %d of %d\n", right, len(chosen))
	if right < len(chosen) {
		return errors.New("not all places are right")
	}
	return nil
}

// slowed are the places that the case makes slower, by stock iperf3.
func slowed(free, with outcome) []string {
	var out []string
	for _, p := range places {
		for _, d := range []string{"down", "up"} {
			if with.Stock[p][d] < impaired*free.Stock[p][d] && !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}

// judge says whether a comparison tells the case's place and no other. That the
// home's line carries less than the cloud's is so in every case.
func judge(c aCase, said vantage.Comparison) (ok bool, found string) {
	all := append(slices.Clone(said.Differences), said.Shared...)
	hit, wrong := false, false
	for _, x := range all {
		at := vantage.Segment{Kind: x.Segment.Kind, From: host(x.Segment.From), To: host(x.Segment.To)}
		if x.Cause == "" && at == homeLine {
			continue
		}
		found += fmt.Sprintf("%s (%s, %.2f); ", at.Words(), cmp.Or(string(x.Cause), "rate"), x.Confidence)
		switch {
		case at == c.want:
			hit = true
		case x.Confidence >= surely || x.Segment.Kind != vantage.KindUnclear:
			wrong = true
		}
	}
	if found == "" {
		found = "nothing differs but the home's line"
	}
	return !wrong && hit == (c.want.Kind != ""), found
}

// host is the host that a place's name stands for.
func host(place string) string {
	if place == app.LocalPlace {
		return "pc"
	}
	return place[strings.LastIndexAny(place, ":/")+1:]
}

// inside runs a case in a lab machine of its own, or in namespaces of this host.
func (b bench) inside(ctx context.Context, c aCase, stockOnly bool) (outcome, error) {
	args := []string{
		insideWord, "-case", c.name, "-unchoke", b.program, fmt.Sprint("-rounds=", b.rounds),
		fmt.Sprint("-ssh=", b.ssh || c.busy), fmt.Sprint("-stock=", stockOnly),
	}
	run := b.lab
	if c.busy {
		run = b.real
	}
	text, err := run(ctx, args...)
	if err != nil {
		return outcome{}, fmt.Errorf("case %s: %w", c.name, err)
	}
	var o outcome
	if err := json.Unmarshal(text, &o); err != nil {
		return o, fmt.Errorf("case %s: %w", c.name, err)
	}
	if b.save != "" && !stockOnly {
		if err := os.MkdirAll(b.save, 0o755); err != nil {
			return o, err
		}
		return o, os.WriteFile(filepath.Join(b.save, c.name+".json"), text, 0o644)
	}
	return o, nil
}

// lab runs this program in a lab machine.
func (b bench) lab(ctx context.Context, args ...string) ([]byte, error) {
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, b.program, append([]string{"lab", "exec", "--path", "rtt=1ms", "--", b.self}, args...)...)
	cmd.Stderr = &said
	text, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, said.String())
	}
	return text, err
}
