//go:build unix

package iperf3

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTimes returns the processor time that this process has used.
func cpuTimes() (user, system time.Duration) {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0, 0
	}
	return time.Duration(u.Utime.Nano()), time.Duration(u.Stime.Nano())
}
