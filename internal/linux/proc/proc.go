// Package proc tells what a host's processors and programs did, from /proc.
// Its functions read a tree that is laid out as /proc; where there is none,
// they fail with fs.ErrNotExist.
package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"time"
)

// System is this host's /proc.
func System() fs.FS { return os.DirFS("/proc") }

// Core is the time that one core spent, since boot. Guests' time is in Busy.
type Core struct {
	Number  int
	Busy    time.Duration // all but idle and stolen, SoftIRQ included
	SoftIRQ time.Duration // and hardware interrupts
	Kernel  time.Duration // of programs, in what they ask of the kernel
	Idle    time.Duration // waiting for a disk included
	Stolen  time.Duration // by other guests of a hypervisor
}

// userHZ is the unit of times in /proc: 100 on every Linux (USER_HZ).
const userHZ = 100

const tick = time.Second / userHZ

// Columns of a cpu line in /proc/stat (proc_stat(5)).
const (
	columnSystem  = 2
	columnIdle    = 3
	columnIOWait  = 4
	columnIRQ     = 5
	columnSoftIRQ = 6
	columnSteal   = 7
	columns       = 8 // guest and guest_nice are in user and nice
)

// Cores reads /proc/stat.
func Cores(tree fs.FS) ([]Core, error) {
	text, err := fs.ReadFile(tree, "stat")
	if err != nil {
		return nil, fmt.Errorf("read the cores' times: %w", err)
	}
	return parseCores(string(text))
}

var errMalformed = errors.New("malformed")

func parseCores(text string) ([]Core, error) {
	var out []Core
	for line := range strings.SplitSeq(text, "\n") {
		name, rest, _ := strings.Cut(line, " ")
		digits, ok := strings.CutPrefix(name, "cpu")
		if !ok || digits == "" {
			continue // another counter, or all cores together
		}
		number, err := strconv.Atoi(digits)
		if err != nil {
			return nil, fmt.Errorf("read the cores' times: %q: %w", line, errMalformed)
		}
		var times [columns]time.Duration
		fields := strings.Fields(rest)
		if len(fields) < columns {
			return nil, fmt.Errorf("read the cores' times: %q: %w", line, errMalformed)
		}
		core := Core{Number: number}
		for i := range times {
			n, err := strconv.ParseInt(fields[i], 10, 64)
			if err != nil {
				return nil, fmt.Errorf("read the cores' times: %q: %w", line, errMalformed)
			}
			times[i] = time.Duration(n) * tick
			if i != columnIdle && i != columnIOWait && i != columnSteal {
				core.Busy += times[i]
			}
		}
		core.Kernel = times[columnSystem]
		core.SoftIRQ = times[columnIRQ] + times[columnSoftIRQ]
		core.Idle = times[columnIdle] + times[columnIOWait]
		core.Stolen = times[columnSteal]
		out = append(out, core)
	}
	return out, nil
}
