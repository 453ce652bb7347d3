package affinity

import "golang.org/x/sys/unix"

// Pin keeps the calling thread, and the processes that it starts, on one CPU
// until restore. It does nothing where that CPU is not among the thread's own,
// as one below 0 never is: what runs is then slower and no different. The
// caller has locked the goroutine to its thread.
func Pin(cpu int) (restore func()) {
	var before, one unix.CPUSet
	if cpu < 0 || unix.SchedGetaffinity(0, &before) != nil || !before.IsSet(cpu) {
		return func() {}
	}
	one.Set(cpu)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		return func() {}
	}
	return func() { _ = unix.SchedSetaffinity(0, &before) } // the mask it had
}
