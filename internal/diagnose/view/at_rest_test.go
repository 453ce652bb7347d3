//go:build !slim

package view

import (
	"math"
	"testing"

	"unchoke/internal/record"
)

// Where nobody answered the first echo probes, those between two tests tell the idle RTT.
func TestAtRest(t *testing.T) {
	const file = "testdata/policed--a-bucket-where-the-delay-varies.json.gz"
	want := Of(load(t, file), record.Down).Idle.Mid
	run := load(t, file)
	for i := range run.Echo("idle").Probes {
		run.Echo("idle").Probes[i].RTT = 0
	}
	v := Of(run, record.Down)
	if v.Idle.N == 0 || math.Abs(v.Idle.Mid-want) > want/4 {
		t.Errorf("%d probes, %v s, with the first ones %v s", v.Idle.N, v.Idle.Mid, want)
	}
}
