package view

import (
	"testing"

	"unchoke/internal/record"
)

// UDP that ends below what one stream carries meets no policer of the path's: a socket may
// have dropped it.
func TestNoPolicerBelowTheStream(t *testing.T) {
	v := Of(load(t, "testdata/policed--rounded-arrivals.json.gz"), record.Down)
	limit, found := v.Policer()
	if !found {
		t.Fatal("no policer")
	}
	v.Rate = limit / (passesShare - 0.01)
	if limit, found := v.Policer(); found {
		t.Errorf("a policer of %v bit/s before a stream of %v", limit, v.Rate)
	}
}
