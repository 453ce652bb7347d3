package view

import (
	"testing"

	"unchoke/internal/diagnose/seen"
	"unchoke/internal/record"
)

// A bucket is used up where packets are dropped that had come through before, and
// none waits.
func TestEmptiedBucket(t *testing.T) {
	const file = "testdata/policed--a-bucket-of-megabytes.json.gz"
	for what, c := range map[string]struct {
		change func(*seen.Rung)
		want   bool
	}{
		"as it was":             {func(*seen.Rung) {}, true},
		"a queue stood":         {func(r *seen.Rung) { r.Rise = 0.02 }, false},
		"the packets waited":    {func(r *seen.Rung) { r.Own = 0.02 }, false},
		"some of them waited":   {func(r *seen.Rung) { r.OwnMost = 0.02 }, false},
		"nobody knows":          {func(r *seen.Rung) { r.Risen = false }, false},
		"few were lost":         {func(r *seen.Rung) { r.Lost = r.Packets / 10 }, false},
		"nothing ran before it": {func(r *seen.Rung) { r.Start = 0 }, false},
	} {
		v := Of(load(t, file), record.Down)
		v.Eight = nil // as little as they carry would tell as well
		for i := range v.Rungs {
			if r := &v.Rungs[i]; r.Loss() > usedUp {
				c.change(r)
			}
		}
		if whole, dropped, found := v.EmptiedBucket(); found != c.want {
			t.Errorf("%s: %v, %+v, %+v", what, found, whole, dropped)
		}
	}
}

// Where eight streams have no more than one, a rung that lost a little and a faster one
// that lost nothing tell of a bucket, whichever came first, and not of random loss.
// Where eight have several times as much, each is held by loss of its own.
func TestEmptiedAlike(t *testing.T) {
	v := Of(load(t, "testdata/policed--a-bucket-that-fills-up-again.json.gz"), record.Down)
	_, _, emptied := v.EmptiedBucket()
	if _, held := v.LossHolds(); !v.alike() || !emptied || held {
		t.Fatal(v)
	}
	v.Eight.SteadyRate *= 1.9
	v.Base, _ = v.baseline()
	_, _, emptied = v.EmptiedBucket()
	if _, held := v.LossHolds(); v.alike() || emptied || !held {
		t.Error("eight streams have twice as much", v)
	}
}

// What eight streams share that meet no queue is a policer's rate, and what evenly sent
// packets lose above it is no random loss.
func TestSharedLimit(t *testing.T) {
	v := Of(load(t, "testdata/policed--a-bucket-that-eight-streams-share.json.gz"), record.Down)
	limit, found := v.Policer()
	if !found || limit != v.Eight.SteadyRate || v.Base.K > 0 {
		t.Fatalf("limit %g, %v; lost below it: %v", limit, found, v.Base)
	}
	v.Busier.Mid += 0.1
	if base, _ := v.baseline(); base.K == 0 {
		t.Error("eight streams that fill a queue tell of no policer")
	}
}

// A policer's bucket is short against what is under way, by what came through at once
// beyond its rate.
func TestShortBucket(t *testing.T) {
	v := Of(load(t, "testdata/several/loss-limited+policed--impulses-before-a-bucket-of-9-packets.json.gz"), record.Up)
	limit, found := v.Policer()
	if !found || !v.ShortBucket(limit) {
		t.Fatal(v)
	}
	for i := range v.Rungs {
		v.Rungs[i].Arrived += shortBucket * limit * v.Idle.Mid // as much more at once
	}
	if v.ShortBucket(limit) {
		t.Error("a fifth of what is under way is not short")
	}
}

// Where packets wait above the ceiling as long as a queue of a few takes, nothing polices
// them; where the delay bunches all packets, their wait tells nothing.
func TestFewPacketsWait(t *testing.T) {
	v := Of(load(t, "testdata/shallow-buffer--a-few-packets-before-jitter.json.gz"), record.Up)
	if _, found := v.Policer(); found || !v.hasFewPackets() {
		t.Fatal("a queue of six packets was taken for a policer:", v)
	}
	for i := range v.Rungs {
		v.Rungs[i].Rise = min(v.Rungs[i].Rise, seen.FewPacketsTime(v.Rungs[i]))
	}
	if _, found := v.Policer(); !found || v.MayHaveFewPackets(v.Overloads()) {
		t.Error("packets that wait no longer than one takes were not policed")
	}
	v = Of(load(t, "testdata/policed--behind-jitter-that-keeps-the-order.json.gz"), record.Up)
	if _, found := v.Policer(); !found || v.hasFewPackets() || !v.MayHaveFewPackets(v.Overloads()) {
		t.Error("behind bunches no policer was found")
	}
}
