package tune

import (
	"errors"
	"fmt"
	"strings"
)

// Options are what the user asks of a plan.
type Options struct {
	Scope  Scope
	Remedy Remedy
	// Resolve also edits the files below /etc that would win over the plan's.
	Resolve bool
}

// ErrNoSuchRoute says that the routing table has no route within the prefix.
var ErrNoSuchRoute = errors.New("no route")

// ErrNoSuchDevice says that no device of that name is up.
var ErrNoSuchDevice = errors.New("no device")

// Make decides what to change. m is nil where nothing was measured.
func Make(f *Facts, m *Measured, o Options) (Plan, error) {
	if o.Remedy == "" {
		o.Remedy = Auto
	}
	b := builder{facts: f, measured: m, options: o}
	b.plan = Plan{Schema: PlanSchema, Scope: o.Scope, Remedy: o.Remedy, Resolve: o.Resolve, Root: f.Root, For: m, Changes: []Change{}, Conflicts: []Conflict{}, Notes: []Note{}}
	b.needs = assess(f, m, o.Remedy)
	b.plan.Notes = append(b.plan.Notes, b.needs.notes...)
	b.plan.Notes = append(b.plan.Notes, reachNotes(f, m)...)
	var err error
	switch {
	case o.Scope.Prefix.IsValid():
		err = b.route()
	case o.Scope.Device != "":
		err = b.device()
	default:
		b.host()
	}
	if len(b.plan.Changes) == 0 && b.occupied == "" {
		return b.plan, err
	}
	if u := b.refusal(); u != nil {
		b.plan.Unsupported = u
		b.plan.Changes, b.plan.Conflicts = []Change{}, []Conflict{}
		return b.plan, nil
	}
	return b.plan, err
}

// Options are what the plan was made with.
func (p *Plan) Options() Options {
	return Options{Scope: p.Scope, Remedy: p.Remedy, Resolve: p.Resolve}
}

// WithoutBoot is the plan without what counts from the next boot on.
func (p Plan) WithoutBoot() Plan {
	var now []Change
	for _, c := range p.Changes {
		if c.When == Now {
			now = append(now, c)
		}
	}
	p.Changes = now
	return p
}

// Same returns nil where two plans make the same changes, and otherwise says what
// the first difference is: the host is another one, or it was changed.
func (p *Plan) Same(now *Plan) error {
	for i, c := range p.Changes {
		if i >= len(now.Changes) {
			return fmt.Errorf("%s is in the plan, and needs no change now", c.Key)
		}
		n := now.Changes[i]
		if c.Kind != n.Kind || c.Key != n.Key || c.When != n.When {
			return fmt.Errorf("%s would be changed now, where the plan changes %s", n.Key, c.Key)
		}
		if !equal(c.Old, n.Old) {
			return fmt.Errorf("%s is %s, and was %s when the plan was made", c.Key, Words(c.Kind, n.Old), Words(c.Kind, c.Old))
		}
		if !equal(c.New, n.New) {
			return fmt.Errorf("%s would become %s now, where the plan makes it %s", c.Key, Words(c.Kind, n.New), Words(c.Kind, c.New))
		}
	}
	if len(now.Changes) > len(p.Changes) {
		return fmt.Errorf("%s would be changed now, and is not in the plan", now.Changes[len(p.Changes)].Key)
	}
	return nil
}

func equal(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

type builder struct {
	facts    *Facts
	measured *Measured
	options  Options
	needs    needs
	plan     Plan
	wants    []want
	occupied string // a directory that has the name of a file of the plan's
}

func (b *builder) change(kind Kind, key string, when When, have, value *string, why string) {
	b.plan.Changes = append(b.plan.Changes, Change{Kind: kind, Key: key, When: when, Old: have, New: value, Why: why})
}

func (b *builder) note(about, command, format string, args ...any) {
	b.plan.Notes = append(b.plan.Notes, Note{About: about, What: fmt.Sprintf(format, args...), Command: command})
}

// running says that the plan is for this kernel, not for an image.
func (b *builder) running() bool { return b.facts.Root == "" }

// host changes the whole host: the defaults that all sockets and devices
// start with, and the devices that are up.
func (b *builder) host() {
	if b.needs.bbr != "" {
		b.module(moduleBBR, "the algorithm is a module")
		if b.facts.namespaced() {
			b.note("namespace", "", "This is not the host's first network namespace: it has no default_qdisc of its own and cannot load modules, so that both are left out, also from what counts at boot.")
		} else if b.facts.Kernel.has(moduleFQ) {
			b.module(moduleFQ, "the qdisc is a module")
			b.wants = append(b.wants, want{keyQdisc, exactly(fq), "devices that come up get a qdisc that sends each packet at its time, which spares the kernel a timer for each socket"})
		} else {
			b.note("qdisc", "", "This kernel has no fq. BBR paces itself then (Linux 4.13 and later), at the cost of a timer for each socket.")
		}
		b.wants = append(b.wants, want{keyCC, exactly(bbr), b.needs.bbr})
	}
	b.wants = append(b.wants, b.needs.sysctl...)
	b.setNow()
	if b.needs.bbr != "" {
		b.allowed()
	}
	b.qdiscs()
	b.setAtBoot()
}

// module loads one now, and at every boot.
func (b *builder) module(name, why string) {
	if b.running() && !b.facts.namespaced() && !b.facts.Kernel.is(name) {
		b.change(Module, name, Now, nil, new(loaded), why)
	}
}

// setNow changes what the kernel holds.
func (b *builder) setNow() {
	for _, w := range b.wants {
		have, ok := b.facts.Sysctls[w.key]
		if !ok {
			if b.running() && w.key != keyQdisc {
				b.note("sysctl", "", "%s does not exist here: it belongs to the host's first network namespace, or to a newer kernel.", w.key)
			}
			continue
		}
		if value := w.value(have); value != have {
			b.change(Sysctl, w.key, Now, &have, &value, w.why)
		}
	}
}

// allowed notes what the kernel does by itself when the default changes, so
// that it is taken back as well.
func (b *builder) allowed() {
	have, ok := b.facts.Sysctls[keyAllowed]
	if !ok || b.facts.Sysctls[keyCC] == bbr {
		return
	}
	k := b.facts.model(map[string]string{keyCC: b.facts.Sysctls[keyCC], keyAllowed: have})
	if err := k.Write(fileOf(keyCC), bbr); err != nil {
		return
	}
	if value := k.Values[fileOf(keyAllowed)]; value != have {
		b.change(Sysctl, keyAllowed, Now, &have, &value, "the kernel adds the default to what any program may choose; listed so that reverting takes it back")
	}
}

// reachNotes tell whom a plan for this host does not reach.
func reachNotes(f *Facts, m *Measured) []Note {
	var out []Note
	for _, s := range f.Stack {
		out = append(out, Note{About: "userspace-stack", What: s.Program + " has a TCP of its own: " + s.What})
	}
	if f.System.Forwards {
		out = append(out, Note{About: "forwarding", What: "This host forwards packets. What it forwards keeps the congestion control of the hosts at its ends: only connections that begin or end here change."})
	}
	if f.System.Container != "" {
		out = append(out, Note{About: "container", What: "This is a container (" + f.System.Container + "): its kernel is the host's, so that modules, default_qdisc and physical devices are the host's to change."})
	}
	if f.Unprivileged {
		out = append(out, Note{About: "permission", What: "This user may not change the network: making the plan's changes needs root."})
	}
	if m != nil && m.Tunnel == "wireguard" {
		out = append(out, Note{About: "udp", What: "The tunnel's own packets are UDP, which no congestion control paces; the TCP connections inside it are what the plan is about."})
	}
	return out
}

// oneLine keeps a reason on the line that it is a comment of.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
