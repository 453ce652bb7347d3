package machine

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"
)

// cpuSlot is the CPU that one machine runs on. A lock file a CPU keeps the
// machines of a user apart as long as there are CPUs.
type cpuSlot struct {
	cpu  int // -1: none could be chosen
	lock *os.File
}

// maxCPU is the size of the kernel's smallest affinity mask in bits.
const maxCPU = 1024

// takeCPU chooses a CPU that no machine of this user has; if all have one, any.
// It chooses among wanted, where that is not nil.
func takeCPU(base string, wanted []int) *cpuSlot {
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		return &cpuSlot{cpu: -1}
	}
	var cpus []int
	for cpu := range maxCPU {
		if !allowed.IsSet(cpu) || wanted != nil && !slices.Contains(wanted, cpu) {
			continue
		}
		if lock, err := flock(filepath.Join(base, fmt.Sprintf("cpu-%d", cpu)), unix.LOCK_NB); err == nil {
			return &cpuSlot{cpu, lock}
		}
		cpus = append(cpus, cpu)
	}
	if len(cpus) == 0 {
		return &cpuSlot{cpu: -1}
	}
	return &cpuSlot{cpu: cpus[os.Getpid()%len(cpus)]}
}

func (s *cpuSlot) release() {
	if s.lock != nil {
		s.lock.Close()
	}
}
