package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// endpoint is far's address outside the network, and relay the only one.
const (
	endpoint = "10.0.0.2:41641"
	relay    = "lab"
)

// slowShare: a stream that carries less of what the path lets pass than this
// would gain a third without what holds it back.
const slowShare = 0.75

// truth lists the verdicts that are right. A stream that stock iperf3 sees slow
// over a relay is the relay's; over a direct path what the path does to packets
// is the cause. One that is not slow either way is healthy, but for a policer,
// which is what sets the rate. Where the path changes, part of the check was
// relayed and part was not: either part's truth is right.
func (o outcome) truth() []finding.Cause {
	switch {
	case o.flips():
		return []finding.Cause{finding.Relayed, o.beneath()}
	case o.way == relayed && o.slow():
		return []finding.Cause{finding.Relayed}
	case o.way == relayed:
		return []finding.Cause{finding.Relayed, finding.Healthy}
	}
	return []finding.Cause{o.beneath()}
}

// beneath is the truth of a direct path.
func (o outcome) beneath() finding.Cause {
	if o.condition != policed && !o.slow() {
		return finding.Healthy
	}
	return map[condition]finding.Cause{clean: finding.Healthy, lossy: finding.LossLimited, jittery: finding.Reordering, policed: finding.Policed}[o.condition]
}

func (o outcome) slow() bool { return min(o.up, o.down) < slowShare*o.rate }

func (o outcome) right() bool { return slices.Contains(o.truth(), o.said.Verdict) }

// objections are what the check got wrong about who carried the packets.
func (o outcome) objections() []string {
	var wrong []string
	t := o.said.Path.Tunnel
	expect := func(what string, ok bool) {
		if !ok {
			wrong = append(wrong, what)
		}
	}
	expect("kind "+t.Kind, t.Kind == "tailscale")
	var ways []record.Via
	for _, w := range t.Ways {
		switch w.Via {
		case record.Relayed:
			expect("relay "+w.Relay, w.Relay == relay)
		case record.Direct:
			expect("endpoint "+w.Endpoint, w.Endpoint == endpoint)
		case record.Idle:
			continue
		}
		if len(ways) == 0 || ways[len(ways)-1] != w.Via {
			ways = append(ways, w.Via)
		}
	}
	want := map[way][]record.Via{
		direct: {record.Direct}, relayed: {record.Relayed},
		opens: {record.Relayed, record.Direct}, closes: {record.Direct, record.Relayed},
	}[o.way]
	expect(fmt.Sprintf("ways %v", ways), slices.Equal(ways, want))
	last := o.way == relayed || o.way == closes
	expect(fmt.Sprintf("relayed %v", t.Relayed), t.Relayed == last)
	expect("unknown: "+strings.Join(t.Unknown, "; "), len(t.Unknown) == 0)
	if o.userspace {
		expect("far TCP "+string(t.FarTCP), t.FarTCP == record.Userspace)
	} else {
		expect("far TCP "+string(t.FarTCP), t.FarTCP == record.Kernel)
	}
	// A relayed tunnel is no matter of this host's TCP, nor of its queue.
	for _, f := range o.said.Findings {
		for _, r := range f.Remedies {
			if o.way == relayed && r.Action != nil {
				expect("remedy "+r.Command, false)
			}
		}
	}
	return wrong
}

// tally counts outcomes.
type tally struct{ paths, carriers, verdicts int }

// failed counts a check that ended with an error.
func (t *tally) failed(w io.Writer, c testCase, err error) {
	t.path(w)
	fmt.Fprintf(w, "%-8s %-8s %-52s %9s %9s  %-14s %v\n", c.way, c.condition, c.path, "", "", "failed", err)
}

// path counts one more path; the first is printed below a heading.
func (t *tally) path(w io.Writer) {
	if t.paths == 0 {
		fmt.Fprintf(w, "%-8s %-8s %-52s %9s %9s  %-14s %s\n", "way", "beneath", "path", "up", "down", "verdict", "wrong")
	}
	t.paths++
}

func (t *tally) add(w io.Writer, o outcome) {
	t.path(w)
	wrong := o.objections()
	if len(wrong) == 0 {
		t.carriers++
	}
	if o.right() {
		t.verdicts++
	} else {
		wrong = append(wrong, fmt.Sprintf("verdict, not %v", o.truth()))
	}
	fmt.Fprintf(w, "%-8s %-8s %-52s %9.3g %9.3g  %-14s %s\n", o.way, o.condition, o.path, o.up, o.down, o.said.Verdict, strings.Join(wrong, "; "))
}

// sum prints the totals, and says whether they suffice.
func (t *tally) sum(w io.Writer, least float64) error {
	fmt.Fprintf(w, "\nkind, endpoint and relay right in %d of %d, the verdict in %d\n", t.carriers, t.paths, t.verdicts)
	var errs []error
	if t.carriers < t.paths {
		errs = append(errs, fmt.Errorf("kind, endpoint or relay wrong in %d of %d", t.paths-t.carriers, t.paths))
	}
	if float64(t.verdicts) < least*float64(t.paths) {
		errs = append(errs, fmt.Errorf("%d of %d verdicts right, wanted %.0f %%", t.verdicts, t.paths, least*100))
	}
	return errors.Join(errs...)
}
