package affinity

import (
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

func TestPin(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	mask := func() (set unix.CPUSet) {
		if err := unix.SchedGetaffinity(0, &set); err != nil {
			t.Fatal(err)
		}
		return set
	}
	before := mask()
	cpu := 0
	for !before.IsSet(cpu) {
		cpu++
	}
	restore := Pin(cpu)
	if on := mask(); on.Count() != 1 || !on.IsSet(cpu) {
		t.Errorf("on %d CPUs, want CPU %d alone", on.Count(), cpu)
	}
	other := cpu + 1
	if before.IsSet(other) {
		Pin(other)() // not among the thread's own by now
		if on := mask(); on.Count() != 1 || !on.IsSet(cpu) {
			t.Errorf("moved to a CPU that is not allowed")
		}
	}
	restore()
	if mask() != before {
		t.Error("the mask is not what it was")
	}
	Pin(-1)()
	if mask() != before {
		t.Error("no CPU changes the mask")
	}
}
