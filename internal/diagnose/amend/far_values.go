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

// withFarValues names what the far host has now in the remedies for it, and
// leaves what it need not change as it is there.
func withFarValues(v *view.View, f finding.Finding) finding.Finding {
	far := v.Run.FarHost
	if far == nil {
		return f
	}
	f.Remedies = slices.Clone(f.Remedies)
	for i, r := range f.Remedies {
		if r.Host != "far" || r.Action == nil {
			continue
		}
		if said := farValue(far, *r.Action); said != "" {
			f.Remedies[i].What = said + " " + r.What
		}
		switch triple := farBuffer(far, r.Action.Kind); {
		case triple == nil || triple[2] == 0:
		case r.Action.Bytes <= triple[2]:
			f.Remedies[i].Action, f.Remedies[i].Command = nil, ""
		default:
			f.Remedies[i].Command = fmt.Sprintf("sysctl -w net.ipv4.%s='%d %d %d'", bufferKey(r.Action.Kind), triple[0], triple[1], r.Action.Bytes)
		}
	}
	return f
}

// farValue says what the far host has of what a remedy changes.
func farValue(h *record.Host, a finding.Action) string {
	switch a.Kind {
	case finding.KindSendBuffer, finding.KindReceiveBuffer:
		most := farBuffer(h, a.Kind)[2]
		switch {
		case most == 0:
			return ""
		case a.Bytes <= most:
			return fmt.Sprintf("%s allows %s there, which is enough: a program set its own buffer, or a limit of its own.", bufferKey(a.Kind), unit.HumanSize(float64(most)))
		}
		return fmt.Sprintf("%s allows %s there; this path wants %s.", bufferKey(a.Kind), unit.HumanSize(float64(most)), unit.HumanSize(float64(a.Bytes)))
	case finding.KindCC:
		return farCC(h, a.CC)
	}
	return ""
}

// farCC says whether the far host has an algorithm.
func farCC(h *record.Host, cc string) string {
	switch {
	case h.CC == "" || h.CC == cc:
		return ""
	case slices.Contains(h.Available, cc):
		return fmt.Sprintf("New connections there get %s; its kernel has %s.", h.CC, cc)
	case slices.Contains(h.Loadable, cc):
		return fmt.Sprintf("New connections there get %s; %s is a module there (modprobe tcp_%s).", h.CC, cc, cc)
	}
	return fmt.Sprintf("New connections there get %s; its kernel has no %s, only %s.", h.CC, cc, strings.Join(h.Available, ", "))
}

func farBuffer(h *record.Host, kind finding.Kind) *[3]int64 {
	switch kind {
	case finding.KindSendBuffer:
		return &h.TCPWmem
	case finding.KindReceiveBuffer:
		return &h.TCPRmem
	}
	return nil
}

func bufferKey(kind finding.Kind) string {
	if kind == finding.KindSendBuffer {
		return "tcp_wmem"
	}
	return "tcp_rmem"
}
