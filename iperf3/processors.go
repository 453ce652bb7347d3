package iperf3

import "runtime"

// TwoProcessors lets packets leave, and whatever else a program does, at their times side
// by side, on a host with one core too: a sender that sleeps between packets holds one
// processor of Go's scheduler. undo takes the second one back.
func TwoProcessors() (undo func()) {
	before := runtime.GOMAXPROCS(0)
	if before > 1 {
		return func() {} // to set what is there would stop the runtime from following a group's limit
	}
	runtime.GOMAXPROCS(2)
	return func() { runtime.GOMAXPROCS(before) }
}
