// Package hosts is what the two hosts themselves did to a stream, as far as they
// told: a processor that was full, a socket that overflowed, a shaper of their own.
package hosts

import (
	"unchoke/internal/diagnose/view"
	"unchoke/internal/record"
	"unchoke/internal/stats"
)

// Full is a piece of a host's processors that has nothing left to give:
// one of group, core, and thread is set.
type Full struct {
	End view.End // whose

	Group  *record.GroupUse   // a limit of processor time
	Core   *record.Core       // one that is never idle
	thread *record.ProgramUse // a program whose one thread is never idle

	Who      string  // it is that uses it
	Used     float64 // share of it
	Carrying float64 // share of a core that goes to Who
	// Ceiling is the stream's rate in bit/s if all of it were used: what a bit
	// costs is the same however many there are.
	Ceiling    float64
	Confidence float64 // that this holds the stream
}

// Fullest is what holds the stream back, the surest first; of two hosts the one
// whose is surer.
func Fullest(v *view.View) (Full, bool) {
	best, found := Full{}, false
	for _, e := range v.Ends() {
		if e.One.CPU == nil {
			continue
		}
		for _, look := range []func(*view.View, view.End) (Full, bool){fullGroup, fullThread, fullCore, fullOfOwnTCP} {
			f, ok := look(v, e)
			if f.End = e; ok && (!found || f.Confidence > best.Confidence) {
				best, found = f, true
			}
			if ok {
				break
			}
		}
	}
	return best, found
}

// fullGroup is a control group that stops the tunnel's program, or this one,
// for having used up its time.
func fullGroup(v *view.View, e view.End) (Full, bool) {
	for i, g := range e.One.CPU.Groups {
		if g.Periods == 0 || g.Cores <= 0 || float64(g.Throttled) < stoppedShare*float64(g.Periods) {
			continue
		}
		f := Full{Group: &e.One.CPU.Groups[i], Used: groupShare(e.One.CPU, g), Who: "The program in it"}
		if p, ok := program(e.One.CPU, g.Role); ok {
			f.Who, f.Carrying = p.Name, p.Cores
		}
		f.Ceiling = atFull(v, e, f.Used-probes(e)/g.Cores)
		f.Confidence = 0.8 + 0.18*float64(g.Throttled)/float64(g.Periods)
		if f.Used > 0 {
			return f, true
		}
	}
	return Full{}, false
}

// groupShare is the share of its limit that a group used. Where it does not
// count its time, the program in it is all that does.
func groupShare(c *record.CPU, g record.GroupUse) float64 {
	used := g.Used
	if p, ok := program(c, g.Role); used == 0 && ok {
		used = p.Cores
	}
	return min(used/g.Cores, 1)
}

// fullThread is a thread of the tunnel's program that never rests: its work
// cannot spread over further cores.
func fullThread(v *view.View, e view.End) (Full, bool) {
	for i, p := range e.One.CPU.Programs {
		if p.Role != record.TunnelProgram || p.Thread < view.BusyCPU {
			continue
		}
		return Full{
			thread: &e.One.CPU.Programs[i], Who: p.Name, Used: min(p.Thread, 1), Carrying: p.Thread, Confidence: 0.9,
			Ceiling: atFull(v, e, min(p.Thread, 1)-probes(e)),
		}, true
	}
	return Full{}, false
}

// fullCore is a core without rest, most of which goes to what carries packets, beyond
// what it carried without load. What other programs take of a core is not the
// stream's: see the record's warnings.
func fullCore(v *view.View, e view.End) (Full, bool) {
	best, found := Full{}, false
	for i, c := range e.One.CPU.Cores {
		who, carrying := carriersOf(&c)
		_, others := carriersOf(idle(e, c.Core))
		carrying -= others
		if c.Busy+c.Stolen < busyCore || carrying < carriersShare || found && carrying <= best.Carrying {
			continue
		}
		best, found = Full{Core: &e.One.CPU.Cores[i], Who: who, Used: min(c.Busy+c.Stolen, 1), Carrying: carrying}, true
		best.Confidence = 0.6 + 0.3*carrying
	}
	if !found {
		return Full{}, false
	}
	best.Ceiling = atFull(v, e, best.Used)
	return best, true
}

// carriersOf is the share of a core that goes to packets, and to whom most of
// it: the kernel's softirq and threads, or the tunnel's program. A thread that
// runs softirqs (ksoftirqd) counts in both of the kernel's figures.
func carriersOf(c *record.Core) (who string, share float64) {
	threads, tunnel := 0.0, 0.0
	who = "packets in the kernel (softirq)"
	name, most := who, c.SoftIRQ
	for _, u := range c.By {
		switch {
		case u.Role == record.TunnelProgram:
			tunnel += u.Share
		case u.Role == record.KernelThread && (anyThread || carries(u.Name)):
			threads += u.Share
		default:
			continue
		}
		if u.Share > most {
			name, most = u.Name, u.Share
		}
	}
	return name, min(max(c.SoftIRQ, threads)+tunnel, 1)
}

// fullOfOwnTCP is a core without rest, half of which and more the kernel spends on
// what ends on this host, beyond packets that come without load, while its stream is
// slow: what else runs there has less than the stream. The ceiling is what such a core
// would carry alone.
func fullOfOwnTCP(v *view.View, e view.End) (Full, bool) {
	best, found := Full{}, false
	for i, c := range e.One.CPU.Cores {
		own := min(ownStack(c), 1) - idle(e, c.Core).SoftIRQ
		if c.Busy+c.Stolen < busyCore || own < ownShare || v.Rate >= view.SlowShare*v.Capacity || found && own <= best.Carrying {
			continue
		}
		best, found = Full{Core: &e.One.CPU.Cores[i], Who: OwnTCP, Used: own, Carrying: own, Confidence: 0.3 + 0.6*own}, true
	}
	if found {
		best.Ceiling = atFull(v, e, best.Used)
	}
	return best, found
}

// OwnTCP is who carries the packets of a stream that ends on the host itself.
const OwnTCP = "packets and this host's own TCP, in the kernel"

// ownStack is the share of a core that the kernel spends where the measuring
// program's stream ends there: on packets, and on what that program asks of it.
// The kernel does the same work in either, from one moment to the next: what is
// sent as acknowledgements come is softirq's, what is sent as the program writes is
// the program's. Any other program would have it spent as well; the measuring
// program's own time, outside of the kernel, would not. 0 where a record does not
// tell, or that program ran elsewhere.
func ownStack(c record.Core) float64 {
	own, others := 0.0, 0.0
	for _, u := range c.By {
		switch u.Role {
		case record.Measuring:
			own += u.Share
		case record.OtherProgram, record.TunnelProgram:
			others += u.Share // of which the kernel's part is not known
		}
	}
	if c.Kernel == 0 || own < TellingShare {
		return 0
	}
	return c.SoftIRQ + stats.Clamp(c.Kernel-others, 0, own) // what it asks of the kernel is its own time
}

// idle is what a core did without load: nothing, where the host did not tell.
func idle(e view.End, number int) *record.Core {
	if e.Idle != nil {
		for i, c := range e.Idle.Cores {
			if c.Core == number {
				return &e.Idle.Cores[i]
			}
		}
	}
	return &record.Core{}
}

// atFull is the rate at which a use of the processors is 1: what a bit costs in
// it does not depend on how many there are. Streams side by side cost more a
// bit, and do not count.
func atFull(v *view.View, e view.End, use float64) float64 {
	c := e.One.CPU
	if use <= leastUse || v.One.Duration <= 0 {
		return v.Rate
	}
	from, to := c.From/v.One.Duration, (c.From+c.Time)/v.One.Duration
	return v.One.Goodput(stats.Clamp(from, 0, 1), stats.Clamp(to, 0, 1)) / use
}

// probes is how much of a core the tunnel's program spends on the check's own
// echo probes, which nobody else's stream has beside it.
func probes(e view.End) float64 {
	if e.Idle == nil {
		return 0
	}
	alone, _ := program(e.Idle, record.TunnelProgram)
	loaded, _ := program(e.One.CPU, record.TunnelProgram)
	return min(alone.Cores, probesMost*loaded.Cores)
}

// probesMost of what the program uses under load bounds what is ascribed to
// probes: alone, each wakes it up, and beside a stream it is awake.
const probesMost = 0.2

// program finds the program with a role.
func program(c *record.CPU, role record.Role) (record.ProgramUse, bool) {
	for _, p := range c.Programs {
		if p.Role == role {
			return p, true
		}
	}
	return record.ProgramUse{}, false
}

// leastUse is too little to tell a rate at full use.
const leastUse = 0.1

// TellingShare of a core that others take is worth a word.
const TellingShare = 0.05
