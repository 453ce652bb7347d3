package tune

import (
	"fmt"
	"slices"
	"strings"

	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/tune/sysctld"
)

// ExplanationSchema names this version of the document.
const ExplanationSchema = "unchoke.tune.explanation/1"

// Explanation answers why a congestion control that was enabled changed
// nothing.
type Explanation struct {
	Schema string `json:"schema"`
	// Wanted is the algorithm that was to be in force.
	Wanted string `json:"wanted"`
	// Default is the one that new connections get.
	Default string    `json:"default,omitempty"`
	For     *Measured `json:"for,omitempty"`
	Reasons []Because `json:"reasons"` // the weightiest first
}

// Because is one reason that holds on this host.
type Because struct {
	Reason string `json:"reason"` // a word: overridden, no-kernel, old-connections, …
	What   string `json:"what"`
	Next   string `json:"next,omitempty"`
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
}

// Explain looks for what keeps an algorithm from acting. m is the last check's
// result, or nil.
func Explain(f *Facts, m *Measured, wanted string) Explanation {
	e := Explanation{Schema: ExplanationSchema, Wanted: wanted, Default: f.Sysctls[keyCC], For: m, Reasons: []Because{}}
	for _, look := range []func(*Facts, *Measured, string) []Because{
		withoutKernel, notInForce, lostAtBoot, allowedOnly, byRoute, oldConnections, oldQdiscs, ofThePath, notThisStack,
	} {
		e.Reasons = append(e.Reasons, look(f, m, wanted)...)
	}
	return e
}

func withoutKernel(f *Facts, _ *Measured, wanted string) []Because {
	switch {
	case wanted == bbr && f.Kernel.before(4, 9):
		return []Because{{Reason: string(OldKernel), What: "Linux " + f.Kernel.Release + " has no BBR: it came with 4.9.", Next: "install a newer kernel of your distribution"}}
	case !f.Kernel.has("tcp_"+wanted) && (f.Root != "" || !slices.Contains(f.Kernel.Available, wanted)):
		return []Because{{Reason: string(NoModule), What: "This kernel has no " + wanted + ", neither built in nor as a module. A file that sets it does nothing: the readers of such files show no error at boot.", Next: "install your distribution's full kernel; tcp_available_congestion_control and a module tcp_" + wanted + " on disk tell what there is"}}
	}
	return nil
}

// notInForce: the kernel's default is another one. The files say why.
func notInForce(f *Facts, _ *Measured, wanted string) []Because {
	have, running := f.Sysctls[keyCC]
	if !running || have == wanted {
		return nil
	}
	reasons := overridden(f, wanted)
	if len(reasons) > 0 {
		return reasons
	}
	return []Because{{Reason: "not-set", What: fmt.Sprintf("%s is %s, and no file that is read at boot sets it to %s.", keyCC, have, wanted), Next: "unchoke tune plan"}}
}

// lostAtBoot: it is in force now and will not be after the next boot.
func lostAtBoot(f *Facts, _ *Measured, wanted string) []Because {
	if have, running := f.Sysctls[keyCC]; running && have != wanted {
		return nil
	}
	after, set := f.afterBoot(f.Boot)[keyCC]
	switch {
	case set && after != wanted:
		return overridden(f, wanted)
	case !set && f.byDefault(keyCC) != wanted:
		reasons := overridden(f, wanted)
		if len(reasons) == 0 {
			reasons = []Because{{Reason: "not-persistent", What: fmt.Sprintf("%s is %s now, and no file that is read at boot sets it: after a reboot it is gone.", keyCC, wanted), Next: "unchoke tune plan"}}
		}
		return reasons
	}
	return nil
}

// overridden names the lines that ask for the algorithm and what undoes them.
func overridden(f *Facts, wanted string) []Because {
	r := f.atBoot()
	all := r.read(f.Boot, keyFiles())
	_, from, failed := run(r, f.Boot, f.fresh())
	winner, won := from[keyCC]
	var out []Because
	for _, a := range everyLine(f.Boot) {
		if a.Value != wanted || a.File == winner.File && a.Line == winner.Line {
			continue
		}
		at := fmt.Sprintf("%s:%d", a.File, a.Line)
		switch {
		case slices.ContainsFunc(failed, func(x sysctld.Failure) bool { return x.File == a.File && x.Line == a.Line }):
			out = append(out, Because{Reason: "refused", File: a.File, Line: a.Line, What: at + " sets it, and the kernel refuses: it has no " + wanted + " at that moment. No error is shown.", Next: "have tcp_" + wanted + " loaded at boot: echo tcp_" + wanted + " > /etc/modules-load.d/" + wanted + ".conf"})
		case won && winner.Value != wanted:
			out = append(out, Because{Reason: "overridden", File: winner.File, Line: winner.Line, What: fmt.Sprintf("%s sets it to %s, and %s sets it to %s after that (%s).", at, wanted, place(winner), winner.Value, r.name), Next: resolution(winner)})
		case !slices.ContainsFunc(all, func(x sysctld.Assignment) bool { return x.File == a.File }):
			out = append(out, Because{Reason: "not-read", File: a.File, Line: a.Line, What: fmt.Sprintf("%s sets it, and %s does not read that file.", at, r.name), Next: "put the line into a file of /etc/sysctl.d, with a name that sorts last"})
		}
	}
	if len(out) == 0 && won && winner.Value != wanted {
		out = append(out, Because{Reason: "overridden", File: winner.File, Line: winner.Line, What: fmt.Sprintf("%s sets it to %s (%s).", place(winner), winner.Value, r.name), Next: resolution(winner)})
	}
	if t := f.Tuned; t != nil && t.Active {
		for _, a := range t.Settings {
			if keyOf(a.Key) == keyCC && a.Value != wanted {
				out = append(out, Because{Reason: "tuned", File: a.File, Line: a.Line, What: fmt.Sprintf("tuned's profile %s sets it to %s whenever tuned starts.", t.Profile, a.Value), Next: "change the profile, or leave the setting to /etc/sysctl.d with reapply_sysctl = 1"})
			}
		}
	}
	return out
}

// everyLine are the lines of all files that set the default algorithm, read
// or not.
func everyLine(t sysctld.Tree) []sysctld.Assignment {
	var out []sysctld.Assignment
	for _, a := range append(sysctld.Procps(t, keyFiles()), sysctld.Systemd(t, keyFiles())...) {
		if keyOf(a.Key) == keyCC && !slices.ContainsFunc(out, func(x sysctld.Assignment) bool { return x.File == a.File && x.Line == a.Line }) {
			out = append(out, a)
		}
	}
	return out
}

// allowedOnly: programs that choose for themselves may not choose it.
func allowedOnly(f *Facts, _ *Measured, wanted string) []Because {
	list, ok := f.Sysctls[keyAllowed]
	if !ok || slices.Contains(strings.Fields(list), wanted) || !slices.Contains(f.Kernel.Available, wanted) {
		return nil
	}
	return []Because{{Reason: "not-allowed", What: fmt.Sprintf("%s is %q: a program without privileges that asks for %s is refused (EPERM), and most then carry on with the default.", keyAllowed, list, wanted), Next: fmt.Sprintf("sysctl -w %s=%q", keyAllowed, with(list, wanted))}}
}

// byRoute: a route gives its sockets another one.
func byRoute(f *Facts, m *Measured, wanted string) []Because {
	var out []Because
	for _, r := range f.Routes {
		if r.Value.CC != "" && r.Value.CC != wanted && (m == nil || m.Device == r.Key.Device) {
			out = append(out, Because{Reason: "route", What: fmt.Sprintf("The route to %s by %s gives its connections %s, whatever the default.", r.Key.Prefix, r.Key.Device, r.Value.CC), Next: r.change(wanted)})
		}
	}
	return out
}

func oldConnections(f *Facts, _ *Measured, wanted string) []Because {
	var old, all int
	var kinds []string
	for cc, n := range f.Sockets {
		all += n
		if cc != wanted {
			old += n
			kinds = append(kinds, cc)
		}
	}
	if old == 0 {
		return nil
	}
	slices.Sort(kinds)
	return []Because{{Reason: "old-connections", What: fmt.Sprintf("%d of %d established connections still run %s: a connection keeps the algorithm that it began with.", old, all, strings.Join(kinds, ", ")), Next: "let the programs connect anew: restart the service, or wait"}}
}

// oldQdiscs: default_qdisc acts when a device first comes up.
func oldQdiscs(f *Facts, _ *Measured, wanted string) []Because {
	if wanted != bbr || f.Sysctls[keyQdisc] != fq {
		return nil
	}
	var left []string
	for _, d := range f.Devices {
		if treat(d, false).to != nil {
			left = append(left, d.Name+" ("+d.Qdisc.describe()+")")
		}
	}
	if len(left) == 0 {
		return nil
	}
	return []Because{{Reason: "old-qdisc", What: fmt.Sprintf("default_qdisc is fq, and %s came up before that. BBR works without (it paces itself), with more work for the processor.", strings.Join(left, ", ")), Next: "unchoke tune plan"}}
}

// ofThePath: what the last check found says that it could not have helped, or
// not from here.
func ofThePath(_ *Facts, m *Measured, wanted string) []Because {
	if m == nil {
		return []Because{{Reason: "unmeasured", What: "Whether the path is one on which the algorithm matters is not known: no check of it is on record.", Next: "unchoke check TARGET"}}
	}
	var out []Because
	for _, d := range record.Directions {
		w := m.way(d)
		if w == nil || len(w.Causes) == 0 {
			continue
		}
		word := directionWord(d)
		cause := finding.Of(w.Causes[0])
		switch {
		case cause.Cause == finding.Healthy:
			out = append(out, Because{Reason: "not-loss-limited", What: fmt.Sprintf("%s is not held back by loss: one stream carries %s of %s.", word, rate(w.Rate), rate(w.Capacity))})
		case cause.Plan == finding.KindCC && cause.Host.Host(d) == "far":
			out = append(out, Because{Reason: "far-sender", What: fmt.Sprintf("%s is slow (%s), and there the far host sends: its algorithm counts, not this host's.", word, cause.Cause), Next: "unchoke tune plan on the far host"})
		case cause.Cause == finding.Policed:
			out = append(out, Because{Reason: "policed", What: fmt.Sprintf("%s meets a policer at %s: no algorithm carries more than that.", word, rate(w.Policer))})
		case cause.Cause == finding.NoSACK:
			out = append(out, Because{Reason: string(cause.Cause), What: fmt.Sprintf("%s has no selective acknowledgements: whatever the algorithm, each lost packet costs a round trip.", word), Next: "unchoke tune plan"})
		case cause.Plan == finding.KindSendBuffer || cause.Plan == finding.KindReceiveBuffer:
			out = append(out, Because{Reason: string(cause.Cause), What: fmt.Sprintf("%s is held back by a buffer (%s), which no congestion control changes.", word, cause.Cause), Next: "unchoke tune plan"})
		case d == record.Up && w.CC == wanted:
			out = append(out, Because{Reason: "already", What: fmt.Sprintf("%s already ran with %s when it was measured, and carried %s of %s: another algorithm is not what is missing.", word, wanted, rate(w.Rate), rate(w.Capacity))})
		}
	}
	if m.tunnelled() {
		out = append(out, Because{Reason: "udp", What: "The path goes through a tunnel (" + m.Tunnel + "). Where its packets are UDP, no congestion control touches them, as it does not touch QUIC or any other UDP: only TCP connections that begin or end on this host change."})
	}
	return out
}

// notThisStack: connections that this kernel's TCP does not carry.
func notThisStack(f *Facts, _ *Measured, _ string) []Because {
	var out []Because
	for _, s := range f.Stack {
		out = append(out, Because{Reason: "userspace-stack", What: s.Program + " has a TCP of its own: " + s.What})
	}
	if f.System.Forwards {
		out = append(out, Because{Reason: "forwarding", What: "This host forwards packets: connections that only pass through it keep the algorithm of the hosts at their ends."})
	}
	if f.namespaced() {
		out = append(out, Because{Reason: "namespace", What: "This is not the host's first network namespace: the default algorithm is each namespace's own, and what runs outside has another one."})
	}
	return out
}
