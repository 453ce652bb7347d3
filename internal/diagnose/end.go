package diagnose

import (
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// end is one of the two hosts, as far as it told of itself.
type end struct {
	host  string           // near or far, as in finding.Remedy
	words string           // for it in a sentence
	where finding.Where    // what it is in the direction
	facts *record.Host     // what it told of itself
	route *record.Route    // nil where unknown
	nics  []record.NIC     // network cards of the way
	one   *record.Transfer // its account of the one stream
	idle  *record.CPU      // without load
}

// ends are the hosts that told of themselves in this direction, the near one
// first.
func (v *view) ends() []end {
	near := end{
		host: "near", words: "this host", where: v.is("near"), facts: &v.run.Near,
		route: &v.run.Route, nics: v.run.NICs, one: v.one, idle: v.run.IdleCPU,
	}
	if v.one.FarSide == nil || v.run.FarHost == nil {
		return []end{near}
	}
	return []end{near, {
		host: "far", words: "the far host", where: v.is("far"), facts: v.run.FarHost,
		route: v.run.FarRoute, nics: v.run.FarNICs, one: v.one.FarSide,
	}}
}

// at is the end of that name; ok is false where it told nothing.
func (v *view) at(host string) (e end, ok bool) {
	for _, e := range v.ends() {
		if e.host == host {
			return e, true
		}
	}
	return end{}, false
}

// bothKnown says that the far host told what it saw of the one stream.
func (v *view) bothKnown() bool { return len(v.ends()) == 2 }

// is what a host is in the direction.
func (v *view) is(host string) finding.Where {
	if v.sender() == host {
		return finding.Sender
	}
	return finding.Receiver
}

// tunnel is the way of the packets as an end knows it.
func (e end) tunnel() record.Tunnel {
	if e.route == nil {
		return record.Tunnel{}
	}
	return e.route.Tunnel
}
