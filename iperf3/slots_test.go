package iperf3

import (
	"math"
	"testing"
	"time"
)

func TestSlots(t *testing.T) {
	test := Test{Protocol: UDP, Slots: []Slot{{1e6, time.Second}, {2e6, 3 * time.Second}}}
	test, err := test.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	if test.Streams != 2 {
		t.Errorf("%d streams for 2 slots", test.Streams)
	}
	if from, to, rate := test.slot(1); from != time.Second || to != 4*time.Second || rate != 2e6 {
		t.Errorf("slot 1 is %v to %v at %d", from, to, rate)
	}
	plain := Test{Rate: 7}
	if from, to, rate := plain.slot(3); from != 0 || to != math.MaxInt64 || rate != 7 {
		t.Errorf("without slots: %v to %v at %d", from, to, rate)
	}
}

func TestSlotsRefused(t *testing.T) {
	good := []Slot{{1e6, time.Second}}
	for name, test := range map[string]Test{
		"over TCP":        {Slots: good},
		"reverse":         {Slots: good, Protocol: UDP, Reverse: true},
		"too few streams": {Slots: append(good, good...), Protocol: UDP, Streams: 1},
		"no rate":         {Slots: []Slot{{0, time.Second}}, Protocol: UDP},
		"no duration":     {Slots: []Slot{{1e6, 0}}, Protocol: UDP},
	} {
		if _, err := test.withDefaults(); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
