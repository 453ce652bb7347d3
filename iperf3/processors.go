package iperf3

import "runtime"

// TwoProcessors lets packets leave, and whatever else a program does, at their times side
// by side, on a host with one core too: a sender that sleeps between packets holds one
// processor of Go's scheduler. undo takes the second one back.
func TwoProcessors() (undo func()) {
	before := runtime.GOMAXPROCS(max(2, runtime.GOMAXPROCS(0)))
	return func() { runtime.GOMAXPROCS(before) }
}
