package main

import (
	"strings"
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/live"
	"unchoke/internal/tools/diagnosis/draw"
	"unchoke/internal/tools/diagnosis/truth"
)

// The receiver's bytes are counted where the receiver is, and near ends when they are.
func TestOwnScripts(t *testing.T) {
	for way, counts := range map[draw.Direction]string{draw.Up: "far", draw.Down: "near"} {
		for _, p := range []program{bulk, nginx, rsync, video} {
			near, far := own{job{way: way, program: p}}.Scripts(way, truth.Seconds{Omit: 2, Count: 12})
			at, other := near, far
			if counts == "far" {
				at, other = far, near
			}
			if !strings.Contains(at, "sleep 14; count > /tmp/to") || strings.Contains(other, "count >") {
				t.Errorf("%s %s: %s / %s", p, way, near, far)
			}
			if !strings.HasSuffix(near, "cat /tmp/early /tmp/from /tmp/to; echo 12") || !strings.Contains(near, "touch /tmp/go") {
				t.Errorf("%s %s: near does not print what was counted: %s", p, way, near)
			}
		}
	}
}

func TestOwnRead(t *testing.T) {
	for text, want := range map[string]truth.Run{
		"4500000\n3000000\n15000000\n12\n": {Rate: 8e6, Early: 8e6, Complete: true},
		"4500000\n3000000\n0\n12\n":        {Early: 8e6}, // it had ended
		"0\n0\n0\n12\n":                    {},           // it never began
		"":                                 {},
		"1\n2\n3\n0\n":                     {},
	} {
		if got := (own{}).Read([]byte(text)); got != want {
			t.Errorf("%q: %+v, not %+v", text, got, want)
		}
	}
}

// A program whose buffer is smaller than iperf3's has a truth of its own.
func TestOwnTruth(t *testing.T) {
	window := truth.Truth{Causes: []truth.Cause{{Name: "receive-buffer", Words: []finding.Cause{finding.ReceiveWindow}, Direction: draw.Up, Gain: 1.6}}}
	o := outcome{Way: draw.Up, Program: nginx, Sender: &live.Flow{Verdict: finding.ReceiveWindow}, Own: &window}
	if o.right(finding.ReceiveWindow) || !o.ownRight(finding.ReceiveWindow) || o.ownRight(finding.Healthy) {
		t.Errorf("%v, itself %v", o.truths(), o.ownTruths())
	}
	if !strings.Contains(o.line(), "the transfer itself: receive-window") {
		t.Error(o.line())
	}
	if o.Own = nil; !o.ownRight(finding.Healthy) {
		t.Errorf("not asked: %v", o.ownTruths())
	}
}
