package diagnose

import (
	"slices"
	"testing"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// An idle RTT that moves slowly and little is a queue's; one that moves as far as
// jitter which keeps the order is not, nor one whose values are independent.
func TestStirred(t *testing.T) {
	v := newView(load(t, "testdata/congested--cubics-that-stir-the-idle-delay.json.gz"), record.Down)
	if _, found := v.others(); !v.slow() || !v.stirred() || !found {
		t.Fatal(v)
	}
	v.smoothness = 2
	if _, found := v.others(); v.stirred() || found {
		t.Error("independent delays are a queue's")
	}
	v = newView(load(t, "testdata/congested--cubics-that-stir-the-idle-delay.json.gz"), record.Down)
	v.idle.Dev = 0.2 * v.idle.Mid
	if v.stirred() {
		t.Error("jitter of a fifth of the RTT is others' queue")
	}
}

// A queue that stands for whatever is sent, far below the path's rate, is others'; one
// that a gentle rung does not meet is not, nor jitter.
func TestBesieged(t *testing.T) {
	const besieged = "testdata/congested--thirteen-cubics-in-front-of-bbr.json.gz"
	v := newView(load(t, besieged), record.Down)
	if others, found := v.others(); !found || others.by != byBesieging {
		t.Fatalf("others: %v, %v", others, found)
	}
	v.idle.Dev = 0.2 * v.idle.Mid
	if v.besieged() {
		t.Error("jitter of a fifth of the RTT besieges")
	}
	v = newView(load(t, besieged), record.Down)
	v.rungs[1].rise = 0
	if v.besieged() {
		t.Error("a queue that a rung does not meet stands for whatever is sent")
	}
}

// Eight streams that get more than a flood of UDP does, at a bottleneck with one queue
// for all in which nobody stands, do not show that others take turns there.
func TestFairShareOfOneQueue(t *testing.T) {
	v := newView(load(t, "testdata/loss-limited--eight-streams-faster-than-udp.json.gz"), record.Up)
	top, known := v.ceiling()
	v.eight.Rate, v.eight.SteadyRate = 1.1*fairGain*top, 1.1*fairGain*top
	if !known || v.fairShare() {
		t.Fatal(v, top)
	}
	v.served = v.eight.SteadyRate
	v.smoothness = 0.1
	if v.fairShare() {
		t.Error("the ladder was served as fast, if later")
	}
	v.served = 0
	v.smoothness, v.idle.High, v.idle.Mid = 0.1, 2*v.idle.High, 2*v.idle.High
	if !v.fairShare() {
		t.Error("others stand in the queue")
	}
	v.eight.Rate = top
	if v.fairShare() {
		t.Error("what came at once after a loss is no share")
	}
}

// Others' queue makes a sender leave slow start early: that is their doing, and no
// cause of its own.
func TestOthersEndSlowStart(t *testing.T) {
	run := load(t, "testdata/congested--one-cubic-ends-slow-start.json.gz")
	v := newView(run, record.Up)
	if exit, known := v.slowStartExit(); !known || exit >= 0.5*v.bdp() {
		t.Fatalf("slow start ended with %v bytes under way (%v)", exit, known)
	}
	if causes, _ := of(Diagnose(run), record.Up); !slices.Equal(causes, []finding.Cause{finding.Congested}) {
		t.Errorf("up: %v", causes)
	}
}
