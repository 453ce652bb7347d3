package view

import (
	"testing"

	"unchoke/internal/diagnose/diagnosetest"
	"unchoke/internal/record"
)

// Jitter that keeps the order is told by probes that come together, also where it is shorter
// than the idle ones are apart; others' queues and packets that overtake are not taken for it.
func TestReleases(t *testing.T) {
	for file, want := range map[string]bool{
		"shallow-buffer--jitter-that-lets-packets-go-at-once":                        true,
		"several/congested+shallow-buffer--jitter-shorter-than-the-probes-are-apart": true,
		"congested--beside-a-deep-queue-in-wireguard":                                false,
		"congested--one-cubic-that-creeps-by-an-eighth":                              false,
		"several/shallow-buffer+reordering--overtaken-up-at-a-sixth-of-the-path":     false,
	} {
		v := Of(load(t, "testdata/"+file+".json.gz"), record.Down)
		if v.Releases() != want {
			t.Errorf("%s: %v", file, !want)
		}
	}
}

// What such jitter does is no queue of others, and what a sender notices beside it no packet
// that overtook another, however few were sent evenly.
func TestJitterThatReleases(t *testing.T) {
	v := Of(load(t, "testdata/shallow-buffer--jitter-that-lets-packets-go-at-once.json.gz"), record.Down)
	if _, others := v.Others(); others || !v.Moves() || !v.Jittery() || v.Creeps() {
		t.Errorf("others %v, moves %v, jittery %v, creeps %v", others, v.Moves(), v.Jittery(), v.Creeps())
	}
	v.Strays.N, v.Strays.K, v.Losses.ReordSeen = 10, 0, 5
	if v.Overtaken() {
		t.Error("ten packets in order, and yet overtaken")
	}
	diagnosetest.ComeApart(v.Run)
	if v.Releases() || !v.Overtaken() {
		t.Errorf("of probes that come apart: releases %v, overtaken %v", v.Releases(), v.Overtaken())
	}
}

// Load only makes packets wait longer behind jitter that keeps the order: where the RTT falls
// all the same, others gave way.
func TestOthersBehindJitterGiveWay(t *testing.T) {
	v := Of(load(t, "testdata/several/congested+shallow-buffer--others-behind-jitter.json.gz"), record.Down)
	if !v.drains() {
		t.Fatal("an RTT that falls behind jitter is not seen")
	}
	v.Idle.Low = v.LeastSeen() + releasedBelow/2*v.Idle.Dev
	if v.drains() {
		t.Error("a tenth of a deviation is taken for others who give way")
	}
}
