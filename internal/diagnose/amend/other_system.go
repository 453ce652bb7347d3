//go:build !slim

package amend

import (
	"cmp"
	"fmt"
	"strings"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
	"unchoke/internal/unit"
)

// withSystems is a finding with what follows from the systems that the hosts run.
func withSystems(v *view.View, f finding.Finding) finding.Finding {
	return Elsewhere(v.Run, withFaults(v, f))
}

// Elsewhere is a finding whose remedies for hosts that do not run Linux are such systems'.
func Elsewhere(run *record.Run, f finding.Finding) finding.Finding {
	return eachHost(run, f, record.Host{OS: systemOf(run.Far)}, ofSystem)
}

// systemOf is what a server's host runs, as record.Host has it: its uname begins with that.
// It is empty where the server did not tell.
func systemOf(p record.Peer) string {
	name, _, _ := strings.Cut(p.System, " ")
	switch {
	case name == "Linux", name == "Darwin":
		return strings.ToLower(name)
	case strings.HasPrefix(name, "CYGWIN_NT"), strings.HasPrefix(name, "MSYS_NT"), strings.HasPrefix(name, "MINGW"):
		return "windows"
	}
	return name
}

// ofSystem is a remedy for a host: where that does not run Linux, without Linux's command,
// and with the system's own setting if there is one.
func ofSystem(r *finding.Remedy, h *record.Host, where string) {
	if h.OS == "" || h.OS == "linux" {
		return
	}
	a := *r.Action
	r.Action, r.Command = nil, ""
	switch a.Kind {
	case finding.KindSendBuffer:
		r.What = "Let the send buffer grow to room for twice the bandwidth-delay product."
	case finding.KindReceiveBuffer:
		r.What = "Let the receive buffer grow to room for twice the bandwidth-delay product."
	}
	system, how := h.OS, ""
	switch system {
	case "windows":
		system, how = "Windows", onWindows(a, h)
	case "darwin":
		system, how = "macOS", onMacOS(a, h, where)
	}
	who := "This host"
	if where == there {
		who = "The far host"
	}
	r.What += fmt.Sprintf(" %s runs %s%s.", who, system, cmp.Or(how, ": apply it by that system's own means"))
}

// onWindows is Windows' own setting for a change; nothing where none is known.
func onWindows(a finding.Action, h *record.Host) string {
	const level = "`netsh interface tcp set global autotuninglevel=normal`"
	switch a.Kind {
	case finding.KindCC:
		how := ", which sets it by `netsh interface tcp set supplemental`"
		if a.CC == "bbr" {
			how += " (congestionprovider=bbr2, in versions that have it)"
		}
		return how
	case finding.KindSendBuffer:
		return ", where send buffers grow by themselves: a program set its own (SO_SNDBUF)"
	case finding.KindReceiveBuffer, finding.KindWindowScaling:
		switch h.Autotuning {
		case "":
			return ", whose setting for it is the autotuning level: " + level
		case "normal", "experimental":
			how := ", whose autotuning level is " + h.Autotuning + ", which lets windows grow"
			if a.Kind == finding.KindReceiveBuffer {
				how += ": a program set its own buffer (SO_RCVBUF), or a limit of its own"
			}
			return how
		}
		return ", whose autotuning level is " + h.Autotuning + ": " + level
	}
	return ""
}

// onMacOS is macOS's own setting for a change; nothing where none is known.
func onMacOS(a finding.Action, h *record.Host, where string) string {
	switch a.Kind {
	case finding.KindCC:
		return ", which has only CUBIC and New Reno to choose from (net.inet.tcp.use_newreno)"
	case finding.KindSendBuffer:
		return macOSBuffer("snd", h.TCPWmem[2], a.Bytes, where)
	case finding.KindReceiveBuffer:
		return macOSBuffer("rcv", h.TCPRmem[2], a.Bytes, where)
	case finding.KindWindowScaling:
		return ", whose setting for it is net.inet.tcp.rfc1323, in versions that have it"
	case finding.KindSACK:
		return ", whose setting for it is net.inet.tcp.sack"
	}
	return ""
}

// macOSBuffer names the settings that bound a buffer, and compares what they allow with
// what the path wants.
func macOSBuffer(way string, has, wants int64, where string) string {
	how := fmt.Sprintf(", whose settings for it are net.inet.tcp.doauto%[1]sbuf, net.inet.tcp.auto%[1]sbufmax and kern.ipc.maxsockbuf", way)
	switch {
	case has == 0:
		return how
	case wants <= has:
		return how + fmt.Sprintf(": they allow %s %s, which is enough: a program set its own buffer, or a limit of its own", unit.HumanSize(float64(has)), where)
	}
	return how + fmt.Sprintf(": they allow %s %s; this path wants %s", unit.HumanSize(float64(has)), where, unit.HumanSize(float64(wants)))
}
