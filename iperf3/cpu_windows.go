package iperf3

import (
	"time"

	"golang.org/x/sys/windows"
)

// cpuTimes returns the processor time that this process has used.
func cpuTimes() (user, system time.Duration) {
	var created, exited, kernel, inUser windows.Filetime
	if windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &kernel, &inUser) != nil {
		return 0, 0
	}
	ticks := func(f windows.Filetime) time.Duration {
		return time.Duration(int64(f.HighDateTime)<<32|int64(f.LowDateTime)) * 100 // of 100 ns
	}
	return ticks(inUser), ticks(kernel)
}
