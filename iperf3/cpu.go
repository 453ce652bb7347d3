package iperf3

import "time"

// A stopwatch measures the processor time of this process against the clock.
type stopwatch struct {
	start        time.Time
	user, system time.Duration
}

func startWatch() stopwatch {
	user, system := cpuTimes()
	return stopwatch{time.Now(), user, system}
}

// MeasureCPU begins to measure the processor time of this process, as a Client
// does for a test, and returns a function that tells it as of now.
func MeasureCPU() (sofar func() CPU) { return startWatch().cpu }

func (w stopwatch) cpu() CPU {
	user, system := cpuTimes()
	elapsed := time.Since(w.start).Seconds()
	if elapsed <= 0 {
		return CPU{}
	}
	c := CPU{User: (user - w.user).Seconds() / elapsed, System: (system - w.system).Seconds() / elapsed}
	c.Total = c.User + c.System
	return c
}
