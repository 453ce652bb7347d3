package view

import (
	"unchoke/internal/diagnose/seen"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// End is one of the two hosts, as far as it told of itself.
type End struct {
	Host  string           // near or far, as in finding.Remedy
	Words string           // for it in a sentence
	Where finding.Where    // what it is in the direction
	Facts *record.Host     // what it told of itself
	Route *record.Route    // nil where unknown
	NICs  []record.NIC     // network cards of the way
	One   *record.Transfer // its account of the one stream
	Idle  *record.CPU      // without load
}

// Ends are the hosts that told of themselves in this direction, the near one
// first.
func (v *View) Ends() []End {
	near := End{
		Host: "near", Words: "this host", Where: v.is("near"), Facts: &v.Run.Near,
		Route: &v.Run.Route, NICs: v.Run.NICs, One: v.One, Idle: v.Run.IdleCPU,
	}
	if v.One.FarSide == nil || v.Run.FarHost == nil {
		return []End{near}
	}
	return []End{near, {
		Host: "far", Words: "the far host", Where: v.is("far"), Facts: v.Run.FarHost,
		Route: v.Run.FarRoute, NICs: v.Run.FarNICs, One: v.One.FarSide,
	}}
}

// At is the end of that name; ok is false where it told nothing.
func (v *View) At(host string) (e End, ok bool) {
	for _, e := range v.Ends() {
		if e.Host == host {
			return e, true
		}
	}
	return End{}, false
}

// BothKnown says that the far host told what it saw of the one stream.
func (v *View) BothKnown() bool { return len(v.Ends()) == 2 }

// is what a host is in the direction.
func (v *View) is(host string) finding.Where {
	if v.Sender() == host {
		return finding.Sender
	}
	return finding.Receiver
}

// Tunnel is the way of the packets as an end knows it.
func (e End) Tunnel() record.Tunnel {
	if e.Route == nil {
		return record.Tunnel{}
	}
	return e.Route.Tunnel
}

// KernelBefore says that the host's kernel is older than a release, or that
// it is not known.
func (e End) KernelBefore(major, minor int) bool {
	r, known := seen.Release(e.Facts.Kernel)
	return !known || r[0] < major || r[0] == major && r[1] < minor
}
