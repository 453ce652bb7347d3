//go:build !slim

package rules

import (
	"strings"
	"testing"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// Eight streams that carry eight times what one does may each be held to a rate by the
// network: that others have the rest is a guess then.
func TestHeldEach(t *testing.T) {
	v := view.Of(load(t, "testdata/congested--three-cubics-behind-fq-codel.json.gz"), record.Down)
	others, found := v.Others()
	if !found || others.By != view.ByFairShare {
		t.Fatalf("others %v: by %d", found, others.By)
	}
	if f := Congested(v); f.Confidence < 0.9 {
		t.Errorf("eight streams have %.1f times what one has: %.2f sure", v.Eight.SteadyRate/v.Rate, f.Confidence)
	}
	eight := *v.Eight
	eight.SteadyRate = 8 * v.Rate
	v.Eight = &eight
	f := Congested(v)
	if f == nil || f.Cause != finding.Congested || f.Confidence > heldEachSure || !strings.Contains(f.Summary, "holds each flow to a rate") {
		t.Errorf("%+v", f)
	}
}
