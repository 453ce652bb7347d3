package audit

import (
	"strings"
	"testing"

	"unchoke/internal/record"
)

// What netsh prints, as Microsoft's documentation and support threads show it of
// Windows 10 and 11; no host of our own printed it.
const (
	netshGlobalText = `Querying active state...

TCP Global Parameters
----------------------------------------------
Receive-Side Scaling State          : enabled
Receive Window Auto-Tuning Level    : normal
Add-On Congestion Control Provider  : default
ECN Capability                      : disabled
RFC 1323 Timestamps                 : allowed
Initial RTO                         : 1000
Receive Segment Coalescing State    : enabled
Non Sack Rtt Resiliency             : disabled
`
	netshSupplementalText = `The TCP global default template is internet

TCP Supplemental Parameters
----------------------------------------------
Minimum RTO (msec)                  : 300
Initial Congestion Window (MSS)     : 10
Congestion Control Provider         : cubic
Enable Congestion Window Restart    : disabled
`
)

func TestNetsh(t *testing.T) {
	if got := netshSupplemental(netshSupplementalText); got != "cubic" {
		t.Errorf("congestion control %q", got)
	}
	if got := netshSupplemental(strings.ReplaceAll(netshSupplementalText, "Congestion Control Provider", "Überlastungssteuerungsanbieter")); got != "cubic" {
		t.Errorf("in German: %q", got)
	}
	if got := netshSupplemental(strings.ReplaceAll(netshSupplementalText, "cubic", "default")); got != "" {
		t.Errorf("an algorithm that is not named: %q", got)
	}
	for _, c := range []struct {
		replace, with string
		want          record.Host
		told          bool
	}{
		{"", "", record.Host{Autotuning: "normal", WindowScaling: true, Timestamps: true}, true},
		{": normal", ": disabled", record.Host{Autotuning: "disabled", Timestamps: true}, true},
		{": normal", ": highlyrestricted", record.Host{Autotuning: "highlyrestricted", WindowScaling: true, Timestamps: true}, true},
		{"Timestamps                 : allowed", "Timestamps                 : disabled", record.Host{Autotuning: "normal", WindowScaling: true}, true},
		{"Window Auto-Tuning Level    : normal", "fensterabstimmung : disabled", record.Host{Timestamps: true}, false},
	} {
		var h record.Host
		told := netshGlobal(strings.Replace(netshGlobalText, c.replace, c.with, 1), &h)
		if told != c.told || h.Autotuning != c.want.Autotuning || h.WindowScaling != c.want.WindowScaling || h.Timestamps != c.want.Timestamps {
			t.Errorf("%q: %v, %+v", c.with, told, h)
		}
	}
}

func FuzzNetsh(f *testing.F) {
	f.Add(netshGlobalText)
	f.Add(netshSupplementalText)
	f.Fuzz(func(t *testing.T, text string) {
		var h record.Host
		if told := netshGlobal(text, &h); told != (h.Autotuning != "") || len(h.Autotuning) > len("highlyrestricted") {
			t.Errorf("%v, %q", told, h.Autotuning)
		}
		netshSupplemental(text)
	})
}
