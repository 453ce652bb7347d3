package main

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/lab/labtest"
	"unchoke/internal/path"
	"unchoke/internal/record"
)

// Draws are by seed and number alone, in the path language, and differ from the
// path without the impairment.
func TestDraws(t *testing.T) {
	seen := map[string]bool{}
	for i := range 300 {
		j := draw(7, i)
		if !reflect.DeepEqual(j, draw(7, i)) || reflect.DeepEqual(j.Scene, draw(8, i).Scene) {
			t.Errorf("path %d is not by the seed", i)
		}
		seen[j.Family] = true
		for _, s := range []scene{j.Scene, j.Without} {
			if _, err := path.Parse(s.Path); err != nil {
				t.Errorf("%s: %v", s.Path, err)
			}
		}
		if (j.Cause != "") == reflect.DeepEqual(j.Scene, j.Without) {
			t.Errorf("%s: what is wrong is %q, and without it %+v is %+v", j.Name, j.Cause, j.Scene, j.Without)
		}
	}
	for _, f := range families {
		if !seen[f] {
			t.Errorf("%s was not drawn", f)
		}
	}
}

func TestMeasured(t *testing.T) {
	rate, idle, loaded, rest, err := measured("rtt min/avg/max/mdev = 1.0/20.0/30.0/0.1 ms\n1000000 0.5 8.5\nrtt min/avg/max/mdev = 1.0/150.5/30.0/0.1 ms\n{}\n")
	if err != nil || rate != 1e6 || idle != 0.02 || loaded != 0.1505 || rest != "{}\n" {
		t.Error(rate, idle, loaded, rest, err)
	}
	for _, text := range []string{"", "a\nb\nc\nd"} {
		if _, _, _, _, err := measured(text); err == nil {
			t.Errorf("%q is a measurement", text)
		}
	}
}

func TestTruth(t *testing.T) {
	lossy := job{Cause: finding.LossLimited}
	for _, c := range []struct {
		o    outcome
		want finding.Cause
	}{
		{outcome{Job: lossy, With: 1e6, Without: 2e6}, finding.LossLimited},
		{outcome{Job: lossy, With: 1e6, Without: 1.1e6}, finding.Healthy},
		{outcome{Job: lossy, With: 1e6, Without: 1e6, Idle: 0.02, Loaded: 0.2}, finding.Bufferbloat},
		{outcome{Job: job{Cause: finding.Bufferbloat}, With: 1e6, Without: 2e6, Idle: 0.1, Loaded: 0.15}, finding.Healthy},
		{outcome{With: 1e6, Without: 2e6}, finding.Healthy},
	} {
		if got := c.o.truth(); got != c.want {
			t.Errorf("%+v: %s, want %s", c.o, got, c.want)
		}
	}
}

func TestGate(t *testing.T) {
	o := outcome{Truth: finding.Policed, Run: &record.Run{Fetch: &record.Fetch{Probe: &record.SegmentProbe{Passed: true}}}}
	var out bytes.Buffer
	if err := report(&out, []outcome{o}, 0.9, 0.05); err == nil || !strings.Contains(err.Error(), "wrong: 1.00") || !strings.Contains(out.String(), "wrong 1 (100 %)") {
		t.Errorf("%v\n%s", err, &out)
	}
}

// A path that loses, end to end: nginx with TLS, curl and a check of its URL.
func TestOnePath(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow for -short")
	}
	b := &bench{unchoke: labtest.NeedLab(t), dir: t.TempDir(), progress: t.Output()}
	clean := scene{Path: "rtt=40ms,rate=12mbit,queue=60p", Server: "nginx", File: whole}
	j := job{Name: "one", Lab: 1, Scene: clean, Without: clean, Cause: finding.LossLimited}
	j.Scene.Path += ",down.loss=1.5%"
	o, err := b.kept(t.Context(), j)
	if err != nil {
		t.Fatal(err)
	}
	if o.Truth != finding.LossLimited || o.said().Cause != o.Truth {
		t.Error(o.line())
	}
	b.unchoke = "/nowhere"
	if again, err := b.kept(t.Context(), j); err != nil || again.said().Cause != o.said().Cause {
		t.Errorf("what was kept: %v", err)
	}
}
