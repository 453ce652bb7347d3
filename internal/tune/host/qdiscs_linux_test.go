package host

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"unchoke/internal/linux/netns/netnstest"
	"unchoke/internal/tune"
	"unchoke/internal/tune/tree/treetest"
)

// namespace runs f where devices can be made and changed.
func namespace(t *testing.T, f func(run func(args ...string))) {
	t.Helper()
	err := netnstest.New(t).Do(func() error {
		f(func(args ...string) {
			t.Helper()
			if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
				t.Skipf("this kernel cannot: %v: %s", args, out)
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, kind tune.Kind, key string) string {
	t.Helper()
	v, err := Host{}.Read(kind, key)
	if err != nil || v == nil {
		t.Fatalf("read %s %s: %v, %v", kind, key, v, err)
	}
	return *v
}

func decoded(t *testing.T, value string) tune.QdiscValue {
	t.Helper()
	v, err := tune.Decode[tune.QdiscValue](&value)
	if err != nil {
		t.Fatal(err)
	}
	return *v
}

// Whatever was attached comes back, to the byte of its options and its handle.
func TestQdiscComesBack(t *testing.T) {
	for name, setup := range map[string][]string{
		"the kernel's own":      nil,
		"one with a handle":     {"tc", "qdisc", "replace", "dev", "t0", "root", "handle", "8005:", "pfifo", "limit", "77"},
		"times of fq_codel":     {"tc", "qdisc", "replace", "dev", "t0", "root", "handle", "12:", "fq_codel", "target", "7ms", "interval", "93ms", "flows", "512"},
		"an fq with parameters": {"tc", "qdisc", "replace", "dev", "t0", "root", "handle", "13:", "fq", "limit", "5000", "maxrate", "90mbit"},
	} {
		t.Run(name, func(t *testing.T) {
			namespace(t, func(run func(...string)) {
				run("ip", "tuntap", "add", "t0", "mode", "tun")
				run("ip", "link", "set", "t0", "up")
				if setup != nil {
					run(setup...)
				}
				// Only what the kernel lacks is skipped, and tc(8) is asked for that: a
				// write of ours that fails is a fault.
				run("tc", "qdisc", "add", "dev", "lo", "root", "fq_codel")
				before := read(t, tune.Qdisc, "t0")
				for _, between := range []tune.QdiscValue{{Kind: "pfifo", Handle: "77:"}, {Kind: "fq_codel", Handle: "78:"}} {
					if err := treetest.Build(Host{}, "t0", between, nil); err != nil {
						t.Fatal(err)
					}
					if now := read(t, tune.Qdisc, "t0"); now == before {
						t.Fatalf("%s was not attached", between.Kind)
					}
					if err := treetest.Build(Host{}, "t0", decoded(t, before), nil); err != nil {
						t.Fatal(err)
					}
					if after := read(t, tune.Qdisc, "t0"); after != before {
						t.Errorf("after %s:\n%s\nwas\n%s", between.Kind, after, before)
					}
				}
			})
		})
	}
}

func TestMultiQueueComesBack(t *testing.T) {
	for name, setup := range map[string][][]string{
		"the kernel's own":  nil,
		"one with a handle": {{"tc", "qdisc", "replace", "dev", "v0", "root", "handle", "5:", "mq"}},
		"with its own leaf": {{"tc", "qdisc", "replace", "dev", "v0", "root", "handle", "5:", "mq"}, {"tc", "qdisc", "replace", "dev", "v0", "parent", "5:2", "handle", "20:", "pfifo", "limit", "9"}},
	} {
		t.Run(name, func(t *testing.T) {
			namespace(t, func(run func(...string)) {
				run("ip", "link", "add", "v0", "numtxqueues", "4", "type", "veth", "peer", "name", "v1")
				run("ip", "link", "set", "v0", "up")
				run("ip", "link", "set", "v0", "txqueuelen", "100")
				if setup == nil {
					run("tc", "qdisc", "replace", "dev", "v0", "root", "handle", "1:", "pfifo")
					run("tc", "qdisc", "del", "dev", "v0", "root")
				}
				for _, s := range setup {
					run(s...)
				}
				before := read(t, tune.Qdisc, "v0")
				to := tune.QdiscValue{Kind: "pfifo"}
				if err := treetest.Build(Host{}, "v0", to, nil); err != nil {
					t.Fatal(err)
				}
				if err := treetest.Build(Host{}, "v0", decoded(t, before), nil); err != nil {
					t.Fatal(err)
				}
				if after := read(t, tune.Qdisc, "v0"); after != before {
					t.Errorf("%s\nwas\n%s", after, before)
				}
			})
		})
	}
}

// Only the congestion control of a route changes, and it comes back.
func TestRouteComesBack(t *testing.T) {
	for _, add := range [][]string{
		{"ip", "route", "add", "100.64.0.0/10", "dev", "t0", "src", "10.9.0.1", "mtu", "1280", "metric", "50"},
		{"ip", "route", "add", "2001:db8:9::/48", "dev", "t0", "metric", "50", "table", "52"},
	} {
		namespace(t, func(run func(...string)) {
			run("ip", "tuntap", "add", "t0", "mode", "tun")
			run("ip", "link", "set", "t0", "up")
			run("ip", "addr", "add", "10.9.0.1/24", "dev", "t0")
			run(add...)
			table := uint32(254)
			if add[len(add)-2] == "table" {
				table = 52
			}
			key := tune.RouteKey{Prefix: add[3], Device: "t0", Table: table, Metric: 50}.String()
			before := read(t, tune.Route, key)
			if err := (Host{}).Write(tune.Route, key, tune.Encode(tune.RouteValue{CC: "reno"})); err != nil {
				t.Fatal(err)
			}
			now, err := tune.Decode[tune.RouteValue](new(read(t, tune.Route, key)))
			if err != nil || now.CC != "reno" {
				t.Errorf("%s: %+v, %v", key, now, err)
			}
			if err := (Host{}).Write(tune.Route, key, &before); err != nil {
				t.Fatal(err)
			}
			if after := read(t, tune.Route, key); after != before {
				t.Errorf("%s\n%s\nwas\n%s", key, after, before)
			}
		})
	}
}

// ofRoute is the route's congestion control.
func ofRoute(t *testing.T, key string) string {
	t.Helper()
	v, err := tune.Decode[tune.RouteValue](new(read(t, tune.Route, key)))
	if err != nil {
		t.Fatal(err)
	}
	return v.CC
}

// shown are the routes as ip(8) prints them.
func shown(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, family := range []string{"-4", "-6"} {
		out, err := exec.Command("ip", family, "-details", "route", "show", "table", "all").Output()
		if err != nil {
			t.Fatal(err)
		}
		all.Write(out)
	}
	return all.String()
}

// The kernel takes one route for the other where two differ by their devices only:
// neither is written. Every device has such a one to fe80::/64.
func TestRouteBesideItsLikeComesBack(t *testing.T) {
	namespace(t, func(run func(...string)) {
		for n, device := range []string{"d0", "d1"} {
			run("ip", "link", "add", device, "type", "veth", "peer", "name", device+"p")
			run("ip", "addr", "add", fmt.Sprintf("10.9.0.%d/24", n+1), "dev", device)
			run("ip", "link", "set", device+"p", "up")
			run("ip", "link", "set", device, "up")
		}
		run("ip", "-6", "route", "add", "blackhole", "2001:db8:1::/48", "metric", "70")
		run("ip", "-6", "route", "append", "2001:db8:1::/48", "dev", "d1", "metric", "70")
		before := shown(t)
		for prefix, metric := range map[string]uint32{"10.9.0.0/24": 0, "fe80::/64": 256, "2001:db8:1::/48": 70} {
			key := tune.RouteKey{Prefix: prefix, Device: "d1", Table: 254, Metric: metric}
			old := read(t, tune.Route, key.String())
			for _, value := range []string{*tune.Encode(tune.RouteValue{CC: "reno"}), old} {
				if err := (Host{}).Write(tune.Route, key.String(), &value); !errors.Is(err, tune.ErrSharedRoute) {
					t.Errorf("%s: %v", key, err)
				}
			}
			if err := (Host{}).Writable(tune.Route, key.String()); !errors.Is(err, tune.ErrSharedRoute) {
				t.Errorf("%s may be written: %v", key, err)
			}
		}
		if after := shown(t); after != before {
			t.Errorf("%s\nwas\n%s", after, before)
		}
	})
}

// Routes that differ by their TOS are two, and each has its own.
func TestRouteOfOneTOSComesBack(t *testing.T) {
	namespace(t, func(run func(...string)) {
		run("ip", "tuntap", "add", "t0", "mode", "tun")
		run("ip", "link", "set", "t0", "up")
		run("ip", "route", "add", "100.64.0.0/10", "dev", "t0")
		run("ip", "route", "add", "100.64.0.0/10", "dev", "t0", "tos", "0x10")
		before := shown(t)
		for tos, cc := range map[uint8]string{0: "reno", 0x10: "cubic"} {
			key := tune.RouteKey{Prefix: "100.64.0.0/10", Device: "t0", Table: 254, TOS: tos}.String()
			if err := (Host{}).Write(tune.Route, key, tune.Encode(tune.RouteValue{CC: cc})); err != nil {
				t.Fatal(err)
			}
			if got := ofRoute(t, key); got != cc {
				t.Errorf("%s has %q", key, got)
			}
		}
		for _, tos := range []uint8{0, 0x10} {
			key := tune.RouteKey{Prefix: "100.64.0.0/10", Device: "t0", Table: 254, TOS: tos}.String()
			if err := (Host{}).Write(tune.Route, key, tune.Encode(tune.RouteValue{})); err != nil {
				t.Fatal(err)
			}
		}
		if after := shown(t); after != before {
			t.Errorf("%s\nwas\n%s", after, before)
		}
	})
}

// A route by a nexthop object keeps it.
func TestRouteByNexthopObjectComesBack(t *testing.T) {
	namespace(t, func(run func(...string)) {
		run("ip", "link", "add", "v0", "type", "veth", "peer", "name", "v1")
		run("ip", "addr", "add", "10.9.0.1/24", "dev", "v0")
		run("ip", "addr", "add", "2001:db8::1/64", "dev", "v0", "nodad")
		run("ip", "link", "set", "v1", "up")
		run("ip", "link", "set", "v0", "up")
		run("ip", "nexthop", "add", "id", "7", "via", "10.9.0.9", "dev", "v0")
		run("ip", "nexthop", "add", "id", "8", "via", "2001:db8::9", "dev", "v0")
		run("ip", "route", "add", "100.64.0.0/10", "nhid", "7", "mtu", "1280")
		run("ip", "-6", "route", "add", "2001:db8:9::/48", "nhid", "8", "metric", "70")
		before := shown(t)
		for _, key := range []tune.RouteKey{
			{Prefix: "100.64.0.0/10", Device: "v0", Table: 254},
			{Prefix: "2001:db8:9::/48", Device: "v0", Table: 254, Metric: 70},
		} {
			for _, cc := range []string{"reno", ""} {
				if err := (Host{}).Write(tune.Route, key.String(), tune.Encode(tune.RouteValue{CC: cc})); err != nil {
					t.Fatal(err)
				}
				if got := ofRoute(t, key.String()); got != cc {
					t.Errorf("%s has %q, not %q", key, got, cc)
				}
			}
		}
		if after := shown(t); after != before {
			t.Errorf("%s\nwas\n%s", after, before)
		}
	})
}
