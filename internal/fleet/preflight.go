package fleet

import (
	"fmt"
	"math"
	"time"

	"unchoke/internal/tune"
	"unchoke/internal/tune/outcome"
)

// Fitness is whether a host may be changed.
type Fitness string

// What a preflight may say.
const (
	Ready   Fitness = "ready"   // there are changes to make, and nothing against them
	Settled Fitness = "settled" // there is nothing to change
	Refused Fitness = "refused"
)

// Reason is what speaks against changing a host.
type Reason struct {
	Code string `json:"code"`
	What string `json:"what"`
	Next string `json:"next,omitempty"`
}

// Codes of reasons, beside those of tune.Unsupported.
const (
	Unreachable = "unreachable"
	Permission  = "no-permission"
	Conflicting = "conflict"
	Disk        = "disk"
	Clock       = "clock"
	OnTrial     = "trial"       // somebody's changes are being tried
	Interrupted = "interrupted" // an earlier run was
	Standing    = "standing"    // earlier changes stand, and reverting would take them along
	LostJournal = "lost-journal"
)

// Verdict is a preflight's.
type Verdict struct {
	Fitness Fitness  `json:"fitness"`
	Reasons []Reason `json:"reasons,omitempty"`
}

// Preflight says whether a host may be changed by a plan, with trials of that
// length. Despite lets conflicts pass.
func Preflight(f *Facts, p *tune.Plan, timeout time.Duration, despite bool) Verdict {
	var v Verdict
	against := func(code, next, format string, args ...any) {
		v.Reasons = append(v.Reasons, Reason{code, fmt.Sprintf(format, args...), next})
	}
	s := f.Status
	switch {
	case s.Lost != nil:
		against(LostJournal, "unchoke tune status there names them", "files that unchoke tune wrote are there, and no journal tells of them")
	case s.Interrupted || s.Phase == outcome.Trying || s.Phase == outcome.Persisting || s.Phase == outcome.Undoing:
		against(Interrupted, "unchoke tune revert there takes back what it left", "an earlier run was interrupted there")
	case s.Phase == outcome.Tried:
		against(OnTrial, "confirm or revert it there, or wait until its timer has", "changes are being tried there")
	}
	if u := p.Unsupported; u != nil {
		against(string(u.Reason), u.Next, "%s", u.What)
	}
	if len(v.Reasons) == 0 && len(p.Changes) == 0 {
		v.Fitness = Settled
		return v
	}
	if s.Phase == outcome.Kept {
		against(Standing, "unchoke fleet revert takes them back", "earlier changes of unchoke tune stand there, and a revert would take them back as well")
	}
	if p.Unsupported == nil && !f.Root {
		against(Permission, "log in as root, or --become uses sudo", "this login may not change the network")
	}
	if !despite {
		for _, c := range p.Conflicts {
			against(Conflicting, c.Next, "%s", c.What)
		}
	}
	if f.DiskFree != nil && *f.DiskFree < leastDisk {
		against(Disk, "free space on that disk", "%d KiB are free where the journal is kept, and it may take %d", *f.DiskFree>>10, leastDisk>>10)
	}
	if f.ClockOffset != nil && math.Abs(*f.ClockOffset) > min(clockOff, timeout.Seconds()/2) {
		against(Clock, "set that host's clock (timedatectl set-ntp true)", "its clock is off by %.0f s: put right during a trial, that would end it", *f.ClockOffset)
	}
	v.Fitness = Ready
	if len(v.Reasons) > 0 {
		v.Fitness = Refused
	}
	return v
}

// NotReached is the verdict on a host that could not be asked.
func NotReached(what, next string) Verdict {
	return Verdict{Refused, []Reason{{Unreachable, what, next}}}
}
