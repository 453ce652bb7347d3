package diagnose

import (
	"fmt"
	"strings"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// cpuBound: what carries the stream's packets on a host has all the
// processor time that it can have: a control group's limit is used up, a core
// is full of packets, or a program's one thread is.
//
// It is the whole diagnosis of its direction: what waits for the processor
// waits in a queue and is lost there, and no setting of TCP makes a packet
// cheaper.
func cpuBound(v *view) *finding.Finding {
	f, ok := v.fullest()
	if !ok {
		return nil
	}
	return &finding.Finding{
		Cause: finding.CPUBound, Confidence: f.confidence, Severity: 0.9,
		Summary:  v.cpuWords(f),
		Evidence: v.cpuEvidence(f),
		Remedies: v.cpuRemedies(f),
	}
}

func (v *view) cpuWords(f full) string {
	var b strings.Builder
	switch {
	case f.group != nil:
		fmt.Fprintf(&b, "%s may use %s on %s (control group %s), and was stopped in %d of %d periods for having used it up.",
			f.who, coresWord(f.group.Cores), f.end.words, f.group.Path, f.group.Throttled, f.group.Periods)
	case f.core != nil:
		fmt.Fprintf(&b, "Core %d of %s is full while the stream runs, and %s of it goes to %s.", f.core.Core, f.end.words, percent(f.carrying), f.who)
	default:
		fmt.Fprintf(&b, "%s does its work in one thread, and that keeps a core of %s full.", f.who, f.end.words)
	}
	what := "That carries"
	switch {
	case f.who == ownTCP:
		what = "Alone, it would carry"
	case f.core != nil:
		what = "A full core carries"
	}
	fmt.Fprintf(&b, " %s %s: one stream gets %s.", what, rate(f.ceiling), rate(v.rate))
	if f.who == ownTCP {
		b.WriteString(" That is what ends on this host: packets that it only forwards cost it less, and their streams are not bounded by it.")
	}
	switch {
	case v.bothKnown():
		fmt.Fprintf(&b, " %s", v.otherCores(f))
	case v.one.CPUFar > 0:
		fmt.Fprintf(&b, " What the far host's cores did is not known but for its iperf3 (%s of one).", percent(v.one.CPUFar))
	default:
		b.WriteString(" What the far host's cores did is not known: its iperf3 did not tell.")
	}
	return b.String()
}

// otherCores is how busy the other host was meanwhile.
func (v *view) otherCores(f full) string {
	for _, e := range v.ends() {
		if e.host == f.end.host {
			continue
		}
		busiest := 0.0
		if e.one.CPU != nil {
			for _, c := range e.one.CPU.Cores {
				busiest = max(busiest, c.Busy)
			}
		}
		if busiest > 0 {
			return fmt.Sprintf("The busiest core of %s was busy for %s of the time.", e.words, percent(busiest))
		}
		return fmt.Sprintf("What the cores of %s did is not known.", e.words)
	}
	return ""
}

func (v *view) cpuEvidence(f full) []finding.Evidence {
	c := f.end.one.CPU
	e := []finding.Evidence{
		{What: "one stream carries", Value: v.rate, Unit: finding.BitRate},
		{What: "at 100 % this carries", Value: f.ceiling, Unit: finding.BitRate},
	}
	add := func(what string, value float64, unit finding.Unit) {
		e = append(e, finding.Evidence{What: what, Value: value, Unit: unit})
	}
	if g := f.group; g != nil {
		add("of a core that the control group may use", g.Cores, finding.Ratio)
		add("of a core that it used", f.used*g.Cores, finding.Ratio)
		add("of its periods it was stopped", float64(g.Throttled)/float64(g.Periods), finding.Ratio)
	}
	for _, core := range c.Cores {
		if f.group != nil {
			break // its cores have time left
		}
		add(fmt.Sprintf("core %d busy", core.Core), core.Busy, finding.Ratio)
		add(fmt.Sprintf("core %d, packets in the kernel (softirq)", core.Core), core.SoftIRQ, finding.Ratio)
		if core.Kernel > 0 {
			add(fmt.Sprintf("core %d, programs in the kernel", core.Core), core.Kernel, finding.Ratio)
		}
		for _, u := range core.By {
			add(fmt.Sprintf("core %d, %s", core.Core, u.Name), u.Share, finding.Ratio)
		}
		if core.Stolen >= tellingShare {
			add(fmt.Sprintf("core %d, taken by other virtual machines", core.Core), core.Stolen, finding.Ratio)
		}
	}
	for _, p := range c.Programs {
		if p.Role == record.TunnelProgram {
			add("cores that "+p.Name+" kept busy", p.Cores, finding.Ratio)
		}
	}
	if v.bothKnown() {
		return e
	}
	far := v.one.CPUFar
	if far == 0 {
		far = -1
	}
	return append(e, finding.Evidence{What: "of a core, the far host's iperf3", Value: far, Unit: finding.Ratio})
}

// coresWord says how much of the processors a limit leaves.
func coresWord(cores float64) string {
	if cores < 1 {
		return percent(cores) + " of a core"
	}
	return fmt.Sprintf("%.3g cores", cores)
}
