//go:build !slim

package amend

import (
	"strings"
	"testing"

	"unchoke/internal/diagnose/view"
	"unchoke/internal/finding"
	"unchoke/internal/record"
)

// Of a host that does not run Linux no remedy has a command of Linux's, and the system's own
// setting is named where there is one.
func TestOtherSystem(t *testing.T) {
	windows := func(level string) record.Host { return record.Host{OS: "windows", CC: "cubic", Autotuning: level} }
	mac := record.Host{OS: "darwin", CC: "cubic", TCPRmem: [3]int64{128 << 10, 128 << 10, 4 << 20}, TCPWmem: [3]int64{128 << 10, 128 << 10, 128 << 10}}
	for name, c := range map[string]struct {
		host   record.Host
		action finding.Action
		want   string
	}{
		"Windows, congestion control":  {windows("normal"), finding.UseCC("bbr"), "Do it. %s runs Windows, which sets it by `netsh interface tcp set supplemental` (congestionprovider=bbr2, in versions that have it)."},
		"Windows, another algorithm":   {windows("normal"), finding.UseCC("reno"), "Do it. %s runs Windows, which sets it by `netsh interface tcp set supplemental`."},
		"Windows, restricted":          {windows("restricted"), finding.RaiseReceiveBuffer(8 << 20), "Let the receive buffer grow to room for twice the bandwidth-delay product. %s runs Windows, whose autotuning level is restricted: `netsh interface tcp set global autotuninglevel=normal`."},
		"Windows, autotuning normal":   {windows("normal"), finding.RaiseReceiveBuffer(8 << 20), "Let the receive buffer grow to room for twice the bandwidth-delay product. %s runs Windows, whose autotuning level is normal, which lets windows grow: a program set its own buffer (SO_RCVBUF), or a limit of its own."},
		"Windows, level not known":     {windows(""), finding.RaiseReceiveBuffer(8 << 20), "Let the receive buffer grow to room for twice the bandwidth-delay product. %s runs Windows, whose setting for it is the autotuning level: `netsh interface tcp set global autotuninglevel=normal`."},
		"Windows, no scaling":          {windows("disabled"), finding.ScaleWindows(), "Do it. %s runs Windows, whose autotuning level is disabled: `netsh interface tcp set global autotuninglevel=normal`."},
		"Windows, scaling on":          {windows("normal"), finding.ScaleWindows(), "Do it. %s runs Windows, whose autotuning level is normal, which lets windows grow."},
		"Windows, send buffer":         {windows("normal"), finding.RaiseSendBuffer(8 << 20), "Let the send buffer grow to room for twice the bandwidth-delay product. %s runs Windows, where send buffers grow by themselves: a program set its own (SO_SNDBUF)."},
		"Windows, no such setting":     {windows("normal"), finding.TolerateReordering(), "Do it. %s runs Windows: apply it by that system's own means."},
		"macOS, congestion control":    {mac, finding.UseCC("bbr"), "Do it. %s runs macOS, which has only CUBIC and New Reno to choose from (net.inet.tcp.use_newreno)."},
		"macOS, receive buffer":        {mac, finding.RaiseReceiveBuffer(8 << 20), "Let the receive buffer grow to room for twice the bandwidth-delay product. %s runs macOS, whose settings for it are net.inet.tcp.doautorcvbuf, net.inet.tcp.autorcvbufmax and kern.ipc.maxsockbuf: they allow 4.00 MiB @; this path wants 8.00 MiB."},
		"macOS, receive buffer enough": {mac, finding.RaiseReceiveBuffer(2 << 20), "Let the receive buffer grow to room for twice the bandwidth-delay product. %s runs macOS, whose settings for it are net.inet.tcp.doautorcvbuf, net.inet.tcp.autorcvbufmax and kern.ipc.maxsockbuf: they allow 4.00 MiB @, which is enough: a program set its own buffer, or a limit of its own."},
		"macOS, send buffer":           {mac, finding.RaiseSendBuffer(1 << 20), "Let the send buffer grow to room for twice the bandwidth-delay product. %s runs macOS, whose settings for it are net.inet.tcp.doautosndbuf, net.inet.tcp.autosndbufmax and kern.ipc.maxsockbuf: they allow 128 KiB @; this path wants 1.00 MiB."},
		"macOS, SACK":                  {mac, finding.AcknowledgeSelectively(), "Do it. %s runs macOS, whose setting for it is net.inet.tcp.sack."},
		"macOS, no such setting":       {mac, finding.Pace(1e6), "Do it. %s runs macOS: apply it by that system's own means."},
		"another system":               {record.Host{OS: "freebsd"}, finding.UseCC("bbr"), "Do it. %s runs freebsd: apply it by that system's own means."},
	} {
		v := &view.View{}
		for host, words := range map[string]*strings.Replacer{
			"near": strings.NewReplacer("%s", "This host", "@", "here"),
			"far":  strings.NewReplacer("%s", "The far host", "@", "there"),
		} {
			v.Run = &record.Run{Near: c.host}
			if host == "far" {
				v.Run = &record.Run{Near: record.Host{OS: "linux"}, FarHost: &c.host}
			}
			if r := amended(v, c.action, host); r.What != words.Replace(c.want) || r.Action != nil || r.Command != "" {
				t.Errorf("%s, %s: %+v", name, host, r)
			}
		}
	}
}

// A server tells by its uname what its host runs.
func TestServersSystem(t *testing.T) {
	for uname, command := range map[string]bool{
		"":                                          true,
		"Linux far 6.12.48 #1 SMP x86_64":           true,
		"Darwin far 23.4.0 Darwin Kernel x86_64":    false,
		"CYGWIN_NT-10.0-22631 far 3.5.3 x86_64":     false,
		"FreeBSD far 14.1-RELEASE FreeBSD 14 amd64": false,
	} {
		v := &view.View{Run: &record.Run{Far: record.Peer{System: uname}}}
		r := amended(v, finding.UseCC("bbr"), "far")
		if (r.Command != "") != command || (r.What == "Do it.") != command {
			t.Errorf("%q: %+v", uname, r)
		}
	}
}
