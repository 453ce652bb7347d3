package rules

import (
	"testing"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// Copies run for no longer than a stream did that grows back: they do not make it sure that
// packets which overtake hold it.
func TestByCopiesSure(t *testing.T) {
	v := view.Of(load(t, "testdata/several/shallow-buffer+reordering--overtaken-up-at-a-sixth-of-the-path.json.gz"), record.Up)
	v.Losses.Real, v.Losses.Steady = 1, 1
	if got := ByCopiesSure(v, finding.Reordering); got <= regrowsInCopies {
		t.Errorf("a stream that loses: %v", got)
	}
	v.Losses.Real, v.Losses.Steady = 0, 0
	if got := ByCopiesSure(v, finding.Reordering); got != regrowsInCopies {
		t.Errorf("a stream that lost nothing and grows: %v", got)
	}
}

// Nor that a queue is too short: slow start, which young streams still grow back from, ends
// in a longer one as well.
func TestByCopiesOfYoungStreams(t *testing.T) {
	v := view.Of(load(t, "testdata/slow-start--copies-as-young-gain-by-a-queue.json.gz"), record.Down)
	if _, _, known := v.Wait(); !known || !v.HardlyBegun() {
		t.Fatal("the fixture has no young stream beside an overload")
	}
	if f := ByCopies(v, finding.ShallowBuffer); f != nil {
		t.Error(f.Summary)
	}
	v.One.Duration *= 2
	if f := ByCopies(v, finding.ShallowBuffer); f == nil {
		t.Error("no finding of a stream twice as old")
	}
}
