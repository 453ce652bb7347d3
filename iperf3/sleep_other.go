//go:build !linux

package iperf3

import "time"

// A sleeper sleeps as precisely as the system allows.
type sleeper struct{}

func newSleeper() *sleeper { return &sleeper{} }

func preciseSleeper() *sleeper { return &sleeper{} }

func (*sleeper) close() {}

func (*sleeper) sleep(d time.Duration) { time.Sleep(d) }
