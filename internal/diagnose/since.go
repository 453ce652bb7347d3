package diagnose

import (
	"fmt"
	"math"
	"time"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/unit"
)

// Since is what changed on a path between two checks of it.
type Since struct {
	Record  string     `json:"record"` // the earlier one's ID
	Started time.Time  `json:"started"`
	Ways    []WaySince `json:"directions"`
	// Warnings say what else differs, so that the rates are not of one path.
	Warnings []string `json:"warnings"`
}

// WaySince is what changed in one direction.
type WaySince struct {
	Direction record.Direction `json:"direction"`
	Before    State            `json:"before"`
	After     State            `json:"after"`
	// Ratio is the rate after over the rate before; 0 where nothing was carried
	// before.
	Ratio float64 `json:"ratio"`
}

// State is what one stream had in a direction.
type State struct {
	CC        string        `json:"cc,omitempty"` // of the sender; empty where unknown
	Rate      float64       `json:"rate_bps"`
	LoadedRTT float64       `json:"loaded_rtt_s,omitempty"` // median, one stream running; 0 where unknown
	Cause     finding.Cause `json:"cause"`                  // the direction's leading finding
}

// Compare says what changed from one check to the next. A direction that one
// of them did not measure is left out.
func Compare(before, after *record.Run) Since {
	s := Since{Record: before.ID, Started: before.Started, Ways: []WaySince{}, Warnings: []string{}}
	then, now := states(before), states(after)
	for _, d := range record.Directions {
		b, measured := then[d]
		a, again := now[d]
		if !measured || !again {
			continue
		}
		way := WaySince{Direction: d, Before: b, After: a}
		if b.Rate > 0 {
			way.Ratio = a.Rate / b.Rate
		}
		s.Ways = append(s.Ways, way)
	}
	s.Warnings = append(s.Warnings, differences(before, after)...)
	return s
}

// states are what one stream had, by direction.
func states(r *record.Run) map[record.Direction]State {
	if r.Flow != nil {
		return attachedStates(r)
	}
	out := map[record.Direction]State{}
	for _, d := range record.Directions {
		if v := view.Of(r, d); v != nil {
			out[d] = State{CC: v.CC, Rate: v.Rate, LoadedRTT: v.Loaded.Mid, Cause: finding.Unclear}
		}
	}
	all := Diagnose(r)
	for i := range all { // the last one set is the direction's first
		f := all[len(all)-1-i]
		if state, ok := out[f.Direction]; ok {
			state.Cause = f.Cause
			out[f.Direction] = state
		}
	}
	return out
}

// otherPath is how far apart two idle RTTs of one path are at most: a fifth is
// more than queues and clocks do to a median, and less than another route.
const otherPath = 0.2

// differences are what speaks against comparing the two.
func differences(before, after *record.Run) []string {
	var out []string
	if before.Target != after.Target {
		out = append(out, fmt.Sprintf("the earlier check was of %s", before.Target))
	}
	if b, a := before.Route.Device, after.Route.Device; b != a && b != "" && a != "" {
		out = append(out, fmt.Sprintf("the route went over %s, and goes over %s now", b, a))
	}
	b, a := MeasuredPath(before).RTT, MeasuredPath(after).RTT
	if b > 0 && a > 0 && math.Abs(a-b) > otherPath*b {
		out = append(out, fmt.Sprintf("the idle RTT was %s and is %s now: the path itself may be another", unit.HumanTime(b), unit.HumanTime(a)))
	}
	return out
}
