package amend

import (
	"cmp"
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
	return eachHost(v.Run, f, record.Host{}, func(r *finding.Remedy, h *record.Host, where string) { ofHost(v, r, h, where) })
}

// eachHost is a finding of which those remedies were changed that a host can take: each by
// what is known of the host, untold of a far one that did not tell, and a word for it.
func eachHost(run *record.Run, f finding.Finding, untold record.Host, change func(*finding.Remedy, *record.Host, string)) finding.Finding {
	f.Remedies = slices.Clone(f.Remedies)
	for i := range f.Remedies {
		r := &f.Remedies[i]
		switch {
		case r.Action == nil:
		case r.Host == "near":
			change(r, &run.Near, here)
		case r.Host == "far":
			change(r, cmp.Or(run.FarHost, &untold), there)
		}
	}
	return f
}

// Words for a host.
const here, there = "here", "there"

// ofHost is a remedy for a host, as far as its values are known; where is a word for it. A
// host that did not tell its buffers has Linux's default, unless somebody changed it.
func ofHost(v *view.View, r *finding.Remedy, h *record.Host, where string) {
	a := *r.Action
	if a.Kind == finding.KindCC {
		said, can := congestionControl(h, a.CC, where)
		r.What = said + r.What
		if !can {
			r.Action, r.Command = nil, ""
		}
		return
	}
	key, has, most := buffer(h, a.Kind)
	if key == "" {
		return
	}
	told := has[2] > 0
	small := ", which is enough: a program set its own buffer, or a limit of its own"
	if told {
		most = has[2]
	} else {
		where = "by default (sysctl net.ipv4." + key + " tells what it is there)"
		small = ", which is enough: it is less there, or a program set its own buffer"
	}
	said := fmt.Sprintf("%s allows %s %s", key, unit.HumanSize(float64(most)), where)
	switch {
	case v.BDP() <= 0: // no echo was answered: nobody knows what the path wants
	case a.Bytes <= most:
		said += small
	default:
		r.What = fmt.Sprintf("%s; this path wants %s. %s", said, unit.HumanSize(float64(a.Bytes)), r.What)
		if told {
			r.Command = fmt.Sprintf("sysctl -w net.ipv4.%s='%d %d %d'", key, has[0], has[1], a.Bytes)
		}
		return
	}
	r.What = said + ". " + r.What
	r.Action, r.Command = nil, ""
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

// buffer is the key and the triple of a host's sysctl that bounds a buffer, and the bound
// that Linux gives it; nothing for what bounds none.
func buffer(h *record.Host, kind finding.Kind) (key string, has [3]int64, usual int64) {
	switch kind {
	case finding.KindSendBuffer:
		return "tcp_wmem", h.TCPWmem, finding.DefaultSendMost
	case finding.KindReceiveBuffer:
		return "tcp_rmem", h.TCPRmem, finding.DefaultReceiveMost
	}
	return "", [3]int64{}, 0
}
