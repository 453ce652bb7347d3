package load

import (
	"cmp"
	"iter"
	"slices"
	"sort"
	"time"

	"unchoke/internal/linux/proc"
	"unchoke/internal/record"
)

const (
	// A core's list has so many names at most, a transfer's so many programs.
	namesPerCore = 4
	morePrograms = 3
	// leastShare of a core is worth a name.
	leastShare = 0.02
)

// startShare of a transfer is its start, in which packets cost more: they come
// one by one, and what is sent is not yet what arrives.
const startShare = 0.25

// CPU is what the processors did during a transfer once it ran; nil where this
// host does not tell, or there was no time between the readings.
func (t *Transfer) CPU(began time.Time, length time.Duration) *record.CPU {
	if t == nil || len(t.looks) < 2 {
		return nil
	}
	first := t.nearest(began.Add(time.Duration(startShare * float64(length))))
	last := t.nearest(began.Add(length))
	span := t.looks[last].at.Sub(t.looks[first].at)
	if first >= last || span <= 0 {
		return nil
	}
	looks := t.looks[first : last+1]
	uses := t.usesOf(looks)
	out := &record.CPU{
		From: t.looks[first].at.Sub(began).Seconds(), Time: span.Seconds(),
		Cores:    cores(looks, uses),
		Programs: t.programs(looks),
		Groups:   groups(looks),
	}
	for _, l := range looks {
		for _, why := range l.unknown {
			if !slices.Contains(out.Unknown, why) {
				out.Unknown = append(out.Unknown, why)
			}
		}
	}
	return out
}

// usesOf tells by core who was seen there: the threads of the watched programs
// look by look, all else by where it ran last.
func (t *Transfer) usesOf(looks []look) map[int][]record.CoreUse {
	span := looks[len(looks)-1].at.Sub(looks[0].at)
	sums := map[int]map[record.CoreUse]time.Duration{}
	add := func(core int, name string, role record.Role, d time.Duration) {
		if sums[core] == nil {
			sums[core] = map[record.CoreUse]time.Duration{}
		}
		sums[core][record.CoreUse{Name: name, Role: role}] += d
	}
	for i := 1; i < len(looks); i++ {
		before := byThread(looks[i-1].threads)
		for _, now := range looks[i].threads {
			add(now.Core, t.name(now.pid, now.Name), now.role, now.Time-before[now.ID].Time)
		}
	}
	for now, share := range t.others() {
		add(now.Core, now.Name, roleOf(now), time.Duration(share*float64(span)))
	}
	out := map[int][]record.CoreUse{}
	for core, by := range sums {
		for use, d := range by {
			if use.Share = d.Seconds() / span.Seconds(); use.Share >= leastShare {
				out[core] = append(out[core], use)
			}
		}
	}
	return out
}

// span is the time between the readings of all processes, nearly.
func (t *Transfer) span() time.Duration {
	return t.looks[len(t.looks)-1].at.Sub(t.looks[0].at)
}

// others are the processes that are not watched, each with the share of a core
// that it used between the readings of all.
func (t *Transfer) others() iter.Seq2[proc.Task, float64] {
	return func(yield func(proc.Task, float64) bool) {
		whole := t.span()
		if whole <= 0 {
			return
		}
		for id, now := range t.last {
			if t.host.role(id) == record.OtherProgram && !yield(now, float64(now.Time-t.first[id].Time)/float64(whole)) {
				return
			}
		}
	}
}

// roleOf is what a process that is not watched is.
func roleOf(other proc.Task) record.Role {
	if other.Kernel {
		return record.KernelThread
	}
	return record.OtherProgram
}

// name is a process's: threads may have others.
func (t *Transfer) name(pid int, thread string) string {
	if p, ok := t.first[pid]; ok {
		return p.Name
	}
	return thread
}

func byThread(all []thread) map[int]proc.Task {
	out := map[int]proc.Task{}
	for _, t := range all {
		out[t.ID] = t.Task
	}
	return out
}

func cores(looks []look, uses map[int][]record.CoreUse) []record.Core {
	first, last := looks[0], looks[len(looks)-1]
	out := []record.Core{}
	for number, now := range last.cores {
		then, ok := first.cores[number]
		if !ok {
			continue // switched on meanwhile
		}
		whole := now.Busy + now.Idle + now.Stolen - then.Busy - then.Idle - then.Stolen
		if whole <= 0 {
			continue // a clock that stands still: a virtual machine's
		}
		share := func(a, b time.Duration) float64 { return max((a-b).Seconds()/whole.Seconds(), 0) }
		by := uses[number]
		if by == nil {
			by = []record.CoreUse{}
		}
		out = append(out, record.Core{
			Core: number, Busy: share(now.Busy, then.Busy), SoftIRQ: share(now.SoftIRQ, then.SoftIRQ),
			Kernel: share(now.Kernel, then.Kernel), Stolen: share(now.Stolen, then.Stolen), By: largest(by, namesPerCore),
		})
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Core < out[j].Core })
	return out
}

// programs are the watched ones, and those of the others that took most.
func (t *Transfer) programs(looks []look) []record.ProgramUse {
	first, last := byThread(looks[0].threads), looks[len(looks)-1]
	span := last.at.Sub(looks[0].at).Seconds()
	out := []record.ProgramUse{}
	for _, w := range t.host.watched() {
		p := record.ProgramUse{PID: w.pid, Role: w.role, Name: t.first[w.pid].Name}
		for _, now := range last.threads {
			if now.pid == w.pid {
				share := (now.Time - first[now.ID].Time).Seconds() / span
				p.Cores += share
				p.Thread = max(p.Thread, share)
				p.Waited += (now.Waited - first[now.ID].Waited).Seconds() / span
			}
		}
		out = append(out, p)
	}
	var others []record.ProgramUse
	for now, share := range t.others() {
		if share >= leastShare {
			others = append(others, record.ProgramUse{Name: now.Name, PID: now.ID, Role: roleOf(now), Cores: share})
		}
	}
	sort.SliceStable(others, func(i, j int) bool {
		a, b := &others[i], &others[j]
		return cmp.Or(cmp.Compare(b.Cores, a.Cores), cmp.Compare(a.PID, b.PID)) < 0
	})
	return append(out, others[:min(morePrograms, len(others))]...)
}

func groups(looks []look) []record.GroupUse {
	first, last := looks[0], looks[len(looks)-1]
	span := last.at.Sub(first.at).Seconds()
	var out []record.GroupUse
	for _, now := range last.groups {
		i := slices.IndexFunc(first.groups, func(g group) bool {
			return g.role == now.role && g.Path == now.Path && g.Version == now.Version
		})
		if i < 0 {
			continue // moved there meanwhile
		}
		then := first.groups[i]
		out = append(out, record.GroupUse{
			Path: now.Path, Version: now.Version, Role: now.role, Cores: now.Cores,
			Used: (now.Used - then.Used).Seconds() / span, Periods: now.Periods - then.Periods, Throttled: now.Throttled - then.Throttled,
		})
	}
	return out
}
