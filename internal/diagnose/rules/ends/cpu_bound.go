package ends

import (
	"fmt"
	"strings"

	"unchoke/internal/diagnose/hosts"
	"unchoke/internal/diagnose/rules/words"
	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// CPUBound: what carries the stream's packets on a host has all the
// processor time that it can have: a control group's limit is used up, a core
// is full of packets, or a program's one thread is.
//
// It is the whole diagnosis of its direction: what waits for the processor
// waits in a queue and is lost there, and no setting of TCP makes a packet
// cheaper.
func CPUBound(v *view.View) *finding.Finding {
	f, ok := hosts.Fullest(v)
	if !ok {
		return nil
	}
	return &finding.Finding{
		Cause: finding.CPUBound, Confidence: f.Confidence, Severity: 0.9,
		Summary:  cpuWords(v, f),
		Evidence: cpuEvidence(v, f),
		Remedies: cpuRemedies(v, f),
	}
}

func cpuWords(v *view.View, f hosts.Full) string {
	var b strings.Builder
	switch {
	case f.Group != nil:
		fmt.Fprintf(&b, "%s may use %s on %s (control group %s), and was stopped in %d of %d periods for having used it up.",
			f.Who, coresWord(f.Group.Cores), f.End.Words, f.Group.Path, f.Group.Throttled, f.Group.Periods)
	case f.Core != nil:
		fmt.Fprintf(&b, "Core %d of %s is full while the stream runs, and %s of it goes to %s.", f.Core.Core, f.End.Words, words.Percent(f.Carrying), f.Who)
	default:
		fmt.Fprintf(&b, "%s does its work in one thread, and that keeps a core of %s full.", f.Who, f.End.Words)
	}
	what := "That carries"
	switch {
	case f.Who == hosts.OwnTCP:
		what = "Alone, it would carry"
	case f.Core != nil:
		what = "A full core carries"
	}
	fmt.Fprintf(&b, " %s %s: one stream gets %s.", what, words.Rate(f.Ceiling), words.Rate(v.Rate))
	if f.Who == hosts.OwnTCP {
		b.WriteString(" That is what ends on this host: packets that it only forwards cost it less, and their streams are not bounded by it.")
	}
	switch {
	case v.BothKnown():
		fmt.Fprintf(&b, " %s", otherCores(v, f))
	case v.One.CPUFar > 0:
		fmt.Fprintf(&b, " What the far host's cores did is not known but for its iperf3 (%s of one).", words.Percent(v.One.CPUFar))
	default:
		b.WriteString(" What the far host's cores did is not known: its iperf3 did not tell.")
	}
	return b.String()
}

// otherCores is how busy the other host was meanwhile.
func otherCores(v *view.View, f hosts.Full) string {
	for _, e := range v.Ends() {
		if e.Host == f.End.Host {
			continue
		}
		busiest := 0.0
		if e.One.CPU != nil {
			for _, c := range e.One.CPU.Cores {
				busiest = max(busiest, c.Busy)
			}
		}
		if busiest > 0 {
			return fmt.Sprintf("The busiest core of %s was busy for %s of the time.", e.Words, words.Percent(busiest))
		}
		return fmt.Sprintf("What the cores of %s did is not known.", e.Words)
	}
	return ""
}

func cpuEvidence(v *view.View, f hosts.Full) []finding.Evidence {
	c := f.End.One.CPU
	e := []finding.Evidence{
		{What: "one stream carries", Value: v.Rate, Unit: finding.BitRate},
		{What: "at 100 % this carries", Value: f.Ceiling, Unit: finding.BitRate},
	}
	add := func(what string, value float64, unit finding.Unit) {
		e = append(e, finding.Evidence{What: what, Value: value, Unit: unit})
	}
	if g := f.Group; g != nil {
		add("of a core that the control group may use", g.Cores, finding.Ratio)
		add("of a core that it used", f.Used*g.Cores, finding.Ratio)
		add("of its periods it was stopped", float64(g.Throttled)/float64(g.Periods), finding.Ratio)
	}
	for _, core := range c.Cores {
		if f.Group != nil {
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
		if core.Stolen >= hosts.TellingShare {
			add(fmt.Sprintf("core %d, taken by other virtual machines", core.Core), core.Stolen, finding.Ratio)
		}
	}
	for _, p := range c.Programs {
		if p.Role == record.TunnelProgram {
			add("cores that "+p.Name+" kept busy", p.Cores, finding.Ratio)
		}
	}
	if v.BothKnown() {
		return e
	}
	far := v.One.CPUFar
	if far == 0 {
		far = -1
	}
	return append(e, finding.Evidence{What: "of a core, the far host's iperf3", Value: far, Unit: finding.Ratio})
}

// coresWord says how much of the processors a limit leaves.
func coresWord(cores float64) string {
	if cores < 1 {
		return words.Percent(cores) + " of a core"
	}
	return fmt.Sprintf("%.3g cores", cores)
}
