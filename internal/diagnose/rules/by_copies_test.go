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
