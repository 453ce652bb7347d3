package view

import (
	"slices"
	"testing"

	"unchoke/internal/record"
)

// What is lost only while a queue fills is an AQM's; one loss of UDP elsewhere, or one of
// the stream later, is the path's.
func TestOvershot(t *testing.T) {
	v := Of(load(t, "testdata/healthy--pie-both-ways-far-away.json.gz"), record.Down)
	if !v.Overshot() {
		t.Error("an AQM that ends slow start is taken for random loss")
	}
	later, one := *v, *v.One
	one.Far = slices.Clone(one.Far)
	one.Far[len(one.Far)-1].Retransmits++
	later.One, later.Losses.Steady = &one, 1
	elsewhere := *v
	elsewhere.Base.K = 1
	if later.Overshot() || elsewhere.Overshot() {
		t.Error("a loss without a queue is overlooked")
	}
	if v := Of(load(t, "testdata/loss-limited--rare.json.gz"), record.Down); v.Overshot() {
		t.Error("three losses of a stream that filled its queue are no chance")
	}
}
