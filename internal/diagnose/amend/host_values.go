package amend

import (
	"fmt"
	"slices"
	"strings"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/unit"
)

// withHostValues names what a host has now in the remedies for it, leaves what need not
// change as it is there, and proposes nothing that its kernel cannot do.
func withHostValues(v *view.View, f finding.Finding) finding.Finding {
	f.Remedies = slices.Clone(f.Remedies)
	for i := range f.Remedies {
		r := &f.Remedies[i]
		if r.Action == nil {
			continue
		}
		switch {
		case r.Host == "far" && v.Run.FarHost != nil:
			ofHost(r, v.Run.FarHost, there)
		case r.Host == "near":
			ofHost(r, &v.Run.Near, here)
		}
	}
	return f
}

// Words for a host.
const here, there = "here", "there"

// ofHost is a remedy for a host whose values are known; where is a word for it.
func ofHost(r *finding.Remedy, h *record.Host, where string) {
	a := *r.Action
	if a.Kind == finding.KindCC {
		said, can := congestionControl(h, a.CC, where)
		r.What = said + r.What
		if !can {
			r.Action, r.Command = nil, ""
		}
		return
	}
	key, has := buffer(h, a.Kind)
	switch {
	case has[2] == 0:
	case a.Bytes <= has[2]:
		r.What = fmt.Sprintf("%s allows %s %s, which is enough: a program set its own buffer, or a limit of its own. %s",
			key, unit.HumanSize(float64(has[2])), where, r.What)
		r.Action, r.Command = nil, ""
	default:
		r.What = fmt.Sprintf("%s allows %s %s; this path wants %s. %s",
			key, unit.HumanSize(float64(has[2])), where, unit.HumanSize(float64(a.Bytes)), r.What)
		r.Command = fmt.Sprintf("sysctl -w net.ipv4.%s='%d %d %d'", key, has[0], has[1], a.Bytes)
	}
}

// congestionControl says what new connections of a host get, where that and what its kernel
// has is known and differs, and whether that kernel can give them an algorithm. That this host has one goes
// without saying: a report begins with what it uses.
func congestionControl(h *record.Host, cc, where string) (said string, can bool) {
	if h.CC == "" || h.CC == cc || len(h.Available) == 0 {
		return "", true
	}
	said = fmt.Sprintf("New connections %s get %s; ", where, h.CC)
	switch {
	case slices.Contains(h.Available, cc) && where == here:
		return "", true
	case slices.Contains(h.Available, cc):
		return said + fmt.Sprintf("its kernel has %s. ", cc), true
	case slices.Contains(h.Loadable, cc):
		return said + fmt.Sprintf("%s is a module %s (modprobe tcp_%s). ", cc, where, cc), true
	}
	return said + fmt.Sprintf("its kernel has no %s, only %s. ", cc, strings.Join(h.Available, ", ")), false
}

// buffer is the key and the triple of a host's sysctl that bounds a buffer; nothing for
// what bounds none.
func buffer(h *record.Host, kind finding.Kind) (key string, has [3]int64) {
	switch kind {
	case finding.KindSendBuffer:
		return "tcp_wmem", h.TCPWmem
	case finding.KindReceiveBuffer:
		return "tcp_rmem", h.TCPRmem
	}
	return "", [3]int64{}
}
