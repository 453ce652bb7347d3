package view

import (
	"testing"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/record"
)

// Loss that is the same for one stream and eight is the path's.
func TestOutbid(t *testing.T) {
	run := load(t, "testdata/congested--bbrs-that-keep-the-queue-full.json.gz")
	v := Of(run, record.Down)
	if !v.outbid() {
		t.Fatal(v)
	}
	v.Eight.Retransmits = int64(v.Losses.AllRatio() * v.Eight.Rate * v.Eight.Duration / 8 / float64(v.MSS))
	if v.outbid() {
		t.Error("eight streams lose as one does, and others are blamed")
	}
}

// An idle RTT that moves slowly and little is a queue's; one that moves as far as
// jitter which keeps the order is not, nor one whose values are independent.
func TestStirred(t *testing.T) {
	v := Of(load(t, "testdata/congested--cubics-that-stir-the-idle-delay.json.gz"), record.Down)
	if _, found := v.Others(); !v.Slow() || !v.stirred() || !found {
		t.Fatal(v)
	}
	v.smoothness = 2
	if _, found := v.Others(); v.stirred() || found {
		t.Error("independent delays are a queue's")
	}
	v = Of(load(t, "testdata/congested--cubics-that-stir-the-idle-delay.json.gz"), record.Down)
	v.Idle.Dev, v.smoothness = 0.2*v.Idle.Mid, 1
	if v.stirred() {
		t.Error("jitter of a fifth of the RTT is others' queue")
	}
}

// A queue that stands for whatever is sent, far below the path's rate, is others'; one
// that a gentle rung does not meet is not, nor jitter.
func TestBesieged(t *testing.T) {
	const besieged = "testdata/congested--thirteen-cubics-in-front-of-bbr.json.gz"
	v := Of(load(t, besieged), record.Down)
	if others, found := v.Others(); !found || others.By != ByBesieging {
		t.Fatalf("others: %v, %v", others, found)
	}
	v.Idle.Dev = 0.2 * v.Idle.Mid
	if v.besieged() {
		t.Error("jitter of a fifth of the RTT besieges")
	}
	v = Of(load(t, besieged), record.Down)
	v.Rungs[1].Rise = 0
	if v.besieged() {
		t.Error("a queue that a rung does not meet stands for whatever is sent")
	}
}

// Eight streams that get more than a flood of UDP does, at a bottleneck with one queue
// for all in which nobody stands, do not show that others take turns there.
func TestFairShareOfOneQueue(t *testing.T) {
	v := Of(load(t, "testdata/loss-limited--eight-streams-faster-than-udp.json.gz"), record.Up)
	top, known := v.Ceiling()
	v.Eight.Rate, v.Eight.SteadyRate = 1.1*fairGain*top, 1.1*fairGain*top
	if !known || v.fairShare() {
		t.Fatal(v, top)
	}
	v.served = v.Eight.SteadyRate
	v.smoothness = 0.1
	if v.fairShare() {
		t.Error("the ladder was served as fast, if later")
	}
	v.served = 0
	v.smoothness, v.Idle.High, v.Idle.Mid = 0.1, 2*v.Idle.High, 2*v.Idle.High
	if !v.fairShare() {
		t.Error("others stand in the queue")
	}
	v.Eight.Rate = top
	if v.fairShare() {
		t.Error("what came at once after a loss is no share")
	}
}

// How others show where neither their windows nor their queue moves as one stream's does.
func TestOthersByTheirQueue(t *testing.T) {
	for _, c := range []struct {
		file string
		dir  record.Direction
		by   Sign
	}{
		{"one-cubic-that-empties-once", record.Up, ByDraining},
		{"four-bbr-in-a-short-queue", record.Down, ByDraining},
		{"twelve-cubics-that-creep-by-little", record.Down, BySwaying},
		{"sixteen-cubics-keep-nine-packets-full", record.Down, ByFullQueue},
		{"echoes-lost-before-anything-was-sent", record.Down, ByLosingIdle},
	} {
		run := load(t, "testdata/congested--"+c.file+".json.gz")
		v := Of(run, c.dir)
		if o, found := v.Others(); !found || o.By != c.by {
			t.Errorf("%s: %+v, %v", c.file, o, found)
		}
		for i := range run.Echoes {
			for j := range run.Echoes[i].Probes {
				run.Echoes[i].Probes[j].RTT = v.Idle.Mid // as on a path with loss and nobody else
			}
		}
		if o, found := Of(run, c.dir).Others(); found && (o.By == c.by || o.By == ByFullQueue || o.By == ByLosingIdle) {
			t.Errorf("%s: a constant delay shows others by %v", c.file, o.By)
		}
	}
}

// Where others' queue stands: evenly sent packets that this host timed were delayed by
// it, or were not. Of the other direction this host does not know.
func TestOthersBehind(t *testing.T) {
	run := load(t, "testdata/several/congested+loss-limited--others-up-and-rare-loss-down.json.gz")
	v := Of(run, record.Down)
	if _, found := v.Others(); !found || !v.OthersBehind() || !v.Lossy() {
		t.Errorf("others up: %v, behind %v, lossy %v", found, v.OthersBehind(), v.Lossy())
	}
	if Of(run, record.Up).OthersBehind() {
		t.Error("this host times what it sends")
	}
	v.each(func(_ int, r *seen.Rung) {
		r.OwnMost = 0.1 * (v.Idle.High - v.Idle.Low)
		r.Packets = min(r.Packets, int64(fairSample/4)) // too few to pass for the whole path
	})
	if v.OthersBehind() || v.Lossy() {
		t.Error("packets that are delayed stand in no queue")
	}
	down := Of(load(t, "testdata/congested--twelve-cubics-that-creep-by-little.json.gz"), record.Down)
	if _, found := down.Others(); !found || down.OthersBehind() {
		t.Errorf("others down: %v, behind %v", found, down.OthersBehind())
	}
}

// Eight streams that carry eleven times what one does, beside no queue, lose each for
// itself; four times as much, or beside a queue, tells nothing.
func TestEachLoses(t *testing.T) {
	const eleven = "testdata/loss-limited--eight-streams-have-eleven-times-one.json.gz"
	v := Of(load(t, eleven), record.Down)
	if !v.eachLoses() || !v.Lossy() {
		t.Fatal(v)
	}
	mid := v.Busier.Mid
	if v.Busier.Mid += 2 * leastWait; v.eachLoses() || v.Lossy() {
		t.Error("they stand in a queue")
	}
	v.Busier.Mid = mid
	if v.Eight.SteadyRate = 4 * v.Rate; v.eachLoses() || v.Lossy() {
		t.Error("four times as much may be a short queue's")
	}
}

// Where flows are kept apart, a rung far below what a flood gets that waits in a queue of
// its own shares the line's turns with others; where the delay varies anyway, or the rung
// did not wait, nobody knows.
func TestTakesTurns(t *testing.T) {
	for what, c := range map[string]struct {
		change func(*View)
		want   bool
	}{
		"as it was":        {func(*View) {}, true},
		"the delay varies": {func(v *View) { v.Idle.Dev = 0.02 }, false},
		"none of it waited": {func(v *View) {
			for i := range v.Rungs {
				if r := &v.Rungs[i]; !r.Overloaded(v.Rungs) {
					r.Own = 0
				}
			}
		}, false},
		"as much as the path carries": {func(v *View) { v.Capacity *= 0.6 }, false},
		"what our own flood had left was there": {func(v *View) {
			for i := range v.Rungs {
				r := &v.Rungs[i]
				r.Start = 10
				if r.Overloaded(v.Rungs) {
					r.Start, r.Known = r.Start-r.Duration-0.01, 0.2
				}
			}
		}, false},
	} {
		v := Of(load(t, "testdata/congested--three-cubics-that-take-turns-with-us.json.gz"), record.Down)
		c.change(v)
		if o, found := v.Others(); found != c.want || found && o.By != ByTurns {
			t.Errorf("%s: %v, %+v", what, found, o)
		}
	}
}

// A queue of its own holds a stream to its share, no lower: one far below it is held by
// something else.
func TestFairShareHoldsToAShare(t *testing.T) {
	v := Of(load(t, "testdata/shallow-buffer--far-below-a-share-of-its-own.json.gz"), record.Down)
	if top, _ := v.Ceiling(); v.fairShare() || v.Rate > ownShare*top {
		t.Fatal(v, top)
	}
	top, _ := v.Ceiling()
	v.Rate = top
	if !v.fairShare() {
		t.Error("a stream that has its share")
	}
}
