package host

import (
	"os/exec"
	"strings"
	"testing"

	"unchoke/internal/linux/route"
)

// With a route's own words, ip route changes its algorithm and nothing else.
func TestRouteWords(t *testing.T) {
	namespace(t, func(run func(...string)) {
		run("ip", "tuntap", "add", "t0", "mode", "tun")
		run("ip", "addr", "add", "192.0.2.7/24", "dev", "t0")
		run("ip", "addr", "add", "2001:db8::7/64", "dev", "t0", "nodad")
		run("ip", "link", "set", "t0", "up")
		for _, words := range []string{
			"default via 192.0.2.1 dev t0 proto dhcp src 192.0.2.7 metric 100",
			"198.51.100.0/24 via 192.0.2.9 dev t0",
			"203.0.113.0/24 dev t0 table 52 proto static mtu lock 1300 advmss 1200 initcwnd 20",
			"203.0.114.0/24 via 10.9.9.9 dev t0 onlink",
			"2001:db8:1::/48 via 2001:db8::1 dev t0 proto static metric 77 mtu 1400",
			"::/0 via 2001:db8::1 dev t0",
			"198.51.100.0/24 via 192.0.2.9 dev t0 tos 0x10",
		} {
			run(append([]string{"ip", "route", "add"}, strings.Fields(words)...)...)
		}
		shown := func() string {
			var all strings.Builder
			for _, family := range []string{"-4", "-6"} {
				out, err := exec.Command("ip", family, "route", "show", "table", "all", "type", "unicast").Output()
				if err != nil {
					t.Fatal(err)
				}
				all.Write(out)
			}
			return all.String()
		}
		before := shown()
		entries, err := route.List()
		if err != nil {
			t.Fatal(err)
		}
		changed := 0
		for _, e := range entries {
			if e.Protocol == 2 {
				continue // the kernel's own
			}
			words, err := e.Words("t0", map[uint8]string{4: "static", 16: "dhcp"}[e.Protocol])
			if err != nil {
				t.Fatal(err)
			}
			command := append([]string{"route", "change", e.Prefix.String()}, strings.Fields(words+" congctl reno")...)
			if out, err := exec.Command("ip", command...).CombinedOutput(); err != nil {
				t.Fatalf("ip %v: %v: %s", command, err, out)
			}
			changed++
		}
		after := shown()
		if changed != 7 || strings.Count(after, "congctl reno") != changed {
			t.Errorf("%d routes were changed:\n%s", changed, after)
		}
		if got := strings.ReplaceAll(after, "congctl reno ", ""); got != before {
			t.Errorf("before:\n%s\nafter:\n%s", before, got)
		}
	})
}
