package probe

import (
	"fmt"

	"unchoke/internal/record"
)

const (
	// A core is full from here on, but for the kernel's own wake-ups.
	fullCore = 0.95
	// waiting says that on average so many threads of the tunnel's program could
	// have run and had no core.
	waiting = 0.5
)

// warnOfOthers says that other programs kept every core of this host busy while
// the tunnel's program had to wait: what was measured may be theirs.
func (c *checker) warnOfOthers(t record.Transfer) {
	if w := others(t); w != "" {
		c.run.Warnings = append(c.run.Warnings, w)
	}
}

func others(t record.Transfer) string {
	if t.CPU == nil || len(t.CPU.Cores) == 0 {
		return ""
	}
	for _, core := range t.CPU.Cores {
		if core.Busy+core.Stolen < fullCore {
			return ""
		}
	}
	most, waited := record.ProgramUse{}, false
	tunnel := 0.0
	for _, p := range t.CPU.Programs {
		switch p.Role {
		case record.TunnelProgram:
			waited, tunnel = p.Waited >= waiting, p.Cores
		case record.OtherProgram:
			if p.Cores > most.Cores {
				most = p
			}
		}
	}
	if !waited || tunnel > 0.5*float64(len(t.CPU.Cores)) {
		return ""
	}
	return fmt.Sprintf("other programs kept all of this host's cores busy during %s (%s most, %.0f %% of a core), and the tunnel's program waited for them: its rate may be their doing", t.Name, most.Name, 100*most.Cores)
}
