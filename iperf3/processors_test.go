package iperf3

import (
	"runtime"
	"testing"
)

func TestTwoProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for before, want := range map[int]int{1: 2, 2: 2, 3: 3} {
		runtime.GOMAXPROCS(before)
		undo := TwoProcessors()
		if got := runtime.GOMAXPROCS(0); got != want {
			t.Errorf("%d processors become %d, want %d", before, got, want)
		}
		if undo(); runtime.GOMAXPROCS(0) != before {
			t.Errorf("undone, there are %d processors, want %d", runtime.GOMAXPROCS(0), before)
		}
	}
}
